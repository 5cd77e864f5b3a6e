"""Facts about this host, kept with every attempt."""

import os
import platform
import socket
import sys
from pathlib import Path
from typing import Any

from workers import probe


def host_facts() -> dict[str, Any]:
    """Processor, memory in bytes, operating system, Python, accelerators."""
    return {
        "hostname": socket.gethostname(),
        "cpu": cpu_model(),
        "cpu_count": os.cpu_count(),
        "memory_bytes": memory_bytes(),
        "os": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "python": platform.python_version(),
        "gpus": probe.nvidia_gpus() or [str(device["name"]) for device in probe.torch_devices()],
        "hardware": probe.hardware_slugs(),
        "devices": probe.device_counts(),
    }


def cpu_model() -> str:
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def memory_bytes() -> int | None:
    if sys.platform == "win32":
        return None
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

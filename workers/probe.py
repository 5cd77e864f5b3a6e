"""What accelerators this host has. torch is imported here only, and only when it is installed."""

import shutil
import subprocess
from collections import Counter
from functools import cache
from importlib.util import find_spec

#: Product names as the driver prints them -> slug in the catalogue; the first match counts.
PRODUCTS = (
    ("GB300", "gb300"),
    ("GB200", "gb200"),
    ("B300", "b300"),
    ("B200", "b200"),
    ("H200", "h200"),
    ("H100", "h100"),
    ("RTX PRO 6000", "rtx-pro-6000"),
    ("MI355X", "mi355x"),
    ("MI350X", "mi350x"),
    ("MI325X", "mi325x"),
    ("MI300X", "mi300x"),
)


@cache
def nvidia_gpus() -> list[str]:
    """Product names of the NVIDIA GPUs that the driver sees."""
    if shutil.which("nvidia-smi") is None:
        return []
    argv = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        result = subprocess.run(argv, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        # A tool without a working driver: no GPU that could be used.
        return []
    return [line.strip() for line in result.stdout.splitlines() if line.strip()]


def has_nvidia_gpu() -> bool:
    return bool(nvidia_gpus())


def torch_devices() -> list[dict[str, object]]:
    """Name and memory in bytes of each device torch sees; empty without torch (ROCm answers here too)."""
    if find_spec("torch") is None:
        return []
    import torch

    if not torch.cuda.is_available():
        return []
    found = [torch.cuda.get_device_properties(index) for index in range(torch.cuda.device_count())]
    return [{"name": device.name, "memory_bytes": device.total_memory} for device in found]


def hardware_slugs() -> list[str]:
    """Catalogue slugs this host can run; a CPU is always there."""
    return sorted(device_counts())


def device_counts() -> dict[str, int]:
    """Devices by catalogue slug; all processors of a host count as one."""
    names = nvidia_gpus() or [str(device["name"]) for device in torch_devices()]
    known = Counter(slug for slug in map(slug_of, names) if slug)
    return {"cpu": 1, **known}


def slug_of(product: str) -> str | None:
    return next((slug for name, slug in PRODUCTS if name.lower() in product.lower()), None)

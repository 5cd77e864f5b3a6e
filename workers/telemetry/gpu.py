"""Samples of NVIDIA GPUs, once a second while a load is measured: power, clocks, temperature, memory.

The first sample is taken before the client starts and the last after it has ended, so that the window of the
load lies between samples and its energy needs no extrapolation. Without a driver there are no samples.
"""

import json
import math
import os
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

INTERVAL_SECONDS = 1.0
#: Bits of nvmlDeviceGetCurrentClocksEventReasons (NVML reference); the first is no reason to slow down.
REASONS = {
    0x1: "gpu_idle",
    0x2: "applications_clocks_setting",
    0x4: "sw_power_cap",
    0x8: "hw_slowdown",
    0x10: "sync_boost",
    0x20: "sw_thermal_slowdown",
    0x40: "hw_thermal_slowdown",
    0x80: "hw_power_brake_slowdown",
    0x100: "display_clock_setting",
}


def nvml() -> Any:
    """The library, initialised; None where it or its driver is absent."""
    if find_spec("pynvml") is None:
        return None
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    return pynvml


def visible(count: int) -> list[int]:
    """Indices of the GPUs that a child of ours may use; CUDA_VISIBLE_DEVICES may name fewer."""
    text = os.environ.get("CUDA_VISIBLE_DEVICES")
    if text is None:
        return list(range(count))
    return [int(item) for item in text.split(",") if item.strip().isdecimal() and int(item) < count]


class GpuSampler:
    """Appends ``{"at": unix seconds, "gpus": [...]}`` lines to a file between enter and exit."""

    def __init__(self, path: Path, library: Any = None) -> None:
        self._path = path
        self._library = library if library is not None else nvml()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="gpu-telemetry", daemon=True)
        self.error: OSError | None = None

    def __enter__(self) -> "GpuSampler":
        if self._library is not None:
            self._handles = handles(self._library)
            self._sample()
            self._thread.start()
        return self

    def __exit__(self, *_details: object) -> None:
        if self._library is None:
            return
        self._stop.set()
        self._thread.join(timeout=10)
        self._sample()
        self._library.nvmlShutdown()

    def _loop(self) -> None:
        begin = time.monotonic()
        while True:
            # On a fixed grid: an answer that comes late moves no later sample.
            passed = time.monotonic() - begin
            grid = (math.floor(passed / INTERVAL_SECONDS) + 1) * INTERVAL_SECONDS
            if self._stop.wait(grid - passed) or self.error is not None:
                return
            self._sample()

    def _sample(self) -> None:
        before = time.time()
        gpus = [reading(self._library, index, handle) for index, handle in self._handles]
        # The middle of the queries, which take milliseconds.
        line = json.dumps({"at": (before + time.time()) / 2, "gpus": gpus}, allow_nan=False)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            self.error = error


def handles(library: Any) -> list[tuple[int, Any]]:
    """Index and handle of every visible GPU."""
    chosen = visible(library.nvmlDeviceGetCount())
    return [(index, library.nvmlDeviceGetHandleByIndex(index)) for index in chosen]


def reading(library: Any, index: int, handle: Any) -> dict[str, Any]:
    """One GPU now; what the GPU or its driver does not tell is None.

    Power in watts (on these GPUs the mean of the last second, by the vendor's manual), clocks in MHz,
    temperature in degrees Celsius, memory in bytes, utilisation in per cent.
    """

    def ask(name: str, *arguments: Any) -> Any:
        try:
            return getattr(library, name)(handle, *arguments)
        except (library.NVMLError, AttributeError):
            return None

    power, memory = ask("nvmlDeviceGetPowerUsage"), ask("nvmlDeviceGetMemoryInfo")
    use, uuid = ask("nvmlDeviceGetUtilizationRates"), ask("nvmlDeviceGetUUID")
    energy = ask("nvmlDeviceGetTotalEnergyConsumption")
    return {
        "index": index,
        "uuid": uuid.decode() if isinstance(uuid, bytes) else uuid,
        "power_watts": None if power is None else power / 1000,
        "energy_joules": None if energy is None else energy / 1000,
        "temperature_celsius": ask("nvmlDeviceGetTemperature", library.NVML_TEMPERATURE_GPU),
        "sm_clock_mhz": ask("nvmlDeviceGetClockInfo", library.NVML_CLOCK_SM),
        "memory_clock_mhz": ask("nvmlDeviceGetClockInfo", library.NVML_CLOCK_MEM),
        "memory_used_bytes": None if memory is None else memory.used,
        "utilization_percent": None if use is None else use.gpu,
        "throttle_reasons": reasons(ask("nvmlDeviceGetCurrentClocksEventReasons")),
    }


def reasons(bits: int | None) -> Sequence[str] | None:
    """Names of the set bits; None when the driver does not say."""
    if bits is None:
        return None
    return [name for bit, name in REASONS.items() if bits & bit]

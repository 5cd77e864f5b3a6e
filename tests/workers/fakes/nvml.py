# ruff: noqa: N802, N815 - the names are the library's
"""Answers like nvidia-ml-py on a host with two GPUs. Not a driver, measures nothing."""

from types import SimpleNamespace
from typing import Any


class FakeNvml:
    """``power`` in milliwatts; what ``refuses`` names, the driver does not tell."""

    NVML_TEMPERATURE_GPU, NVML_CLOCK_SM, NVML_CLOCK_MEM = 0, 1, 2

    class NVMLError(Exception):
        pass

    def __init__(self, power: int = 400_000, reasons: int = 0x4, refuses: tuple[str, ...] = ()) -> None:
        self.refuses = refuses
        self.shut_down = False
        self._answers: dict[str, Any] = {
            "nvmlDeviceGetPowerUsage": power,
            "nvmlDeviceGetEnforcedPowerLimit": 700_000,
            "nvmlDeviceGetTotalEnergyConsumption": 5_000_000,
            "nvmlDeviceGetTemperature": 41,
            "nvmlDeviceGetMemoryInfo": SimpleNamespace(used=1024, total=4096),
            "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=93),
            "nvmlDeviceGetCurrentClocksEventReasons": reasons,
            "nvmlDeviceGetName": "NVIDIA H200",
            "nvmlDeviceGetPciInfo": SimpleNamespace(busId=b"00000000:1A:00.0"),
            "nvmlDeviceGetCurrPcieLinkGeneration": 5,
            "nvmlDeviceGetCurrPcieLinkWidth": 16,
            "nvmlSystemGetDriverVersion": "580.1",
        }

    def nvmlDeviceGetCount(self) -> int:
        return 2

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlDeviceGetUUID(self, handle: int) -> str:
        return f"GPU-{handle}"

    def nvmlDeviceGetClockInfo(self, _handle: int, kind: int) -> int:
        return {1: 1980, 2: 3201}[kind]

    nvmlDeviceGetMaxClockInfo = nvmlDeviceGetClockInfo

    def nvmlShutdown(self) -> None:
        self.shut_down = True

    def __getattr__(self, name: str) -> Any:
        def answer(*_: Any) -> Any:
            if name in self.refuses:
                raise self.NVMLError(name)
            return self._answers[name]

        return answer

"""Repeated timings of GPU work, and the rate they make."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

WARM_UPS, REPEATS = 3, 15


@dataclass(frozen=True, slots=True)
class Rate:
    """``work`` per second over the repeats; lowest and highest show the spread."""

    unit: str
    work: float
    seconds: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        rates = sorted(self.work / seconds for seconds in self.seconds)
        return {
            "unit": self.unit,
            "median": median(rates),
            "lowest": rates[0],
            "highest": rates[-1],
            "repeats": len(rates),
            "work": self.work,
        }


def device_seconds(work: Callable[[], object], device: int, repeats: int = REPEATS) -> tuple[float, ...]:
    """Time of each repeat by events on the device's own clock, after warm-ups."""
    import torch

    with torch.cuda.device(device):
        for _ in range(WARM_UPS):
            work()
        marks = [
            (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
            for _ in range(repeats)
        ]
        torch.cuda.synchronize()
        for begin, end in marks:
            begin.record()
            work()
            end.record()
        torch.cuda.synchronize()
        return tuple(begin.elapsed_time(end) / 1000 for begin, end in marks)


def wall_seconds(work: Callable[[], object], repeats: int = REPEATS) -> tuple[float, ...]:
    """Time of each repeat by the host's clock, with every device idle before and after."""
    import torch

    def once() -> float:
        synchronize()
        begin = time.perf_counter()
        work()
        synchronize()
        return time.perf_counter() - begin

    def synchronize() -> None:
        for device in range(torch.cuda.device_count()):
            torch.cuda.synchronize(device)

    for _ in range(WARM_UPS):
        once()
    return tuple(once() for _ in range(repeats))

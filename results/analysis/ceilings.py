"""Measured rates of a point as shares of what its host can do at best (``python -m workers probe``). Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: Metric of a point -> ceiling of one GPU of the host, both in bytes per second.
_PAIRS = (
    ("kv_offload_bandwidth_out", "device_to_host_pinned"),
    ("kv_offload_bandwidth_in", "host_to_device_pinned"),
)


@dataclass(frozen=True, slots=True)
class CeilingShare:
    """``value`` of the metric ``key`` against ``ceiling`` of the host, and their quotient."""

    key: str
    name: str
    value: float
    ceiling: float

    @property
    def share(self) -> float:
        return self.value / self.ceiling


def ceiling_shares(values: Mapping[str, float], facts: Mapping[str, Any], gpus: int) -> list[CeilingShare]:
    """What both the point and its host have measured; the ceiling is that of ``gpus`` GPUs together.

    Every GPU is taken to reach the rate of the slowest one; a link that several share is less.
    """
    found = []
    for key, name in _PAIRS:
        rates = list(_rates(facts.get("ceilings"), name))
        if key in values and rates:
            found.append(CeilingShare(key, name, values[key], gpus * min(rates)))
    return found


def _rates(ceilings: Any, name: str) -> Iterator[float]:
    """The best median over all sizes of a transfer, for each GPU that has one."""
    for gpu in ceilings if isinstance(ceilings, list) else ():
        sizes = gpu.get(name) if isinstance(gpu, dict) else None
        medians = [_positive(size.get("median")) for size in _dicts(sizes) if size.get("unit") == "B/s"]
        known = [median for median in medians if median is not None]
        if known:
            yield max(known)


def _dicts(sizes: Any) -> list[dict[str, Any]]:
    return [size for size in sizes if isinstance(size, dict)] if isinstance(sizes, list) else []


def _positive(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        return None
    return float(value)

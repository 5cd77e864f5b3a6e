"""What a host can do at best (``python -m workers probe``), and measured transfers as shares of it. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: Metric of a point -> ceiling of one GPU of the host, both in bytes per second.
_LINKS = (
    ("kv_offload_bandwidth_out", "device_to_host_pinned"),
    ("kv_offload_bandwidth_in", "host_to_device_pinned"),
)


@dataclass(frozen=True, slots=True)
class Term:
    """One number of a formula, by the name that the formula calls it."""

    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class CeilingShare:
    """``value`` against ``ceiling``, both in ``unit``; ``terms`` are what they were computed from.

    ``key`` is a metric where the value is one, else decode or prefill; ``name`` is the ceiling in the probe.
    """

    key: str
    name: str
    unit: str
    value: float
    ceiling: float
    terms: tuple[Term, ...] = ()

    @property
    def share(self) -> float:
        return self.value / self.ceiling


def link_shares(values: Mapping[str, float], probe: Mapping[str, Any], gpus: int) -> Iterator[CeilingShare]:
    """Transfers that both the point and its host have measured."""
    for key, name in _LINKS:
        ceiling = ceiling_of(probe, name)
        if key in values and ceiling is not None:
            terms = (Term("gpus", gpus, ""), Term(name, ceiling, "B/s"))
            yield CeilingShare(key, name, "B/s", values[key], gpus * ceiling, terms)


def ceiling_of(probe: Mapping[str, Any], name: str) -> float | None:
    """Rate of one GPU: the median of its repeats, of a transfer the best of all sizes, of the slowest GPU.

    Several GPUs are taken to reach a multiple of it; a link that they share gives less. None when the host
    has no such measurement.
    """
    gpus = probe.get("ceilings")
    found = [_best(gpu.get(name)) for gpu in gpus if isinstance(gpu, dict)] if isinstance(gpus, list) else []
    known = [rate for rate in found if rate is not None]
    return min(known) if known else None


def _best(measured: Any) -> float | None:
    sizes = measured if isinstance(measured, list) else [measured]
    medians = [_positive(size.get("median")) for size in sizes if isinstance(size, dict)]
    known = [median for median in medians if median is not None]
    return max(known) if known else None


def _positive(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        return None
    return float(value)

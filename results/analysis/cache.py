"""Where the device cache stops holding the working set, and what offloading KV to host memory gives."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from results.documents.canonical import fingerprint

#: Smallest fall of the device hit rate that counts, as a share of prompt tokens.
FALL = 0.10


@dataclass(frozen=True, slots=True)
class CachePoint:
    """One point of a curve. Rates are shares of prompt tokens in [0, 1]; None where not measured.

    ``device`` is the prefix hit rate of GPU memory alone, ``theoretical`` that of a cache without limit.
    """

    id: int
    load: int
    device: float | None
    theoretical: float | None


@dataclass(frozen=True, slots=True)
class Memory:
    """Keys and values in bytes: what the live sessions hold, and what device memory has room for."""

    working_set: float | None
    pool: float | None

    @classmethod
    def of(cls, values: Mapping[str, float], load: int, kv_bytes: float | None) -> "Memory":
        """``load`` sessions times the mean tokens of a request, input and output.

        None where an input is missing. A session is as long as its newest request, and the mean stands for
        that; tokens that sessions share count for each of them.
        """
        if kv_bytes is None:
            return cls(None, None)
        asked, answered = values.get("input_tokens_mean"), values.get("output_tokens_mean")
        tokens = values.get("kv_cache_pool_tokens")
        return cls(
            None if asked is None or answered is None else load * (asked + answered) * kv_bytes,
            None if tokens is None else tokens * kv_bytes,
        )


@dataclass(frozen=True, slots=True)
class Cliff:
    """From load ``before`` to ``at``: the device hit rate is ``fall`` under what theory explains."""

    before: int
    at: int
    device_before: float
    device_at: float
    theoretical_at: float
    fall: float


@dataclass(frozen=True, slots=True)
class Step:
    """Median rates of all points of one load."""

    load: int
    device: float
    theoretical: float


def steps(points: Iterable[CachePoint]) -> tuple[Step, ...]:
    """One step per load in ascending order; points without both rates take no part."""
    by_load: dict[int, list[tuple[float, float]]] = {}
    for point in points:
        if point.device is not None and point.theoretical is not None:
            by_load.setdefault(point.load, []).append((point.device, point.theoretical))
    return tuple(
        Step(load, median(device for device, _ in rates), median(theoretical for _, theoretical in rates))
        for load, rates in sorted(by_load.items())
    )


def cliff(points: Iterable[CachePoint], *, fall: float = FALL) -> Cliff | None:
    """The first load at which the device cache loses what an unlimited one would still hit, for good.

    The loss of a load is how far the device rate lies under its best at smaller loads, less the same of the
    theoretical rate: traffic that repeats less explains itself. The cliff is the first load whose loss is at
    least ``fall`` and stays so at every larger load, so one noisy point is none. None without one.
    """
    ladder = steps(points)
    losses = [_loss(ladder[: place + 1]) for place in range(len(ladder))]
    for place in range(1, len(ladder)):
        if min(losses[place:]) >= fall:
            before, at = ladder[place - 1], ladder[place]
            return Cliff(before.load, at.load, before.device, at.device, at.theoretical, losses[place])
    return None


def _loss(ladder: Sequence[Step]) -> float:
    last = ladder[-1]
    device = max(step.device for step in ladder) - last.device
    theoretical = max(step.theoretical for step in ladder) - last.theoretical
    return device - theoretical


#: Engine arguments that size an offload tier; they say nothing beyond ``kv_offload`` itself.
OFFLOAD_ARGUMENTS = frozenset({"cache_ram_mib", "kv_offloading_gib"})


def offload_family(document: Mapping[str, Any]) -> str:
    """Equal for recipe documents that differ in KV offload alone."""
    rest = {key: value for key, value in document.items() if key != "kv_offload"}
    arguments = document.get("arguments", {}).items()
    rest["arguments"] = {key: value for key, value in arguments if key not in OFFLOAD_ARGUMENTS}
    return fingerprint(rest)


@dataclass(frozen=True, slots=True)
class OffloadPoint:
    """``family`` as ``offload_family`` gives it; ``offload`` is the mode, none without offload."""

    id: int
    load: int
    family: Hashable
    offload: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class OffloadPair:
    """Points of one family and load without and with an offload mode; repeats stand side by side."""

    family: Hashable
    load: int
    offload: str
    without: tuple[OffloadPoint, ...]
    offloaded: tuple[OffloadPoint, ...]

    def values(self, key: str) -> tuple[float | None, float | None]:
        """Medians of a metric without and with offload; None on a side that did not measure it."""
        return _median(self.without, key), _median(self.offloaded, key)

    def ratio(self, key: str) -> float | None:
        """With / without; None unless both sides measured it and the one without is not 0."""
        without, offloaded = self.values(key)
        return None if not without or offloaded is None else offloaded / without


def offload_pairs(points: Iterable[OffloadPoint]) -> tuple[OffloadPair, ...]:
    """Every load that a family measured without offload and with one, by family, mode and load."""
    groups: dict[tuple[Hashable, int], dict[str, list[OffloadPoint]]] = {}
    for point in sorted(points, key=lambda point: point.id):
        groups.setdefault((point.family, point.load), {}).setdefault(point.offload, []).append(point)
    pairs = [
        OffloadPair(family, load, mode, tuple(modes["none"]), tuple(members))
        for (family, load), modes in groups.items()
        if "none" in modes
        for mode, members in modes.items()
        if mode != "none"
    ]
    return tuple(sorted(pairs, key=lambda pair: (str(pair.family), pair.offload, pair.load)))


def _median(points: Iterable[OffloadPoint], key: str) -> float | None:
    measured = [point.values[key] for point in points if key in point.values]
    return median(measured) if measured else None

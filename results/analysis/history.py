"""One number of one configuration over time: at a fixed load, or at a fixed x on each batch's frontier."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from results.analysis.changes import Change, Night, changes
from results.analysis.gains.plan import default_sesoi
from results.analysis.interpolation import Line
from results.analysis.side_by_side import Sample, make_side
from results.metrics import METRICS, Direction

#: Smallest relative change that is watched for; noise between nights is larger than between interleaved runs.
FLOOR = 0.03
#: Places on an interactivity axis, in tok/s/user, that readers know by heart; the first is preferred.
USUAL = (35.0, 50.0, 20.0, 100.0, 10.0)


@dataclass(frozen=True, slots=True)
class Reading:
    """One measured point. ``batch`` names what was measured together, ``x`` is what is held equal."""

    id: int
    run: str
    batch: str
    configuration: int
    version: str
    at: datetime
    load: int
    validity: str
    x: float | None
    y: float | None


@dataclass(frozen=True, slots=True)
class Observed:
    """One value of the series; ``points`` are its evidence, ``run`` the first of them in time.

    ``error`` is the median leave-one-out error of an interpolated value, None for a measured one or where it
    is not known.
    """

    run: str
    at: datetime
    version: str
    value: float
    interpolated: bool
    error: float | None
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Watched:
    """Observations in time, and how many batches gave none for which reason."""

    observed: tuple[Observed, ...]
    without: dict[str, int]


#: What was measured together, and the line along its frontier; None where it has none.
BatchLine = tuple[Sequence[Reading], Line | None]


def at_load(readings: Iterable[Reading], load: int) -> Watched:
    """Every batch that measured the load: the median of its repeats."""
    batches = _batches(readings)
    found, without = [], {"load_not_measured": 0, "metric_missing": 0}
    for members in batches:
        there = [one for one in members if one.load == load]
        values = [one.y for one in there if one.y is not None]
        if not values:
            without["metric_missing" if there else "load_not_measured"] += 1
            continue
        used = [one for one in there if one.y is not None]
        found.append(_observed(used, median(values), interpolated=False, error=None))
    return Watched(_in_time(found), {reason: n for reason, n in without.items() if n})


def batch_lines(readings: Iterable[Reading], directions: tuple[Direction, Direction]) -> list[BatchLine]:
    """The frontier line of each batch: points of two batches share no frontier."""
    return [(members, _line(members, directions)) for members in _batches(readings)]


def at_x(lines: Iterable[BatchLine], x: float) -> Watched:
    """Every batch whose frontier reaches ``x``: its line there."""
    found, without = [], {"x_not_reached": 0}
    for members, line in lines:
        value = line.at(x) if line is not None else None
        if line is None or value is None:
            without["x_not_reached"] += 1
            continue
        ids = {identifier for knot in line.neighbours(x) for identifier in knot.ids}
        used = [one for one in members if one.id in ids]
        error = line.leave_one_out() if len(line.neighbours(x)) > 1 else None
        interpolated = len(line.neighbours(x)) > 1
        found.append(_observed(used, value, interpolated=interpolated, error=error.median if error else None))
    return Watched(_in_time(found), {reason: n for reason, n in without.items() if n})


def usual_x(batches: Iterable[BatchLine]) -> float | None:
    """The first usual place that most batches reach, else the middle of the widest line; None without one."""
    lines = [line for _members, line in batches if line is not None]
    if not lines:
        return None
    reached = {x: sum(line.low <= x <= line.high for line in lines) for x in USUAL}
    best = max(USUAL, key=lambda x: reached[x])
    widest = max(lines, key=lambda line: line.high - line.low)
    return best if reached[best] else float(f"{(widest.low + widest.high) / 2:.3g}")


def detect(observed: Sequence[Observed], key: str) -> tuple[Change, ...]:
    """What the two detectors see; a metric without direction has no better level and is not watched."""
    metric = METRICS[key]
    if metric.direction is Direction.NEUTRAL:
        return ()
    nights = [Night(one.run, one.value if one.value > 0 else None) for one in observed]
    return changes(nights, metric.direction, floor(key))


def floor(key: str) -> float:
    """Least relative change of a metric that counts."""
    return max(FLOOR, default_sesoi(METRICS[key]))


def short_version(text: str) -> str:
    """The part of an image or version by which people know a build."""
    tag = text.partition("@sha256:")[0].rpartition("/")[2].rpartition(":")[2]
    return tag[:24] or text[:24]


def _batches(readings: Iterable[Reading]) -> list[list[Reading]]:
    """Valid points, or diagnostic ones where nothing is valid, by batch."""
    everything = list(readings)
    kind = "valid" if any(one.validity == "valid" for one in everything) else "diagnostic"
    found: dict[str, list[Reading]] = {}
    for one in everything:
        if one.validity == kind:
            found.setdefault(one.batch, []).append(one)
    return list(found.values())


def _line(members: Sequence[Reading], directions: tuple[Direction, Direction]) -> Line | None:
    samples = [Sample(one.id, one.configuration, one.load, one.validity, one.x, one.y) for one in members]
    return make_side(samples, *directions).line


def _observed(used: Sequence[Reading], value: float, *, interpolated: bool, error: float | None) -> Observed:
    first = min(used, key=lambda one: (one.at, one.id))
    versions = dict.fromkeys(one.version for one in sorted(used, key=lambda one: (one.at, one.id)))
    ids = tuple(sorted(one.id for one in used))
    return Observed(first.run, first.at, ", ".join(versions), value, interpolated, error, ids)


def _in_time(found: Iterable[Observed]) -> tuple[Observed, ...]:
    return tuple(sorted(found, key=lambda one: (one.at, one.points)))

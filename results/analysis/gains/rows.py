"""From blocks to rows: one row per metric and load, with the log-ratio of each block."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from results.analysis.gains.blocks import Block, Observation, Side, Values, launches
from results.analysis.gains.vocabulary import Basis, Reason
from results.metrics import METRICS, Direction, Metric

Array = NDArray[np.float64]
Key = tuple[str, int]

#: Size of one count of metrics that only count, in their own unit.
_COUNTERS: Mapping[str, float] = {"requests_failed": 1.0, "preemptions": 1.0}


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity that may be judged.

    ``samples``: (n,) signed log-ratios of the blocks that have both sides or, unpaired, signed logarithms
    of the baseline's and of the candidate's launches; empty where ``problems`` say why there are none.
    ``loads`` are those it rests on. ``resolution`` is the standard deviation of a block difference that
    comes from counting alone, 0 where the metric does not count.
    """

    metric: Metric
    basis: Basis
    load: int | None
    loads: tuple[int, ...]
    samples: tuple[Array, ...] = ()
    problems: tuple[Reason, ...] = ()
    notes: tuple[Reason, ...] = ()
    resolution: float = 0.0

    @property
    def n(self) -> int:
        """Independent launches per side, the smaller number where they differ."""
        if len(self.samples) == 1:
            return len(self.samples[0])
        return min((len(sample) for sample in self.samples), default=0)


def sign(metric: Metric) -> float:
    """+1 where higher is better, -1 where lower is; ValueError for a neutral metric."""
    if metric.direction is Direction.NEUTRAL:
        raise ValueError(f"{metric.key} has no better direction")
    return 1.0 if metric.direction is Direction.HIGHER else -1.0


def side_values(blocks: Iterable[Block], side: Side) -> list[Values]:
    """What each block measured on one side, an empty mapping where the side is missing."""
    return [combined(block.of(side)) for block in blocks]


def combined(observations: Sequence[Observation]) -> Values:
    """One value per load and metric: passes averaged to their launch, then launches, both as logarithms."""
    if len(observations) == 1:
        return observations[0].values
    by_launch = [[one.values for one in passes] for passes in launches(observations).values()]
    return _averaged([_averaged(passes) for passes in by_launch])


def measured_loads(sides: Iterable[Values]) -> set[int]:
    """Loads at which any metric has a value."""
    return {
        load
        for values in sides
        for load, metrics in values.items()
        if any(value is not None for value in metrics.values())
    }


def metric_rows(
    baseline: Sequence[Values], candidate: Sequence[Values], declared: Iterable[Key]
) -> list[Row]:
    """Rows of every directed metric at every load that either side measured, and of the declared ones.

    ``baseline[k]`` and ``candidate[k]`` are the sides of block k.
    """
    keys = sorted({*declared, *_keys([*baseline, *candidate])})
    if not keys:
        return []
    before, absent_before = _matrix(keys, baseline)
    after, absent_after = _matrix(keys, candidate)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(after) - np.log(before)
    ratios *= np.array([sign(METRICS[key]) for key, _load in keys])[:, None]
    both = ~(absent_before | absent_after)
    problems = _problems(before, after, absent_before, absent_after)
    rows = []
    for index, (key, load) in enumerate(keys):
        found = problems[index]
        values = () if found else (ratios[index][both[index]],)
        notes = () if found or both[index].all() else (Reason.BLOCKS_INCOMPLETE,)
        resolution = _resolution(key, before[index], after[index]) if values else 0.0
        rows.append(Row(METRICS[key], Basis.FIXED_LOAD, load, (load,), values, found, notes, resolution))
    return rows


def unpaired_rows(
    baseline: Sequence[Values], candidate: Sequence[Values], declared: Iterable[Key]
) -> list[Row]:
    """The same for launches that belong to no blocks; the sides need not be equally many."""
    keys = sorted({*declared, *_keys([*baseline, *candidate])})
    if not keys:
        return []
    before, absent_before = _matrix(keys, baseline)
    after, absent_after = _matrix(keys, candidate)
    problems = _problems(before, after, absent_before, absent_after)
    rows = []
    for index, (key, load) in enumerate(keys):
        samples: tuple[Array, ...] = ()
        if not problems[index]:
            known = (before[index][~absent_before[index]], after[index][~absent_after[index]])
            samples = tuple(sign(METRICS[key]) * np.log(values) for values in known)
        rows.append(Row(METRICS[key], Basis.FIXED_LOAD, load, (load,), samples, problems[index]))
    return rows


def across_loads(rows: Iterable[Row], blocks: int) -> list[Row]:
    """Geometric mean over the loads that every block measured on both sides, block by block.

    The block is the unit: a slow hour hits all its loads alike. Metrics with fewer than two such loads
    give no row.
    """
    complete: dict[str, list[Row]] = {}
    for row in rows:
        if row.samples and row.n == blocks:
            complete.setdefault(row.metric.key, []).append(row)
    return [
        Row(
            same[0].metric,
            Basis.ACROSS_LOADS,
            None,
            tuple(row.loads[0] for row in same),
            (sum((row.samples[0] for row in same), np.zeros(blocks)) / len(same),),
        )
        for same in complete.values()
        if len(same) > 1
    ]


def _keys(sides: Iterable[Values]) -> set[Key]:
    names: dict[int, set[str]] = {}
    for values in sides:
        for load, metrics in values.items():
            present = (key for key, value in metrics.items() if value is not None)
            names.setdefault(load, set()).update(present)
    return {(key, load) for load, keys in names.items() for key in keys if _directed(key)}


def _directed(key: str) -> bool:
    """What has no entry in the registry has no direction, so it is not compared."""
    return key in METRICS and METRICS[key].direction is not Direction.NEUTRAL


def _matrix(keys: Sequence[Key], sides: Sequence[Values]) -> tuple[Array, NDArray[np.bool_]]:
    """Values (rows, blocks), NaN where nothing was measured, and where that is."""
    nothing: Mapping[str, float | None] = {}
    at_load = {load: [side.get(load, nothing) for side in sides] for load in {load for _key, load in keys}}
    cells: list[list[Any]] = [[metrics.get(key) for metrics in at_load[load]] for key, load in keys]
    values = np.array(cells, dtype=np.float64)
    absent = np.isnan(values)
    for row, column in np.argwhere(absent):
        # A NaN that was measured is a fault and not an absence.
        absent[row, column] = cells[row][column] is None
    return values, absent


def _problems(
    before: Array, after: Array, absent_before: NDArray[np.bool_], absent_after: NDArray[np.bool_]
) -> list[tuple[Reason, ...]]:
    """Why rows have no ratio. One bad value spoils its row: nothing is imputed and nothing dropped."""
    with np.errstate(invalid="ignore"):
        checks = (
            (Reason.BASELINE_MISSING, absent_before.all(axis=1)),
            (Reason.CANDIDATE_MISSING, absent_after.all(axis=1)),
            (Reason.NOT_FINITE, _odd(before, absent_before) | _odd(after, absent_after)),
            (Reason.BASELINE_ZERO, (before == 0).any(axis=1)),
            (Reason.NOT_POSITIVE, (before < 0).any(axis=1) | (after <= 0).any(axis=1)),
        )
    found: list[tuple[Reason, ...]] = [()] * len(before)
    for reason, hits in checks:
        for index in np.flatnonzero(hits):
            found[index] = (*found[index], reason)
    return found


def _odd(values: Array, absent: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows with a measured value that is no number."""
    odd: NDArray[np.bool_] = np.any(~absent & ~np.isfinite(values), axis=1)
    return odd


def _resolution(key: str, before: Array, after: Array) -> float:
    """Rounding to whole counts has deviation step / sqrt(12) on each side, relative to the value."""
    step = _COUNTERS.get(key, 0.0)
    if not step:
        return 0.0
    return step / math.sqrt(12) * math.hypot(1 / float(np.nanmean(before)), 1 / float(np.nanmean(after)))


def _averaged(parts: Sequence[Values]) -> Values:
    merged: dict[int, dict[str, float | None]] = {}
    for load in measured_loads(parts):
        names = {key for part in parts for key in part.get(load, {})}
        merged[load] = {key: _log_mean([part.get(load, {}).get(key) for part in parts]) for key in names}
    return merged


def _log_mean(values: Sequence[float | None]) -> float | None:
    """Geometric mean of what was measured; a value that has no logarithm is handed on to be refused."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    bad = next((value for value in known if not (math.isfinite(value) and value > 0)), None)
    return math.exp(math.fsum(map(math.log, known)) / len(known)) if bad is None else bad

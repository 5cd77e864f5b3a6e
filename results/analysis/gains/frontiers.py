"""Gain along a frontier at equal x, for instance throughput per GPU at equal interactivity.

This is not the gain at equal load: the frontier is steep, so a speed-up of everything by 3 % can be 10 %
here.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from results.analysis.frontier import Candidate, frontier
from results.analysis.gains.blocks import Values
from results.analysis.gains.inference import fraction, paired
from results.analysis.gains.plan import FrontierAxes
from results.analysis.gains.rows import Row, sign
from results.analysis.gains.verdicts import FrontierMark, Shift
from results.analysis.gains.vocabulary import Basis, Reason
from results.analysis.interpolation import Line, common_range
from results.metrics import METRICS

Array = NDArray[np.float64]

#: Places over the common range, equally spaced in ln x, at which curves are compared.
GRID = 32
#: Places of the marks on an interactivity axis, in tokens per second and user.
MARKS: dict[str, tuple[float, ...]] = {"tok/s/user": (20.0, 50.0, 100.0)}
#: Held equal, and gained at it, where no plan names axes: the first pair that was measured.
USUAL = tuple(
    FrontierAxes("interactivity_p50", y)
    for y in (
        "total_throughput_per_gpu",
        "output_throughput_per_gpu",
        "total_throughput",
        "output_throughput",
    )
)


@dataclass(frozen=True, slots=True)
class FrontierSample:
    """Curves of each block and side, and the x range that all of them share."""

    axes: FrontierAxes
    loads: tuple[int, ...]
    baseline: tuple[Line, ...]
    candidate: tuple[Line, ...]
    low: float
    high: float


def usual_axes(*sides: Sequence[Values]) -> FrontierAxes | None:
    """The first usual pair that every repeat measured at two loads or more; None without one."""
    repeats = [values for side in sides for values in side]
    fitting = (axes for axes in USUAL if all(len(_loads(values, axes)) > 1 for values in repeats))
    return next(fitting, None) if repeats else None


def frontier_sample(
    baseline: Sequence[Values], candidate: Sequence[Values], axes: FrontierAxes
) -> FrontierSample | tuple[Reason, ...]:
    """One curve per block and side through its undominated points, or why there can be no comparison.

    More points, or the best of more repeats, raise a frontier by themselves. Therefore all curves rest on
    the same loads, one value each, or the comparison is refused.
    """
    loads = {_loads(values, axes) for values in (*baseline, *candidate)}
    if len(loads) != 1:
        return (Reason.LOADS_DIFFER,)
    curves = [tuple(_line(values, axes) for values in side) for side in (baseline, candidate)]
    before, after = (tuple(curve for curve in side if curve is not None) for side in curves)
    if len(before) < len(baseline) or len(after) < len(candidate):
        return (Reason.NOT_POSITIVE,)
    shared = common_range([*before, *after])
    if shared is None or not 0 < shared[0] < shared[1]:
        return (Reason.NO_COMMON_RANGE,)
    return FrontierSample(axes, loads.pop(), before, after, *shared)


def frontier_row(sample: FrontierSample | tuple[Reason, ...], axes: FrontierAxes) -> Row:
    """Mean log-ratio of each block over the common range, ready to be judged like any other row."""
    metric = METRICS[axes.y]
    if isinstance(sample, tuple):
        return Row(metric, Basis.FRONTIER, None, (), problems=sample)
    grid = np.geomspace(sample.low, sample.high, GRID)
    return Row(metric, Basis.FRONTIER, None, sample.loads, (_differences(sample, grid).mean(axis=1),))


def marks(sample: FrontierSample, alpha: float) -> tuple[FrontierMark, ...]:
    """Gain at fixed places of the axis, which readers know by heart; never outside the common range."""
    places = MARKS.get(METRICS[sample.axes.x].unit, ())
    return tuple(FrontierMark(x, _mark(sample, x, alpha)) for x in places)


def area_shift(sample: FrontierSample, alpha: float) -> Shift | None:
    """Gain of the area under the curve over the common range; mostly made by its high-throughput end."""
    curves = sample.baseline, sample.candidate
    before, after = ([curve.mean(sample.low, sample.high) for curve in side] for side in curves)
    direction = sign(METRICS[sample.axes.y])
    ratios = [direction * math.log(b / a) for a, b in zip(before, after, strict=True) if a and b]
    return shift(np.array(ratios), alpha)


def shift(differences: Array, alpha: float) -> Shift | None:
    """t interval of (n,) log-ratios as a gain; None for n < 3 and where nothing varies."""
    if len(differences) < 3:
        return None
    found = paired(differences[None, :], alpha)
    if found.deviation[0] == 0:
        return None
    gain, low, high = (fraction(float(one[0])) for one in (found.mean, found.low, found.high))
    return Shift(len(differences), gain, low, high, float(found.p[0]))


def median_points(sides: Sequence[Values], axes: FrontierAxes) -> list[Candidate]:
    """What is drawn for one side: the median over its repeats at each load, before any dominance.

    The best of several repeats would beat the best of fewer for no reason.
    """
    points = []
    for load in sorted({load for values in sides for load in values}):
        places = [_place(values, load, axes) for values in sides]
        known = [place for place in places if place is not None]
        if known:
            x, y = (median(place[axis] for place in known) for axis in (0, 1))
            points.append(Candidate(load, load, x, y))
    return points


def _loads(values: Values, axes: FrontierAxes) -> tuple[int, ...]:
    return tuple(sorted(load for load in values if _place(values, load, axes) is not None))


def _place(values: Values, load: int, axes: FrontierAxes) -> tuple[float, float] | None:
    x, y = values.get(load, {}).get(axes.x), values.get(load, {}).get(axes.y)
    return None if x is None or y is None else (x, y)


def _line(values: Values, axes: FrontierAxes) -> Line | None:
    """None where a place is not positive and finite: it has no logarithm."""
    places = {load: place for load in values if (place := _place(values, load, axes)) is not None}
    if any(not (math.isfinite(value) and value > 0) for place in places.values() for value in place):
        return None
    points = [Candidate(load, load, x, y) for load, (x, y) in places.items()]
    knots = frontier(points, x=METRICS[axes.x].direction, y=METRICS[axes.y].direction).knots
    return Line(knots) if knots else None


def _differences(sample: FrontierSample, xs: Array) -> Array:
    """(blocks, places) signed log-ratios at equal x."""
    # Rounding of the grid must not leave the range.
    places = xs.clip(sample.low, sample.high).tolist()
    before, after = (
        np.log(np.array([[curve.at(x) for x in places] for curve in side], dtype=np.float64))
        for side in (sample.baseline, sample.candidate)
    )
    differences: Array = sign(METRICS[sample.axes.y]) * (after - before)
    return differences


def _mark(sample: FrontierSample, x: float, alpha: float) -> Shift | None:
    if not sample.low <= x <= sample.high:
        return None
    return shift(_differences(sample, np.array([x]))[:, 0], alpha)

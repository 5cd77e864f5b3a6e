"""The line through a frontier: what is drawn is what is interpolated, and nothing lies outside the knots.

Piecewise cubic Hermite interpolation with Fritsch-Carlson slopes (PCHIP) on linear axes. It is monotone
between knots, so it never promises more than the better of two neighbours. Throughput is interpolated;
cost and energy are derived from the interpolated throughput, see ``Line.derived``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from results.analysis.frontier import Knot

#: Knots nearer than this share of the x range are one place: no measurement tells them apart.
RESOLUTION = 1e-9
#: Drawn places per gap between two knots.
PER_GAP = 12

Floats = NDArray[np.float64]
#: Makes a number, or None, of an interpolated one.
Derivation = Callable[[float], float | None]


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """|predicted - measured| / measured of each inner knot when the line is drawn without it, by knot id."""

    errors: dict[int, float]

    @property
    def median(self) -> float:
        return median(self.errors.values())

    @property
    def maximum(self) -> float:
        return max(self.errors.values())


@dataclass(frozen=True)
class Line:
    """A monotone line through the knots of one frontier. ValueError without knots or for x not ascending."""

    knots: tuple[Knot, ...]

    def __post_init__(self) -> None:
        if not self.knots:
            raise ValueError("a line needs at least one knot")
        if any(after.x <= before.x for before, after in pairwise(self.knots)):
            raise ValueError("the knots of a line have ascending x")

    @property
    def low(self) -> float:
        return self.knots[0].x

    @property
    def high(self) -> float:
        return self.knots[-1].x

    def at(self, x: float) -> float | None:
        """y at ``x``; None outside the measured range: nothing is extrapolated."""
        return float(self._values(np.array([x]))[0]) if self.low <= x <= self.high else None

    def values(self, xs: Floats) -> Floats:
        """y at each of many x; ValueError for one outside the measured range."""
        if xs.size and not (self.low <= xs.min() and xs.max() <= self.high):
            raise ValueError("x lies outside the measured range")
        return self._values(xs)

    def neighbours(self, x: float) -> tuple[Knot, ...]:
        """The knot at ``x``, or those left and right of it, or the end knot that is nearest."""
        below = [knot for knot in self.knots if knot.x <= x]
        above = [knot for knot in self.knots if knot.x >= x]
        ends = (*below[-1:], *above[:1])
        return ends[:1] if ends[0] == ends[-1] else ends

    def places(self, *, x_log: bool = False, per_gap: int = PER_GAP) -> tuple[tuple[float, float], ...]:
        """The line as places in ascending x, every knot among them; ``x_log`` spaces them for a log axis."""
        xs = self._samples(x_log=x_log, per_gap=per_gap)
        return tuple(zip(xs.tolist(), self._values(xs).tolist(), strict=True))

    def derived(
        self, derivation: Derivation, *, x_log: bool = False, per_gap: int = PER_GAP
    ) -> tuple[tuple[float, float], ...]:
        """The line of a number that is derived from y, such as cost from throughput; None is left out."""
        places = ((x, derivation(y)) for x, y in self.places(x_log=x_log, per_gap=per_gap))
        return tuple((x, y) for x, y in places if y is not None)

    def mean(self, low: float, high: float) -> float | None:
        """Area under the line from ``low`` to ``high`` / (high - low); None unless all of it was measured."""
        if not self.low <= low < high <= self.high:
            return None
        scale_x, scale_y = self._scales
        area = self._spline.integrate(low / scale_x, high / scale_x)
        return float(area) * scale_y / (high / scale_x - low / scale_x)

    def leave_one_out(self) -> LeaveOneOut | None:
        """How far the line is from knots it does not know; None below three knots, where that is unknown."""
        errors = {}
        for place, knot in enumerate(self.knots[1:-1], start=1):
            predicted = Line(self.knots[:place] + self.knots[place + 1 :]).at(knot.x)
            if predicted is not None and knot.y != 0:
                errors[knot.id] = abs(predicted - knot.y) / abs(knot.y)
        return LeaveOneOut(errors) if errors else None

    @cached_property
    def _axes(self) -> tuple[Floats, Floats]:
        return (
            np.array([knot.x for knot in self.knots], dtype=np.float64),
            np.array([knot.y for knot in self.knots], dtype=np.float64),
        )

    @cached_property
    def _scales(self) -> tuple[float, float]:
        """Largest magnitudes: cubic coefficients of raw bytes or nanoseconds could overflow."""
        xs, ys = self._axes
        return (float(np.abs(xs).max()) or 1.0, float(np.abs(ys).max()) or 1.0)

    @cached_property
    def _spline(self) -> Any:
        xs, ys = (axis / scale for axis, scale in zip(self._axes, self._scales, strict=True))
        apart = _apart(xs)
        # A slope that nearly vanishes has an infinite reciprocal; the harmonic mean makes it 0 again.
        with np.errstate(over="ignore"):
            return PchipInterpolator(xs[apart], ys[apart], extrapolate=False)

    def _values(self, xs: Floats) -> Floats:
        """y at each x of the range: exact at knots, elsewhere between those of the neighbours."""
        knot_x, knot_y = self._axes
        at = np.searchsorted(knot_x, xs, side="left").clip(0, len(knot_x) - 1)
        hit: NDArray[np.bool_] = knot_x[at] == xs
        values: Floats = knot_y[at]
        if not hit.all():
            scale_x, scale_y = self._scales
            between = self._spline(xs[~hit] / scale_x) * scale_y
            ends = np.stack([knot_y[at[~hit] - 1], knot_y[at[~hit]]])
            values[~hit] = np.clip(between, ends.min(axis=0), ends.max(axis=0))
        return values

    def _samples(self, *, x_log: bool, per_gap: int) -> Floats:
        knot_x = self._axes[0]
        if x_log and self.low > 0:
            parts = [np.geomspace(a, b, per_gap, endpoint=False) for a, b in pairwise(knot_x)]
        else:
            parts = [np.linspace(a, b, per_gap, endpoint=False) for a, b in pairwise(knot_x)]
        for part, start in zip(parts, knot_x, strict=False):
            part[0] = start
        samples: Floats = np.unique(np.concatenate([*parts, knot_x[-1:]]).clip(self.low, self.high))
        return samples


def _apart(xs: Floats) -> list[int]:
    """Indices of knots that are far enough from each other; both ends are always among them."""
    least = RESOLUTION * float(xs[-1] - xs[0])
    kept = [0]
    for index in range(1, len(xs) - 1):
        if xs[index] - xs[kept[-1]] > least and xs[-1] - xs[index] > least:
            kept.append(index)
    return [*kept, len(xs) - 1]


def common_range(lines: Sequence[Line]) -> tuple[float, float] | None:
    """Largest x range that all lines have measured; None when they have none or there is no line."""
    if not lines:
        return None
    low, high = max(line.low for line in lines), min(line.high for line in lines)
    return (low, high) if low <= high and math.isfinite(high - low) else None

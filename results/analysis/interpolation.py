"""The line through a frontier: what is drawn is what is interpolated, and nothing lies outside the knots.

Piecewise cubic Hermite interpolation with the slopes of Fritsch and Butland, known as PCHIP, on linear
axes. It is monotone, so between two knots it never promises more than the better of them. Throughput is
interpolated; cost and energy are derived from the interpolated throughput, see ``Line.derived``.

The tests hold it to SciPy's ``PchipInterpolator``, which takes ten times as long for lines of so few knots
and overflows where knots nearly coincide: here every slope is a share of that of its gap.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from results.analysis.frontier import Knot

#: Drawn places per gap between two knots.
PER_GAP = 12

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


class Gap(NamedTuple):
    """The line between two knots; ``start`` and ``end`` are its slopes there over (y1 - y0) / (x1 - x0).

    Both are in [0, 3], which makes the cubic monotone (Fritsch and Carlson 1980).
    """

    x0: float
    x1: float
    y0: float
    y1: float
    start: float
    end: float

    def at(self, x: float) -> float:
        t = (x - self.x0) / (self.x1 - self.x0)
        rest = 1 - t
        share = t * rest * (self.start * rest - self.end * t) + t * t * (3 - 2 * t)
        value = self.y0 + (self.y1 - self.y0) * share
        # Rounding must not push the result out of the interval it interpolates.
        return min(max(value, min(self.y0, self.y1)), max(self.y0, self.y1))

    def area(self, low: float, high: float) -> float:
        """Integral from ``low`` to ``high``, both cut to the gap."""
        width = self.x1 - self.x0
        t0, t1 = (min(max((x - self.x0) / width, 0.0), 1.0) for x in (low, high))
        share = self._integral(t1) - self._integral(t0)
        return width * (self.y0 * (t1 - t0) + (self.y1 - self.y0) * share)

    def _integral(self, t: float) -> float:
        start = t**2 / 2 - 2 * t**3 / 3 + t**4 / 4
        end = t**4 / 4 - t**3 / 3
        return self.start * start + self.end * end + t**3 - t**4 / 2


@dataclass(frozen=True)
class Line:
    """A monotone line through the knots of one frontier.

    ValueError without knots, and unless x rises and y strictly rises or strictly falls, as on a frontier.
    """

    knots: tuple[Knot, ...]

    def __post_init__(self) -> None:
        if not self.knots:
            raise ValueError("a line needs at least one knot")
        steps = list(pairwise(self.knots))
        rising = all(before.y < after.y for before, after in steps)
        falling = all(before.y > after.y for before, after in steps)
        if not (rising or falling) or any(before.x >= after.x for before, after in steps):
            raise ValueError("the knots of a line have ascending x and strictly monotone y")

    @property
    def low(self) -> float:
        return self.knots[0].x

    @property
    def high(self) -> float:
        return self.knots[-1].x

    def at(self, x: float) -> float | None:
        """y at ``x``; None outside the measured range: nothing is extrapolated."""
        if not self.low <= x <= self.high:
            return None
        place = bisect_right(self.knots, x, key=lambda knot: knot.x) - 1
        knot = self.knots[place]
        return knot.y if knot.x == x else self._gaps[place].at(x)

    def neighbours(self, x: float) -> tuple[Knot, ...]:
        """The knot at ``x``, or those left and right of it, or the end knot that is nearest."""
        below = [knot for knot in self.knots if knot.x <= x]
        above = [knot for knot in self.knots if knot.x >= x]
        ends = (*below[-1:], *above[:1])
        return ends[:1] if ends[0] == ends[-1] else ends

    def places(self, *, x_log: bool = False, per_gap: int = PER_GAP) -> tuple[tuple[float, float], ...]:
        """The line as places in ascending x, every knot among them; ``x_log`` spaces them for a log axis."""
        drawn: list[tuple[float, float]] = []
        for gap in self._gaps:
            drawn.append((gap.x0, gap.y0))
            drawn += ((x, gap.at(x)) for x in _between(gap, per_gap, x_log=x_log))
        return (*drawn, (self.high, self.knots[-1].y))

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
        return math.fsum(gap.area(low, high) for gap in self._gaps) / (high - low)

    def leave_one_out(self) -> LeaveOneOut | None:
        """How far the line is from knots it does not know; None below three knots, where that is unknown."""
        errors = {}
        for place, knot in enumerate(self.knots[1:-1], start=1):
            # The line depends on two knots to each side and on no others.
            left, right = self.knots[max(0, place - 2) : place], self.knots[place + 1 : place + 3]
            if knot.y != 0:
                predicted = _gap((*left, *right), len(left) - 1).at(knot.x)
                errors[knot.id] = abs(predicted - knot.y) / abs(knot.y)
        return LeaveOneOut(errors) if errors else None

    @cached_property
    def _gaps(self) -> tuple[Gap, ...]:
        return _gaps(self.knots)


def _gaps(knots: Sequence[Knot]) -> tuple[Gap, ...]:
    return tuple(_gap(knots[max(0, n - 1) : n + 3], min(n, 1)) for n in range(len(knots) - 1))


def _gap(knots: Sequence[Knot], place: int) -> Gap:
    """That between the knots ``place`` and ``place + 1``."""
    widths = [after.x - before.x for before, after in pairwise(knots)]
    rises = [after.y - before.y for before, after in pairwise(knots)]
    before, after = knots[place], knots[place + 1]
    start, end = (_slope(widths, rises, place, other) for other in (place - 1, place + 1))
    return Gap(before.x, after.x, before.y, after.y, start, end)


def _slope(widths: Sequence[float], rises: Sequence[float], place: int, other: int) -> float:
    """Slope of a gap where it meets the gap ``other``, or at the free end where there is none."""
    inside = range(len(widths))
    if other in inside:
        return _inner(widths[place], widths[other], _ratio(widths, rises, place, other))
    opposite = 2 * place - other
    if opposite in inside:
        return _outer(widths[place], widths[opposite], _ratio(widths, rises, opposite, place))
    return 1.0


def _ratio(widths: Sequence[float], rises: Sequence[float], of: int, to: int) -> float:
    """Slope of one gap over that of another; not negative, because the knots are monotone."""
    return (rises[of] / rises[to]) * (widths[to] / widths[of])


def _inner(width: float, other: float, steepness: float) -> float:
    """Weighted harmonic mean of both gaps' slopes over this gap's, which is ``steepness`` of the other's."""
    mine, theirs = width + 2 * other, 2 * width + other
    return _share((mine + theirs) / (mine + theirs * steepness))


def _outer(width: float, other: float, steepness: float) -> float:
    """Slope of the parabola through three knots at its free end; ``steepness``: other slope over mine."""
    return _share((2 * width + other - width * steepness) / (width + other))


def _share(slope: float) -> float:
    """Kept monotone; a number beyond all measure, which has no quotient, makes the gap straight."""
    return 1.0 if math.isnan(slope) else min(max(slope, 0.0), 3.0)


def _between(gap: Gap, per_gap: int, *, x_log: bool) -> Iterator[float]:
    """Ascending x strictly inside the gap, ``per_gap - 1`` of them unless the knots nearly coincide."""
    reached = gap.x0
    for number in range(1, per_gap):
        t = number / per_gap
        x = gap.x0 ** (1 - t) * gap.x1**t if x_log and gap.x0 > 0 else gap.x0 + t * (gap.x1 - gap.x0)
        if reached < x < gap.x1:
            reached = x
            yield x


def common_range(lines: Sequence[Line]) -> tuple[float, float] | None:
    """Largest x range that all lines have measured; None when they have none or there is no line."""
    if not lines:
        return None
    low, high = max(line.low for line in lines), min(line.high for line in lines)
    return (low, high) if low <= high else None

"""Forest plot: one line per judged quantity, its gain as a mark on its interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: Places of a 640 x n*24 drawing, in px.
WIDTH, LEFT, RIGHT, ROW = 640, 200, 608, 24


@dataclass(frozen=True, slots=True)
class Interval:
    """What is drawn: fractions; ``verdict`` chooses the mark."""

    label: str
    gain: float
    low: float
    high: float
    verdict: str


@dataclass(frozen=True, slots=True)
class Line:
    """One drawn interval; places in px."""

    label: str
    verdict: str
    y: int
    middle: int
    left: float
    mark: float
    right: float
    cut: bool


@dataclass(frozen=True, slots=True)
class Forest:
    """``zero`` is where "no difference" stands; ``ticks`` are (place, fraction)."""

    height: int
    zero: float
    ticks: tuple[tuple[float, float], ...]
    lines: tuple[Line, ...]


def forest(intervals: Sequence[Interval]) -> Forest | None:
    """The drawing, or None for nothing; the scale is symmetric and ends beyond the widest mark.

    An interval that leaves the drawing is cut at its edge and says so.
    """
    if not intervals:
        return None
    reach = _round_up(max(*(1.2 * abs(one.gain) for one in intervals), *map(_near, intervals), 0.02))
    lines = tuple(_line(one, row, reach) for row, one in enumerate(intervals))
    ticks = tuple((_place(share * reach, reach), share * reach) for share in (-1, -0.5, 0, 0.5, 1))
    return Forest(height=ROW * (len(intervals) + 1), zero=_place(0, reach), ticks=ticks, lines=lines)


def _round_up(reach: float) -> float:
    """The next of 1, 2, 4, 6, 8 or 10 times a power of ten, so that half of it is a short number too."""
    scale = 10.0 ** math.floor(math.log10(reach))
    return next(step * scale for step in (1, 2, 4, 6, 8, 10) if step * scale >= reach * (1 - 1e-9))


def _near(one: Interval) -> float:
    """How far the nearer end lies from zero, so that at least one end of each interval is seen."""
    return min(abs(one.low), abs(one.high))


def _line(one: Interval, row: int, reach: float) -> Line:
    low, high = max(one.low, -reach), min(one.high, reach)
    return Line(
        label=one.label,
        verdict=one.verdict,
        y=ROW * row,
        middle=ROW * row + ROW // 2,
        left=_place(low, reach),
        mark=_place(one.gain, reach),
        right=_place(high, reach),
        cut=low != one.low or high != one.high,
    )


def _place(fraction: float, reach: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * (fraction / reach + 1) / 2, 1)

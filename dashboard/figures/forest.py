"""Forest plot: one line per judged quantity, its gain as a mark on its interval.

Gains are ratios, so places are logarithms: twice as good lies as far from "no difference" as half as good.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

#: Places of a 640 px wide drawing, in px.
WIDTH, LEFT, RIGHT, ROW = 640, 200, 608, 24
#: Labels of ticks need this much room, in px.
_APART = 56
#: A gain of -100 % or less has no logarithm.
_LEAST = -0.9999
_LOSSES = (-0.01, -0.02, -0.05, -0.1, -0.2, -0.5, -0.8, -0.9, -0.99)


@dataclass(frozen=True, slots=True)
class Interval:
    """What is drawn: fractions; ``verdict`` chooses the mark. ``group`` heads those that share it.

    A claim has no interval: its ends are its gain, and its verdict is ``claimed``.
    """

    label: str
    gain: float
    low: float
    high: float
    verdict: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One drawn interval; places in px."""

    label: str
    verdict: str
    middle: int
    left: float
    mark: float
    right: float
    cut: bool


@dataclass(frozen=True, slots=True)
class Forest:
    """``zero`` is where "no difference" stands; ``ticks``: (place, fraction), ``headings``: (place, text)."""

    height: int
    zero: float
    ticks: tuple[tuple[float, float], ...]
    headings: tuple[tuple[int, str], ...]
    lines: tuple[Line, ...]


def forest(intervals: Sequence[Interval]) -> Forest | None:
    """The drawing, or None for nothing; the scale is symmetric and ends beyond the widest mark.

    An interval that leaves the drawing is cut at its edge and says so.
    """
    if not intervals:
        return None
    reach = 1.1 * max(0.02, *(abs(_log(one.gain)) for one in intervals), *map(_near, intervals))
    rows, headings, lines, group = count(), [], [], ""
    for one in intervals:
        if one.group and one.group != group:
            headings.append((ROW * next(rows) + ROW // 2, one.group))
        group = one.group
        lines.append(_line(one, next(rows), reach))
    height = ROW * (next(rows) + 1)
    return Forest(height, _place(0, reach), _ticks(reach), tuple(headings), tuple(lines))


def _ticks(reach: float) -> tuple[tuple[float, float], ...]:
    """(place, fraction) of short numbers, the outermost first, as many as have room."""
    gains = [step * 10.0**power for power in range(-2, 6) for step in (1, 2, 5)]
    inside = sorted(
        (one for one in (*gains, *_LOSSES) if abs(_log(one)) <= reach), key=lambda one: -abs(_log(one))
    )
    kept = [(_place(0, reach), 0.0)]
    for one in inside:
        place = _place(_log(one), reach)
        if all(abs(place - other) >= _APART for other, _fraction in kept):
            kept.append((place, one))
    return tuple(sorted(kept))


def _near(one: Interval) -> float:
    """How far the nearer end lies from zero, so that at least one end of each interval is seen."""
    return min(abs(_log(one.low)), abs(_log(one.high)))


def _line(one: Interval, row: int, reach: float) -> Line:
    low, high = (min(max(_log(end), -reach), reach) for end in (one.low, one.high))
    return Line(
        label=one.label,
        verdict=one.verdict,
        middle=ROW * row + ROW // 2,
        left=_place(low, reach),
        mark=_place(_log(one.gain), reach),
        right=_place(high, reach),
        cut=low != _log(one.low) or high != _log(one.high),
    )


def _log(fraction: float) -> float:
    return math.log1p(max(fraction, _LEAST))


def _place(logarithm: float, reach: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * (logarithm / reach + 1) / 2, 1)

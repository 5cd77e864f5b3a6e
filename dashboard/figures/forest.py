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


@dataclass(frozen=True, slots=True)
class Scale:
    """Logarithms of ratios from ``low`` < 0 to ``high`` > 0."""

    low: float
    high: float

    def place(self, logarithm: float) -> float:
        share = (logarithm - self.low) / (self.high - self.low)
        return round(LEFT + (RIGHT - LEFT) * share, 1)

    def holds(self, logarithm: float) -> bool:
        return self.low <= logarithm <= self.high


def forest(intervals: Sequence[Interval]) -> Forest | None:
    """The drawing, or None for nothing; zero and every mark lie on the scale.

    An interval that is much wider than the marks lie apart is cut at the edge and says so.
    """
    if not intervals:
        return None
    scale = _scale(intervals)
    rows, headings, lines, group = count(), [], [], ""
    for one in intervals:
        if one.group and one.group != group:
            headings.append((ROW * next(rows) + ROW // 2, one.group))
        group = one.group
        lines.append(_line(one, next(rows), scale))
    height = ROW * (next(rows) + 1)
    return Forest(height, scale.place(0), _ticks(scale), tuple(headings), tuple(lines))


def _scale(intervals: Sequence[Interval]) -> Scale:
    marks = [_log(one.gain) for one in intervals]
    # At least the nearer end of each interval is seen.
    near = [min((_log(one.low), _log(one.high)), key=abs) for one in intervals]
    reach = 1.5 * max(0.02, *map(abs, marks), *map(abs, near))
    ends = [min(max(_log(end), -reach), reach) for one in intervals for end in (one.low, one.high)]
    low, high = min(0.0, *marks, *ends), max(0.0, *marks, *ends)
    room = max(0.02, 0.08 * (high - low))
    return Scale(low - room, high + room)


def _ticks(scale: Scale) -> tuple[tuple[float, float], ...]:
    """(place, fraction) of short numbers, the outermost first, as many as have room."""
    gains = [step * 10.0**power for power in range(-2, 6) for step in (1, 2, 5)]
    inside = [one for one in (*gains, *_LOSSES) if scale.holds(_log(one))]
    kept = [(scale.place(0), 0.0)]
    for one in sorted(inside, key=lambda one: -abs(_log(one))):
        place = scale.place(_log(one))
        if all(abs(place - other) >= _APART for other, _fraction in kept):
            kept.append((place, one))
    return tuple(sorted(kept))


def _line(one: Interval, row: int, scale: Scale) -> Line:
    low, high = (min(max(_log(end), scale.low), scale.high) for end in (one.low, one.high))
    return Line(
        label=one.label,
        verdict=one.verdict,
        middle=ROW * row + ROW // 2,
        left=scale.place(low),
        mark=scale.place(_log(one.gain)),
        right=scale.place(high),
        cut=low != _log(one.low) or high != _log(one.high),
    )


def _log(fraction: float) -> float:
    return math.log1p(max(fraction, _LEAST))

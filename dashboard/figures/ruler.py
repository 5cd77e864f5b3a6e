"""Every line at one x, and its ratio to a first one: no line is read outside what it measured."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dashboard.figures.arrange import Entry
from results.analysis.frontier import Knot
from results.analysis.interpolation import LeaveOneOut
from results.analysis.plane import DrawnLine


@dataclass(frozen=True, slots=True)
class Reading:
    """One line at the ruler; ``value`` is None outside its measured range, whose end ``knots`` then names.

    ``error`` is None where the value is measured itself, or the error unknown.
    """

    entry: Entry
    value: float | None
    ratio: float | None
    knots: tuple[Knot, ...]
    error: LeaveOneOut | None

    @property
    def measured(self) -> bool:
        return self.value is not None and len(self.knots) == 1


def readings(entries: Sequence[Entry], x: float, base: str) -> tuple[Reading, ...]:
    """Shown lines in legend order, the one that is compared with first."""
    lines = [(entry, line) for entry in entries if entry.visible for line in entry.lines.values()]
    lines.sort(key=lambda pair: pair[0].key != base)
    return tuple(_readings(lines, x))


def _readings(lines: Sequence[tuple[Entry, DrawnLine]], x: float) -> Iterable[Reading]:
    under = lines[0][1].at(x) if lines else None
    for entry, line in lines:
        value = line.at(x)
        knots = line.line.neighbours(x)
        known = value is not None and len(knots) > 1
        ratio = None if value is None or not under else value / under
        yield Reading(entry, value, ratio, knots, line.error if known else None)

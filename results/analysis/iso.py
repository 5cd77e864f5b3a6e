"""What different deployments give at the same x, for instance at the same interactivity.

Two answers that must not be mixed: interpolated on each frontier, inside its measured range only; or the
best measured point that is at least as good as a threshold, which needs no interpolation.
Same interactivity is not same concurrency: a uniform speed-up is larger at the former.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from results.analysis.cost import at_throughput
from results.analysis.frontier import Candidate, Knot, frontier
from results.analysis.interpolation import LeaveOneOut, Line
from results.analysis.prices import Rate
from results.metrics import Direction


class Outside(StrEnum):
    """Why there is no number: x lies beyond an end of what was measured."""

    BELOW = "below_measured_range"
    ABOVE = "above_measured_range"


@dataclass(frozen=True, slots=True)
class IsoCell:
    """One line at one x. ``value`` is None iff ``outside`` says why.

    ``knots`` are the measured points that the value lies between, the one it is, or the nearest end;
    ``error`` is the leave-one-out error of the line, None when the value is measured or the error unknown.
    """

    x: float
    value: float | None
    outside: Outside | None
    knots: tuple[Knot, ...]
    error: LeaveOneOut | None

    @property
    def measured(self) -> bool:
        return self.value is not None and len(self.knots) == 1


def iso_cell(line: Line, x: float) -> IsoCell:
    return _cell(line, x, line.leave_one_out())


def iso_table(lines: Mapping[str, Line], xs: Sequence[float]) -> dict[str, tuple[IsoCell, ...]]:
    """A row of cells per line, in the order given."""
    table = {}
    for name, line in lines.items():
        error = line.leave_one_out()
        table[name] = tuple(_cell(line, x, error) for x in xs)
    return table


def iso_ratio(baseline: Line, candidate: Line, x: float) -> float | None:
    """Candidate / baseline at the same x; None unless both measured around it and the baseline is not 0."""
    under, over = baseline.at(x), candidate.at(x)
    return None if under is None or over is None or under == 0 else over / under


def iso_costs(line: Line, x: float, kind: str, rate: Rate) -> dict[str, float]:
    """Derived metrics at ``x``, where y of the line is the throughput per GPU of ``kind`` tokens.

    Empty outside the measured range. Cost times throughput is the price exactly.
    """
    throughput = line.at(x)
    return {} if throughput is None else at_throughput(kind, throughput, rate)


def best_measured(
    candidates: Iterable[Candidate], threshold: float, *, x: Direction, y: Direction
) -> Knot | None:
    """The measured point with the best y among those whose x is at least as good as ``threshold``.

    A point that is better than asked qualifies. Equal y goes to the better x. None when none qualifies.
    """
    knots = frontier(candidates, x=x, y=y, positive_x=True).knots
    sign = 1 if x is Direction.HIGHER else -1
    fitting = [knot for knot in knots if sign * knot.x >= sign * threshold]
    best = max if y is Direction.HIGHER else min
    return best(fitting, key=lambda knot: knot.y) if fitting else None


def _cell(line: Line, x: float, error: LeaveOneOut | None) -> IsoCell:
    outside = Outside.BELOW if x < line.low else Outside.ABOVE if x > line.high else None
    knots = line.neighbours(x)
    interpolated = outside is None and len(knots) > 1
    return IsoCell(x, line.at(x), outside, knots, error if interpolated else None)

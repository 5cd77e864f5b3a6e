"""Points in the plane of two metrics, by group: frontier, canonical frontier and line of each. Pure.

Chart, table, files, permalinks and API get their winners and lines from ``groups`` alone. Membership is
decided here, before an axis, a legend or a limit hides anything.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from results.analysis.agentx import CANONICAL_X
from results.analysis.cost import FORMULAS
from results.analysis.frontier import Candidate, Frontier, Knot, frontier
from results.analysis.interpolation import LeaveOneOut, Line
from results.analysis.prices import Rate
from results.metrics import METRICS, Direction, Metric

#: A recipe that failed its accuracy gate reaches no frontier, however fast it is.
INACCURATE = "inaccurate"
#: Below this many places a gap between two knots is drawn as a corner.
_LEAST_PER_GAP, _MOST_PER_GAP = 3, 12


# A named tuple: pages make thousands of them, and a frozen dataclass takes ten times as long to make.
class Placed(NamedTuple):
    """One point with both numbers.

    ``canonical_x`` is the x of the AgentX rule on agentic scenarios, else None. ``throughput`` and ``rate``
    are what a derived y was made of.
    """

    id: int
    load: int
    group: str
    x: float
    y: float
    validity: str
    accurate: bool = True
    canonical_x: float | None = None
    throughput: float | None = None
    rate: Rate | None = None


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """The line through a frontier; ``derivation`` makes y of what is interpolated, None where y itself is.

    ``error`` is that of the interpolated number, None below three knots.
    """

    line: Line
    derivation: tuple[str, Rate] | None
    error: LeaveOneOut | None

    def at(self, x: float) -> float | None:
        """y at ``x``; None outside the measured range."""
        return self._derived(self.line.at(x))

    def places(self, *, x_log: bool, per_gap: int) -> tuple[tuple[float, float], ...]:
        found = ((x, self._derived(y)) for x, y in self.line.places(x_log=x_log, per_gap=per_gap))
        return tuple((x, y) for x, y in found if y is not None)

    def _derived(self, value: float | None) -> float | None:
        if value is None or self.derivation is None:
            return value
        key, rate = self.derivation
        return FORMULAS[key][1](value, rate) if value > 0 else None


@dataclass(frozen=True, slots=True)
class Group:
    """The winners of one group; ``canonical`` is None on scenarios that have no such rule."""

    frontier: Frontier
    canonical: Frontier | None = None
    drawn: DrawnLine | None = None


@dataclass(frozen=True, slots=True)
class Groups:
    """``excluded`` counts points that take part in no frontier, by reason."""

    by_key: Mapping[str, Group] = field(default_factory=dict)
    excluded: Mapping[str, int] = field(default_factory=dict)

    @property
    def winners(self) -> frozenset[int]:
        return frozenset(one for group in self.by_key.values() for one in group.frontier.ids)

    @property
    def canonical(self) -> frozenset[int]:
        found = (group.canonical.ids for group in self.by_key.values() if group.canonical is not None)
        return frozenset(one for ids in found for one in ids)


def directed(x: Metric, y: Metric) -> bool:
    """Whether the plane has a frontier at all: a number that only describes has no better side."""
    return Direction.NEUTRAL not in (x.direction, y.direction)


def groups(points: Iterable[Placed], x: Metric, y: Metric) -> Groups:
    """Frontiers of every group; without a direction on both axes no group has any."""
    members: dict[str, list[Placed]] = {}
    for point in points:
        members.setdefault(point.group, []).append(point)
    if not directed(x, y):
        return Groups()
    excluded: Counter[str] = Counter()
    found = {key: _group(own, x, y, excluded) for key, own in members.items()}
    return Groups(found, dict(excluded))


def _group(points: Sequence[Placed], x: Metric, y: Metric, excluded: Counter[str]) -> Group:
    accurate = [point for point in points if point.accurate]
    if len(accurate) < len(points):
        excluded[INACCURATE] += len(points) - len(accurate)
    # No latency, speed or concurrency is zero; other numbers may be.
    found = frontier(
        (Candidate(p.id, p.load, p.x, p.y, p.validity) for p in accurate),
        x=x.direction, y=y.direction, positive_x=x.stat is not None,
    )  # fmt: skip
    for reason, count in found.excluded.items():
        excluded[str(reason)] += count
    return Group(found, _canonical(accurate, x, y), _drawn(found.knots, accurate, y))


def _canonical(points: Sequence[Placed], x: Metric, y: Metric) -> Frontier | None:
    if x.key == CANONICAL_X or all(point.canonical_x is None for point in points):
        return None
    candidates = (Candidate(p.id, p.load, p.canonical_x, p.y, p.validity) for p in points)
    return frontier(candidates, x=METRICS[CANONICAL_X].direction, y=y.direction, positive_x=True)


def _drawn(knots: Sequence[Knot], points: Sequence[Placed], y: Metric) -> DrawnLine | None:
    """Throughput is interpolated and cost derived from it, as long as all knots have one price."""
    if not knots:
        return None
    by_id = {point.id: point for point in points}
    first = by_id[knots[0].id]
    derivation = None
    if y.key in FORMULAS and first.rate is not None and _one_rate(by_id[k.id] for k in knots):
        derivation = (y.key, first.rate)
        knots = [_throughput_knot(knot, by_id[knot.id]) for knot in knots]
    line = _line(knots)
    return None if line is None else DrawnLine(line, derivation, line.leave_one_out())


def _one_rate(points: Iterable[Placed]) -> bool:
    return len({point.rate for point in points}) == 1


def _throughput_knot(knot: Knot, point: Placed) -> Knot:
    return Knot(knot.x, float(point.throughput or 0), knot.load, knot.id, knot.ids)


def _line(knots: Sequence[Knot]) -> Line | None:
    """None where rounding made two throughputs of different costs equal, or the other way round."""
    try:
        return Line(tuple(knots))
    except ValueError:
        return None


def per_gap(lines: Iterable[Line], budget: int) -> int:
    """Drawn places per gap so that all lines together have about ``budget`` of them."""
    gaps = sum(1 for line in lines for _pair in pairwise(line.knots))
    return max(_LEAST_PER_GAP, min(_MOST_PER_GAP, budget // max(1, gaps)))

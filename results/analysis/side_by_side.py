"""Several sides next to each other: plain ratios to the first one, with words. No verdict is made here.

A side is whatever was measured under one name: a run, a recipe, all configurations of one hardware.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from results.analysis.frontier import Candidate, Frontier, frontier
from results.analysis.gains.vocabulary import Reason
from results.analysis.interpolation import Line, common_range
from results.metrics import METRICS, Direction

#: Numbers are shown to three significant digits, so a smaller difference cannot be seen and is called equal.
EQUAL = 0.005


class Word(StrEnum):
    """How a value stands to that of the first side; a metric without a better direction only differs."""

    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Sample:
    """One measured point of a side. ``configuration`` tells what was served and asked, all of it."""

    id: int
    configuration: int
    load: int
    validity: str
    x: float | None
    y: float | None


@dataclass(frozen=True, slots=True)
class Cell:
    """Median over ``n`` points of one configuration at one load, at which ``of`` ones were measured."""

    ids: tuple[int, ...]
    load: int
    configuration: int
    x: float | None
    y: float | None
    of: int

    @property
    def n(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Side:
    """A side in the plane of two metrics. ``cells`` holds, by load, the configuration with the best y."""

    candidates: tuple[Candidate, ...]
    frontier: Frontier
    line: Line | None
    cells: Mapping[int, Cell]
    kind: str | None


@dataclass(frozen=True, slots=True)
class Compared:
    """One value beside that of the first side. ``ratio`` and ``word`` are None where ``reason`` says why."""

    value: float | None
    ratio: float | None
    word: Word | None
    reason: Reason | None


def make_side(samples: Iterable[Sample], x: Direction, y: Direction) -> Side:
    """Repeats become their median before any dominance: the best of more repeats would win for no reason.

    Valid points count, diagnostic ones only where nothing is valid; others never do.
    """
    everything = list(samples)
    kind = "valid" if any(one.validity == "valid" for one in everything) else "diagnostic"
    groups: dict[tuple[int, int], list[Sample]] = {}
    for one in sorted(everything, key=lambda sample: sample.id):
        if one.validity == kind:
            groups.setdefault((one.load, one.configuration), []).append(one)
    measured = Counter(load for load, _configuration in groups)
    cells = [_cell(members, measured[members[0].load]) for members in groups.values()]
    candidates = tuple(Candidate(cell.ids[0], cell.load, cell.x, cell.y) for cell in cells)
    found = frontier(candidates, x=x, y=y, positive_x=True)
    return Side(
        candidates=candidates,
        frontier=found,
        line=Line(found.knots) if found.knots else None,
        cells=_best(cells, y),
        kind=kind if cells else None,
    )


def compare_values(key: str, values: Sequence[float | None]) -> tuple[Compared, ...]:
    """Each value beside the first one, which has no ratio. KeyError for an unknown metric."""
    base, direction = values[0], METRICS[key].direction
    first = Compared(base, None, None, Reason.BASELINE_MISSING if base is None else None)
    return (first, *(compared(base, value, direction) for value in values[1:]))


def compared(base: float | None, value: float | None, direction: Direction) -> Compared:
    """value / base, which is None with its reason where it would mean nothing."""
    if value is None:
        return Compared(None, None, None, Reason.CANDIDATE_MISSING)
    if base is None:
        return Compared(value, None, None, Reason.BASELINE_MISSING)
    if base == 0:
        return Compared(value, None, None, Reason.BASELINE_ZERO)
    ratio = value / base
    return Compared(value, ratio, _word(ratio, direction), None)


@dataclass(frozen=True, slots=True)
class Loads:
    """Loads that every side measured, and for each load that not all did, which sides have it."""

    shared: tuple[int, ...]
    partial: Mapping[int, tuple[int, ...]]


def loads_of(sides: Sequence[Side]) -> Loads:
    where: dict[int, list[int]] = {}
    for place, side in enumerate(sides):
        for load in side.cells:
            where.setdefault(load, []).append(place)
    shared = tuple(sorted(load for load, places in where.items() if len(places) == len(sides)))
    partial = {load: tuple(places) for load, places in sorted(where.items()) if load not in shared}
    return Loads(shared, partial)


def usual_places(lines: Sequence[Line], marks: Sequence[float]) -> tuple[float, ...]:
    """Places for a table at equal x: well-known ones that two lines reach, else three of the common range."""
    reached = [x for x in marks if sum(line.low <= x <= line.high for line in lines) > 1]
    if reached:
        return tuple(reached)
    shared = common_range(lines)
    if shared is None:
        return tuple(marks)
    low, high = shared
    inside = (low + share * (high - low) for share in (0.25, 0.5, 0.75))
    return tuple(sorted({float(f"{x:.3g}") for x in inside if low <= float(f"{x:.3g}") <= high}))


def _cell(members: Sequence[Sample], of: int) -> Cell:
    first = members[0]
    return Cell(
        ids=tuple(one.id for one in members),
        load=first.load,
        configuration=first.configuration,
        x=_median(one.x for one in members),
        y=_median(one.y for one in members),
        of=of,
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _best(cells: Iterable[Cell], y: Direction) -> dict[int, Cell]:
    sign = 1 if y is Direction.HIGHER else -1
    ranked = sorted(cells, key=lambda cell: (cell.load, cell.y is None, -sign * (cell.y or 0.0), cell.ids[0]))
    best: dict[int, Cell] = {}
    for cell in ranked:
        best.setdefault(cell.load, cell)
    return best


def _word(ratio: float, direction: Direction) -> Word:
    if abs(ratio - 1) < EQUAL:
        return Word.EQUAL
    if direction is Direction.NEUTRAL:
        return Word.DIFFERENT
    return Word.BETTER if (ratio > 1) == (direction is Direction.HIGHER) else Word.WORSE

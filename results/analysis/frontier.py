"""The Pareto frontier: chart, table, CSV and API all come from this one function."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from results.metrics import Direction


class Exclusion(StrEnum):
    """Why a candidate cannot take part. Absent is not zero, so it can neither win nor lose."""

    X_MISSING = "x_missing"
    Y_MISSING = "y_missing"
    NOT_FINITE = "not_finite"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One point in the plane of two metrics."""

    id: int
    load: int
    x: float | None
    y: float | None


@dataclass(frozen=True, slots=True)
class Knot:
    """A point of the frontier; ``ids`` are all candidates at exactly this place, first the shown one."""

    x: float
    y: float
    load: int
    id: int
    ids: tuple[int, ...]

    @property
    def count(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Frontier:
    """Knots in ascending (x, y, load, id) order, and how many candidates were left out by reason."""

    knots: tuple[Knot, ...]
    excluded: dict[Exclusion, int]


def frontier(candidates: Iterable[Candidate], *, x: Direction, y: Direction) -> Frontier:
    """Candidates that no other one beats: as good in both metrics and better in one.

    Both directions are explicit; ValueError for a neutral one. Candidates at the same place are one
    knot. The result does not depend on the order of the candidates. O(n log n).
    """
    signs = _sign(x), _sign(y)
    places: dict[tuple[float, float], list[Candidate]] = {}
    excluded: dict[Exclusion, int] = {}
    for candidate in candidates:
        reason = _exclusion(candidate)
        if reason is not None:
            excluded[reason] = excluded.get(reason, 0) + 1
        elif candidate.x is not None and candidate.y is not None:
            places.setdefault((candidate.x, candidate.y), []).append(candidate)
    knots = (_knot(place, places[place]) for place in _undominated(places, signs))
    return Frontier(tuple(sorted(knots, key=lambda knot: (knot.x, knot.y, knot.load, knot.id))), excluded)


def _sign(direction: Direction) -> float:
    if direction is Direction.NEUTRAL:
        raise ValueError("a frontier needs a direction on both axes")
    return 1.0 if direction is Direction.HIGHER else -1.0


def _exclusion(candidate: Candidate) -> Exclusion | None:
    if candidate.x is None:
        return Exclusion.X_MISSING
    if candidate.y is None:
        return Exclusion.Y_MISSING
    if not (math.isfinite(candidate.x) and math.isfinite(candidate.y)):
        return Exclusion.NOT_FINITE
    return None


def _undominated(
    places: Iterable[tuple[float, float]], signs: tuple[float, float]
) -> Iterable[tuple[float, float]]:
    """Walk from the best x to the worst and keep what improves y."""
    best = -math.inf
    ranked = sorted(places, key=lambda place: (signs[0] * place[0], signs[1] * place[1]), reverse=True)
    for place in ranked:
        gain = signs[1] * place[1]
        if gain > best:
            best = gain
            yield place


def _knot(place: tuple[float, float], members: list[Candidate]) -> Knot:
    ordered = sorted(members, key=lambda candidate: (candidate.load, candidate.id))
    shown = ordered[0]
    return Knot(place[0], place[1], shown.load, shown.id, tuple(member.id for member in ordered))

"""The Pareto frontier: chart, table, CSV and API all come from this one function."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from results.metrics import Direction


class Exclusion(StrEnum):
    """Why a candidate cannot take part. Absent is not zero, so it can neither win nor lose."""

    FAILED = "failed"
    INVALID = "invalid"
    DIAGNOSTIC = "diagnostic"
    X_MISSING = "x_missing"
    Y_MISSING = "y_missing"
    NOT_FINITE = "not_finite"
    X_NOT_POSITIVE = "x_not_positive"


#: Validities that may share a frontier, each only with its own kind; the first that is present counts.
COMPARABLE = ("valid", "diagnostic")


class Candidate(NamedTuple):
    """One point in the plane of two metrics."""

    id: int
    load: int
    x: float | None
    y: float | None
    validity: str = "valid"


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

    @property
    def ids(self) -> frozenset[int]:
        """Every candidate on the frontier, those at the place of another one included."""
        return frozenset(identifier for knot in self.knots for identifier in knot.ids)


def frontier(
    candidates: Iterable[Candidate], *, x: Direction, y: Direction, positive_x: bool = False
) -> Frontier:
    """Candidates that no other one beats: as good in both metrics and better in one.

    Both directions are explicit; ValueError for a neutral one. All four pairs follow one rule:

    * eligible is what has two finite numbers and is valid, or diagnostic where nothing is valid; with
      ``positive_x`` also x > 0, because no latency, speed or concurrency is zero;
    * of candidates with the same x only the best y stays, and the other way round;
    * candidates at the same place are one knot with a count, shown by the smallest (load, id).

    Membership is decided before any axis, clip or filter of a page hides points. The result does not
    depend on the order of the candidates. O(n log n).
    """
    signs = _sign(x), _sign(y)
    everything = list(candidates)
    kind = comparable(candidate.validity for candidate in everything)
    places: dict[tuple[float, float], list[Candidate]] = {}
    excluded: dict[Exclusion, int] = {}
    for candidate in everything:
        reason = _exclusion(candidate, kind, positive_x=positive_x)
        if reason is not None:
            excluded[reason] = excluded.get(reason, 0) + 1
        elif candidate.x is not None and candidate.y is not None:
            places.setdefault((candidate.x, candidate.y), []).append(candidate)
    knots = (_knot(place, places[place]) for place in _undominated(places, signs))
    return Frontier(tuple(sorted(knots, key=lambda knot: (knot.x, knot.y, knot.load, knot.id))), excluded)


def comparable(validities: Iterable[str]) -> str | None:
    """The validity whose points form the frontier; None when no point may."""
    present = set(validities)
    return next((kind for kind in COMPARABLE if kind in present), None)


def _sign(direction: Direction) -> float:
    if direction is Direction.NEUTRAL:
        raise ValueError("a frontier needs a direction on both axes")
    return 1.0 if direction is Direction.HIGHER else -1.0


def _exclusion(candidate: Candidate, kind: str | None, *, positive_x: bool) -> Exclusion | None:
    if candidate.validity != kind:
        return Exclusion(candidate.validity)
    if candidate.x is None:
        return Exclusion.X_MISSING
    if candidate.y is None:
        return Exclusion.Y_MISSING
    if not (math.isfinite(candidate.x) and math.isfinite(candidate.y)):
        return Exclusion.NOT_FINITE
    return Exclusion.X_NOT_POSITIVE if positive_x and candidate.x <= 0 else None


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


def _knot(place: tuple[float, float], members: Sequence[Candidate]) -> Knot:
    ordered = sorted(members, key=lambda candidate: (candidate.load, candidate.id))
    shown = ordered[0]
    return Knot(place[0], place[1], shown.load, shown.id, tuple(member.id for member in ordered))

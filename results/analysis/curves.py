"""Which run speaks for a recipe: a fold over its runs in measured order. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class CurveRun:
    """A finished run; ``valid`` are its loads with a valid point, ``usable`` those with any usable one.

    ``accepted`` when somebody said that it replaces the published run although it covers less.
    """

    id: UUID
    valid: frozenset[int]
    usable: frozenset[int]
    accepted: bool = False

    def covers(self, other: "CurveRun") -> bool:
        """Nothing that ``other`` shows is lost: neither a load nor the validity of one."""
        return self.valid >= other.valid and self.usable >= other.usable


def published(runs: Sequence[CurveRun]) -> int:
    """The place of the published run among runs in measured order.

    A newer run replaces the one before it only if it covers it, or was accepted. The order in which runs
    became known plays no part.
    """
    standing = 0
    for place, run in enumerate(runs):
        if run.accepted or run.covers(runs[standing]):
            standing = place
    return standing


def missing_loads(newer: CurveRun, standing: CurveRun) -> tuple[int, ...]:
    """Loads that would be lost, or lose their validity, if ``newer`` replaced ``standing``."""
    return tuple(sorted((standing.valid - newer.valid) | (standing.usable - newer.usable)))


def new_loads(newer: CurveRun, standing: CurveRun) -> tuple[int, ...]:
    """Loads that only ``newer`` has."""
    return tuple(sorted(newer.usable - standing.usable))

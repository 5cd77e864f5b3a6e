"""What the runs of comparisons measured, by arm: the frontier picture and the medians of tables."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from django.db.models import Q

from results.metrics import METRICS
from results.models import Point, State
from results.queries.comparisons import ComparisonRow

#: A point that is invalid or failed is no measurement, as for the verdict.
_MEASURED = (Point.Validity.VALID, Point.Validity.DIAGNOSTIC)


@dataclass(frozen=True, slots=True)
class Launch:
    """One point of one run; ``values`` by registry key, absent ones left out."""

    point: int
    arm: str
    block: int
    load: int
    eligible: bool
    values: Mapping[str, float]


def launches(rows: Sequence[ComparisonRow]) -> dict[uuid.UUID, tuple[Launch, ...]]:
    """Measured points by comparison, of its judged metrics and its frontier's axes; one query."""
    keys = sorted({key for row in rows for key in judged(row)} & set(METRICS))
    runs = {member.run for row in rows for member in row.members}
    if not keys:
        return {row.id: () for row in rows}
    points = Point.objects.filter(run__in=runs, validity__in=_MEASURED)
    succeeded = points.filter(Q(attempt__isnull=True) | Q(attempt__state=State.SUCCEEDED))
    found: dict[uuid.UUID, list[tuple[object, ...]]] = {}
    for run, *rest in succeeded.order_by("load", "id").values_list("run_id", "id", "load", "validity", *keys):
        found.setdefault(run, []).append(tuple(rest))
    return {row.id: tuple(_of_row(row, found, keys)) for row in rows}


def judged(row: ComparisonRow) -> tuple[str, ...]:
    """Keys of the declared metrics and of the frontier's axes."""
    if row.verdict is None:
        return ()
    curve = row.verdict.frontier
    along = (curve.x, curve.y) if curve is not None else ()
    return tuple(dict.fromkeys((*(one.metric for one in row.verdict.primary), *along)))


def medians(found: Iterable[Launch], key: str, load: int) -> tuple[float | None, float | None]:
    """Baseline and candidate: medians over launches, None where nothing was measured."""
    values = [(one.arm, one.values[key]) for one in found if one.load == load and key in one.values]
    before, after = ([value for arm, value in values if arm == name] for name in ("A", "B"))
    return (median(before) if before else None), (median(after) if after else None)


def _of_row(
    row: ComparisonRow, found: Mapping[uuid.UUID, Sequence[tuple[object, ...]]], keys: Sequence[str]
) -> Iterable[Launch]:
    for member in row.members:
        for point, load, validity, *values in found.get(member.run, ()):
            known = {key: value for key, value in zip(keys, values, strict=True) if isinstance(value, float)}
            assert isinstance(point, int) and isinstance(load, int)  # noqa: S101 (narrow columns)
            yield Launch(point, member.arm, member.block, load, validity == Point.Validity.VALID, known)

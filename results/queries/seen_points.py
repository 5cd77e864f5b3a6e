"""Points in two steps: first which there are, then the few numbers that a chart asks for of those it shows.

Most of what lies in the scope of a page is not shown: older builds, other validities, what filters leave out.
"""

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from results.metrics import METRICS
from results.models import Point
from results.queries.among import Among
from results.queries.points import RESULT
from results.queries.recipes_seen import RunSeen

#: More than this in one plane are left out, oldest first, and said so.
LIMIT = 100_000


# A named tuple: pages make thousands of them, and a frozen dataclass takes ten times as long to make.
class SeenPoint(NamedTuple):
    """``values`` holds what was measured of the metrics asked for."""

    id: int
    of: RunSeen
    load: int
    validity: str
    reasons: tuple[str, ...]
    rules_version: str
    host: str | None
    measured_at: datetime
    created_at: datetime
    values: Mapping[str, float]

    @property
    def run(self) -> uuid.UUID:
        return self.of.id

    @property
    def label(self) -> str:
        return self.of.label

    @property
    def block(self) -> int | None:
        return self.of.block


class Located(Protocol):
    """What filters and groups read: a point, or all points of a run on a host."""

    @property
    def of(self) -> RunSeen: ...
    @property
    def host(self) -> str | None: ...


class Found(NamedTuple):
    """The points of one run on one host as ``(id, load, validity)``, without their numbers."""

    of: RunSeen
    host: str | None
    points: tuple[tuple[int, int, str], ...]


def current_results(runs: Iterable[uuid.UUID]) -> QuerySet[Point]:
    """Of these runs; of several observations of one load the current one counts."""
    return Point.objects.filter(RESULT, Among("run_id", runs), current=True)


def points_found(runs: Mapping[uuid.UUID, RunSeen]) -> list[Found]:
    """The current results by run and host. One query."""
    rows = _gathered(runs, "run_id", "attempt__host__name")
    return [Found(runs[run], host, tuple(points)) for run, host, points in rows]


def points_of(runs: Iterable[uuid.UUID]) -> dict[uuid.UUID, list[tuple[int, int, str]]]:
    """The current results of these runs as ``(id, load, validity)``, without their numbers. One query."""
    return {run: list(points) for run, points in _gathered(runs, "run_id")}


def _gathered(runs: Iterable[uuid.UUID], *by: str) -> Iterator[tuple[Any, ...]]:
    """What the points are gathered by, and ``(id, load, validity)`` of each."""
    rows = current_results(runs).order_by().values_list(*by)
    found = rows.annotate(ids=ArrayAgg("id"), loads=ArrayAgg("load"), validities=ArrayAgg("validity"))
    for *keys, ids, loads, validities in found:
        yield *keys, zip(ids, loads, validities, strict=True)


_COLUMNS = ("id", "load", "validity", "reasons", "rules_version", "created_at")


def points_seen(chosen: Mapping[int, Found], metrics: Collection[str]) -> list[SeenPoint]:
    """The points of these identifiers, newest first; one query. ``metrics`` are keys of the registry."""
    keys = [key for key in dict.fromkeys(metrics) if key in METRICS]
    rows = Point.objects.filter(Among("id", chosen)).order_by("-id")
    moment = Coalesce("ended_at", "measured_at", "created_at")
    found = rows.annotate(moment=moment).values_list(*_COLUMNS, "moment", *keys)
    return list(_points(found, chosen, keys))


def _points(
    rows: Iterable[tuple[Any, ...]], chosen: Mapping[int, Found], keys: list[str]
) -> Iterable[SeenPoint]:
    places = list(enumerate(keys, start=len(_COLUMNS) + 1))
    for row in rows:
        found = chosen[row[0]]
        yield SeenPoint(
            id=row[0],
            of=found.of,
            load=row[1],
            validity=row[2],
            reasons=tuple(row[3]),
            rules_version=row[4],
            host=found.host,
            measured_at=row[6],
            created_at=row[5],
            values={key: row[place] for place, key in places if row[place] is not None},
        )

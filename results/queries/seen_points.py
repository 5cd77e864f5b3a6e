"""Points with the few numbers that a chart asks for: a point has more columns than a page has use for."""

import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F
from django.db.models.functions import Coalesce

from results.metrics import METRICS
from results.models import Point
from results.queries.points import RESULT
from results.queries.recipes_seen import RunSeen

#: More than this in one plane are left out, oldest first, and said so.
LIMIT = 100_000


@dataclass(frozen=True, slots=True)
class SeenPoint:
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


_COLUMNS = ("id", "run_id", "load", "validity", "reasons", "rules_version", "created_at")


def points_seen(runs: Mapping[uuid.UUID, RunSeen], metrics: Collection[str]) -> tuple[list[SeenPoint], int]:
    """Points of these runs, newest first, and how many lie beyond ``LIMIT``; two queries at most.

    ``metrics`` are keys of the registry. Of several observations of one load the current one counts.
    """
    keys = [key for key in dict.fromkeys(metrics) if key in METRICS]
    chosen = Point.objects.filter(RESULT, current=True, run__in=list(runs))
    moment = Coalesce("ended_at", "measured_at", "created_at")
    rows = chosen.annotate(moment=moment, host=F("attempt__host__name")).order_by("-id")
    found = list(rows.values_list(*_COLUMNS, "moment", "host", *keys)[: LIMIT + 1])
    beyond = chosen.count() - LIMIT if len(found) > LIMIT else 0
    return list(_points(found[:LIMIT], runs, keys)), beyond


def _points(
    rows: Iterable[tuple[Any, ...]], runs: Mapping[uuid.UUID, RunSeen], keys: list[str]
) -> Iterable[SeenPoint]:
    places = list(enumerate(keys, start=len(_COLUMNS) + 2))
    for row in rows:
        yield SeenPoint(
            id=row[0],
            of=runs[row[1]],
            load=row[2],
            validity=row[3],
            reasons=tuple(row[4]),
            rules_version=row[5],
            host=row[8],
            measured_at=row[7],
            created_at=row[6],
            values={key: row[place] for place, key in places if row[place] is not None},
        )

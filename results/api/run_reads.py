"""Runs as the API shows them, in a fixed number of queries."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, IntegerField, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from results.models import Attempt, AttemptArtifact, Point, Run
from results.queries.keyset import Cursor
from results.queries.points import RESULT
from results.queries.pull_runs import PullRunRow, pull_runs

#: Query parameter: lookup.
FILTERS = {
    "state": "state",
    "label": "label",
    "engine": "recipe__engine__slug",
    "hardware": "recipe__hardware__slug",
}
_BULKY = ("log_tail", "telemetry", "phases")


@dataclass(frozen=True, slots=True)
class AttemptRead:
    """One attempt; what is not said here is read from its row."""

    row: Attempt

    @property
    def failure(self) -> dict[str, str] | None:
        return failure_of(self.row)


@dataclass(frozen=True, slots=True)
class RunRead:
    """A run with its attempts in order."""

    run: Run
    point_count: int
    attempts: tuple[AttemptRead, ...]

    @property
    def id(self) -> UUID:
        return self.run.id

    @property
    def newest(self) -> Attempt:
        return self.attempts[-1].row

    @property
    def attempt_count(self) -> int:
        return len(self.attempts)

    @property
    def cancel_requested(self) -> bool:
        return self.run.cancel_requested_at is not None

    @property
    def failure(self) -> dict[str, str] | None:
        return failure_of(self.run)

    @property
    def artifacts(self) -> list[AttemptArtifact]:
        """Files of all attempts, in order of attempt and path; a query of its own."""
        files = AttemptArtifact.objects.filter(attempt__run=self.run).select_related("attempt", "artifact")
        return list(files.order_by("attempt__number", "path"))

    @property
    def pull_request(self) -> PullRunRow | None:
        """What became of its search for a baseline; None if it was not submitted for one. A query."""
        return next(iter(pull_runs(run=self.run)), None)


def failure_of(row: Run | Attempt) -> dict[str, str] | None:
    """Class and first causal log line; None when nothing failed."""
    return {"class": row.failure_class, "line": row.failure_line} if row.failure_class else None


def run_list(params: dict[str, Any], after: Cursor | None) -> tuple[list[RunRead], str | None]:
    """At most ``params["limit"]`` runs, newest first, and the cursor of the next page. Two queries."""
    filters = {lookup: params[name] for name, lookup in FILTERS.items() if name in params}
    rows = _runs(Attempt.objects.defer(*_BULKY)).filter(**filters)
    if after is not None:
        older = Q(created_at__lt=after.created_at) | Q(created_at=after.created_at, id__lt=after.id)
        # The first condition alone bounds the index scan.
        rows = rows.filter(older, created_at__lte=after.created_at)
    limit: int = params["limit"]
    found = list(rows.order_by("-created_at", "-id")[: limit + 1])
    shown = found[:limit]
    more = Cursor(shown[-1].created_at, shown[-1].id).encode() if len(found) > limit else None
    return [_read(run) for run in shown], more


def run_read(run_id: UUID) -> RunRead:
    """One run with attempts. Two queries; Run.DoesNotExist when there is none."""
    return _read(_runs(Attempt.objects.all()).get(id=run_id))


def _runs(attempts: QuerySet[Attempt]) -> QuerySet[Run]:
    points = Point.objects.filter(RESULT, run=OuterRef("id")).order_by().values("run").annotate(n=Count("id"))
    return (
        Run.objects.select_related(
            "recipe__hardware", "recipe__engine", "recipe__language_model", "scenario", "host"
        )
        .annotate(point_count=Coalesce(Subquery(points.values("n"), output_field=IntegerField()), 0))
        .prefetch_related(Prefetch("attempts", attempts.select_related("host").order_by("number")))
    )


def _read(run: Run) -> RunRead:
    annotated: Any = run
    return RunRead(run, annotated.point_count, tuple(map(AttemptRead, run.attempts.all())))

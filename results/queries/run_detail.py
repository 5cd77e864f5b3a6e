"""Everything the page of one run shows. Eight queries whatever the run holds."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.utils.dateparse import parse_datetime

from results.models import LIVE, Attempt, AttemptArtifact, Origin, Point, PointSource, Run
from results.queries.points import point_values
from results.queries.pull_runs import PullRunRow, pull_runs
from results.queries.quarantine import QuarantineRow, quarantine_of_run
from results.queries.recipe_text import differences, flatten
from results.queries.runs import RELATED, RunRow, rows_of

#: Sibling recipes that are worth a look beside this one.
SIBLINGS = 8
#: Files that are listed with an imported run.
SOURCES = 100


@dataclass(frozen=True, slots=True)
class PhaseRow:
    name: str
    load: int | None
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def seconds(self) -> float | None:
        if self.started_at is None or self.ended_at is None:
            return None
        return (self.ended_at - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True)
class ArtifactRow:
    """``size`` in bytes; ``load`` when the file belongs to one load."""

    path: str
    sha256: str
    size: int
    media_type: str
    load: int | None


@dataclass(frozen=True, slots=True)
class AttemptRow:
    number: int
    state: str
    host: str | None
    phase: str
    phase_load: int | None
    progress: float | None
    eta_seconds: float | None
    telemetry: Mapping[str, Any]
    log_tail: str
    phases: tuple[PhaseRow, ...]
    heartbeat_at: datetime | None
    lease_expires_at: datetime | None
    claimed_at: datetime | None
    ended_at: datetime | None
    failure_class: str
    failure_line: str
    artifacts: tuple[ArtifactRow, ...]

    @property
    def live(self) -> bool:
        return self.state in LIVE


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """``values`` holds only what was measured, in registered units."""

    id: int
    load: int
    attempt: int | None
    validity: str
    reasons: tuple[str, ...]
    values: Mapping[str, float]
    planned_window_seconds: float | None
    rules_version: str
    parser_version: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that states points of an imported run."""

    file: int
    path: str
    format: str
    points: int


@dataclass(frozen=True, slots=True)
class Sibling:
    """The newest run of another recipe under the same scenario, and how that recipe differs."""

    id: uuid.UUID
    label: str
    state: str
    here: Mapping[str, str]
    there: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RunDetail:
    row: RunRow
    document: Mapping[str, Any] | None
    recipe: Mapping[str, str]
    hard_limit_seconds: int | None
    attempts: tuple[AttemptRow, ...]
    points: tuple[MeasuredPoint, ...]
    siblings: tuple[Sibling, ...]
    quarantined: tuple[QuarantineRow, ...]
    sources: tuple[SourceFile, ...]
    pull_run: PullRunRow | None

    @property
    def imported(self) -> bool:
        """Its points stand in files of others; there is no attempt, no log and no document."""
        return self.document is None

    @property
    def live(self) -> bool:
        return self.row.state in LIVE

    @property
    def current(self) -> AttemptRow | None:
        return self.attempts[-1] if self.attempts else None


def run_detail(identifier: uuid.UUID) -> RunDetail | None:
    """The run, or None when there is none with this identifier."""
    found = Run.objects.select_related(*RELATED).annotate(point_count=Count("points")).filter(id=identifier)
    run = found.first()
    if run is None:
        return None
    return RunDetail(
        row=rows_of([run])[0],
        document=run.document,
        recipe=flatten(run.recipe.document),
        hard_limit_seconds=run.hard_limit_seconds,
        attempts=_attempts(run),
        points=_points(run),
        siblings=_siblings(run),
        quarantined=quarantine_of_run(run.id),
        sources=_sources(run),
        pull_run=_pull_run(run),
    )


def run_document(identifier: uuid.UUID) -> Mapping[str, Any] | None:
    """The run document alone, as it was submitted."""
    return Run.objects.filter(id=identifier).values_list("document", flat=True).first()


def _attempts(run: Run) -> tuple[AttemptRow, ...]:
    files: dict[int, list[ArtifactRow]] = {}
    uses = AttemptArtifact.objects.filter(attempt__run=run).select_related("artifact").order_by("path")
    for use in uses:
        artifact = use.artifact
        files.setdefault(use.attempt_id, []).append(
            ArtifactRow(use.path, artifact.sha256, artifact.size, artifact.media_type, use.load)
        )
    attempts = run.attempts.select_related("host").order_by("number")
    return tuple(_attempt(attempt, files.get(attempt.id, [])) for attempt in attempts)


def _attempt(attempt: Attempt, files: Sequence[ArtifactRow]) -> AttemptRow:
    return AttemptRow(
        number=attempt.number,
        state=attempt.state,
        host=attempt.host.name if attempt.host is not None else None,
        phase=attempt.phase,
        phase_load=attempt.phase_load,
        progress=attempt.progress,
        eta_seconds=attempt.eta_seconds,
        telemetry=attempt.telemetry,
        log_tail=attempt.log_tail,
        phases=tuple(_phase(item) for item in attempt.phases),
        heartbeat_at=attempt.heartbeat_at,
        lease_expires_at=attempt.lease_expires_at,
        claimed_at=attempt.claimed_at,
        ended_at=attempt.ended_at,
        failure_class=attempt.failure_class,
        failure_line=attempt.failure_line,
        artifacts=tuple(files),
    )


def _phase(item: Mapping[str, Any]) -> PhaseRow:
    return PhaseRow(
        name=str(item["name"]),
        load=item.get("load"),
        started_at=_moment(item.get("started_at")),
        ended_at=_moment(item.get("ended_at")),
    )


def _moment(text: Any) -> datetime | None:
    return parse_datetime(text) if isinstance(text, str) else None


def _points(run: Run) -> tuple[MeasuredPoint, ...]:
    points = Point.objects.filter(run=run).select_related("attempt").order_by("load", "attempt__number")
    return tuple(_point(point) for point in points)


def _point(point: Point) -> MeasuredPoint:
    return MeasuredPoint(
        id=point.id,
        load=point.load,
        attempt=None if point.attempt is None else point.attempt.number,
        validity=point.validity,
        reasons=tuple(point.reasons),
        values=point_values(point),
        planned_window_seconds=point.planned_window_seconds,
        rules_version=point.rules_version,
        parser_version=point.parser_version,
    )


def _sources(run: Run) -> tuple[SourceFile, ...]:
    if run.origin != Origin.IMPORTED:
        return ()
    stated = PointSource.objects.filter(point__run=run).order_by()
    files = stated.values("file_id", "file__path", "file__format").annotate(
        points=Count("point_id", distinct=True)
    )
    return tuple(
        SourceFile(row["file_id"], row["file__path"], row["file__format"], row["points"])
        for row in files.order_by("file__path", "file_id")[:SOURCES]
    )


def _pull_run(run: Run) -> PullRunRow | None:
    """What became of its search for a baseline, if it was submitted for a pull request."""
    return None if run.origin == Origin.IMPORTED else next(iter(pull_runs(run=run)), None)


def _siblings(run: Run) -> tuple[Sibling, ...]:
    others = (
        Run.objects.filter(scenario_id=run.scenario_id, recipe__language_model=run.recipe.language_model_id)
        .exclude(recipe_id=run.recipe_id)
        .select_related("recipe")
        .order_by("recipe_id", "-created_at")
        .distinct("recipe_id")[:SIBLINGS]
    )
    return tuple(_sibling(run, other) for other in others)


def _sibling(run: Run, other: Run) -> Sibling:
    here, there = differences([run.recipe.document, other.recipe.document])
    return Sibling(other.id, other.label, other.state, here, there)

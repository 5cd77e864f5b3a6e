"""The list of runs, newest first. Five queries whatever the number of rows."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast

from results.models import Attempt, Run
from results.queries.keyset import Cursor

PAGE = 50


@dataclass(frozen=True, slots=True)
class RunFilters:
    """``states``, ``label``, ``host`` select; ``search`` looks in what people know a run by."""

    states: tuple[str, ...] = ()
    label: str = ""
    host: str = ""
    search: str = ""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run as a line; ``progress`` in [0, 1], ``eta_seconds`` in seconds, times UTC."""

    id: uuid.UUID
    label: str
    block: int | None
    state: str
    cancel_requested: bool
    hardware: str
    gpu_count: int
    engine: str
    engine_version: str
    model: str
    model_slug: str
    precision: str
    scenario: str
    fingerprint: str
    loads: tuple[int, ...]
    points: int
    attempts: int
    host: str | None
    phase: str
    phase_load: int | None
    progress: float | None
    eta_seconds: float | None
    failure_class: str
    failure_line: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def seconds(self) -> float | None:
        """Wall time from start to end; None while it is not over."""
        if self.started_at is None or self.ended_at is None:
            return None
        return (self.ended_at - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True)
class RunPage:
    rows: tuple[RunRow, ...]
    next: str | None
    #: How many runs each state has under the other filters.
    states: Mapping[str, int]
    labels: tuple[str, ...] = field(default=())
    hosts: tuple[str, ...] = field(default=())

    @property
    def total(self) -> int:
        return sum(self.states.values())


def run_page(filters: RunFilters, after: Cursor | None = None, size: int = PAGE) -> RunPage:
    """``size`` runs that fit, from ``after`` on, with what the filter bar offers."""
    fitting = _searched(filters)
    states = dict(fitting.order_by().values_list("state").annotate(Count("id")))
    chosen = fitting.filter(state__in=filters.states) if filters.states else fitting
    if after is not None:
        chosen = chosen.filter(
            Q(created_at__lt=after.created_at) | Q(created_at=after.created_at, id__lt=after.id)
        )
    runs = list(
        chosen.select_related(*RELATED)
        .annotate(point_count=Count("points"))
        .order_by("-created_at", "-id")[: size + 1]
    )
    more, runs = len(runs) > size, runs[:size]
    return RunPage(
        rows=tuple(rows_of(runs)),
        next=Cursor(runs[-1].created_at, runs[-1].id).encode() if more else None,
        states=states,
        labels=tuple(Run.objects.order_by("label").values_list("label", flat=True).distinct()[:200]),
        hosts=tuple(
            Attempt.objects.filter(host__isnull=False)
            .order_by("host__name")
            .values_list("host__name", flat=True)
            .distinct()[:200]
        ),
    )


RELATED = ("recipe__hardware", "recipe__engine", "recipe__language_model", "scenario")


def _searched(filters: RunFilters) -> QuerySet[Run]:
    runs = Run.objects.all()
    if filters.label:
        runs = runs.filter(label=filters.label)
    if filters.host:
        runs = runs.filter(id__in=Attempt.objects.filter(host__name=filters.host).values("run_id"))
    for word in filters.search.split():
        runs = runs.annotate(id_text=Cast("id", TextField())).filter(_word(word))
    return runs


def _word(word: str) -> Q:
    return (
        Q(label__icontains=word)
        | Q(id_text__startswith=word.lower())
        | Q(recipe__fingerprint__startswith=word.lower())
        | Q(recipe__engine__slug__icontains=word)
        | Q(recipe__engine__name__icontains=word)
        | Q(recipe__hardware__slug__icontains=word)
        | Q(recipe__hardware__name__icontains=word)
        | Q(recipe__language_model__slug__icontains=word)
        | Q(scenario__corpus__icontains=word)
        | Q(state=word.lower())
    )


def rows_of(runs: Iterable[Run]) -> list[RunRow]:
    """Rows of runs that were fetched with ``RELATED`` and ``point_count``; one more query."""
    runs = list(runs)
    newest: dict[uuid.UUID, Attempt] = {}
    attempts = Attempt.objects.filter(run__in=[run.id for run in runs]).select_related("host")
    for attempt in attempts.defer("log_tail", "telemetry", "phases").order_by("number"):
        newest[attempt.run_id] = attempt
    return [_row(run, newest.get(run.id)) for run in runs]


def _row(run: Run, attempt: Attempt | None) -> RunRow:
    recipe = run.recipe
    counted: Any = run
    return RunRow(
        id=run.id,
        label=run.label,
        block=run.block,
        state=run.state,
        cancel_requested=run.cancel_requested_at is not None,
        hardware=recipe.hardware.name,
        gpu_count=recipe.gpu_count,
        engine=recipe.engine.name,
        engine_version=recipe.engine_version,
        model=recipe.language_model.name,
        model_slug=recipe.language_model.slug,
        precision=recipe.precision,
        scenario=str(run.scenario),
        fingerprint=recipe.fingerprint,
        loads=tuple(run.loads),
        points=counted.point_count,
        attempts=0 if attempt is None else attempt.number + 1,
        host=attempt.host.name if attempt is not None and attempt.host is not None else None,
        phase="" if attempt is None else attempt.phase,
        phase_load=None if attempt is None else attempt.phase_load,
        progress=None if attempt is None else attempt.progress,
        eta_seconds=None if attempt is None else attempt.eta_seconds,
        failure_class=run.failure_class,
        failure_line=run.failure_line,
        created_at=run.created_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
    )

"""A/A comparisons: schedules, realised false positives, noise floors in use."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Q, Subquery

from results.analysis.gains.noise import (
    MINIMUM_COMPARISONS,
    EqualComparison,
    noise,
    rejection_rate,
)
from results.analysis.gains.plan import ALPHA
from results.models import AaSchedule, Comparison
from results.queries.equal_comparisons import equal_comparisons


@dataclass(frozen=True, slots=True)
class RateRow:
    """Tests between equal recipes of a host class; ``metric`` None counts all of them.

    ``low`` and ``high`` bound the rate with 95 % (Wilson). ``used``: enough comparisons to decide whether
    verdicts of the host class are trusted, which ``trusted`` says.
    """

    host_class: str
    metric: str | None
    rejected: int
    tests: int
    comparisons: int
    rate: float
    low: float
    high: float
    used: bool
    trusted: bool


@dataclass(frozen=True, slots=True)
class FloorRow:
    """What equal recipes differ by at this load and number of blocks; a gain must exceed this fraction."""

    host_class: str
    model: str
    blocks: int
    metric: str
    basis: str
    load: int | None
    floor: float


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """``running``: the ``newest`` comparison of it is not over. ``problem``: why the last start failed."""

    name: str
    host: str
    engine: str
    model: str
    loads: tuple[int, ...]
    blocks: int
    every_days: int
    enabled: bool
    comparisons: int
    newest: UUID | None
    running: bool
    started_at: datetime | None
    next_at: datetime
    problem: str


@dataclass(frozen=True, slots=True)
class AaHistory:
    """``growing``: (host class, model, blocks, comparisons) that have too few for a floor."""

    alpha: float
    minimum: int
    schedules: tuple[ScheduleRow, ...]
    rates: tuple[RateRow, ...]
    floors: tuple[FloorRow, ...]
    growing: tuple[tuple[str, str, int, int], ...]


def aa_history() -> AaHistory:
    """Two queries."""
    history = equal_comparisons()
    setups = _grouped(history, lambda one: (one.host_class, one.model, one.n))
    return AaHistory(
        alpha=ALPHA,
        minimum=MINIMUM_COMPARISONS,
        schedules=schedules(),
        rates=tuple(_rates(history)),
        floors=tuple(floor for setup in sorted(setups) for floor in _floors(history, *setup)),
        growing=tuple(
            (*setup, count)
            for setup in sorted(setups)
            if (count := len({one.comparison for one in setups[setup]})) < MINIMUM_COMPARISONS
        ),
    )


def schedules() -> tuple[ScheduleRow, ...]:
    """Every schedule by name; one query."""
    running = Count("comparisons", filter=Q(comparisons__state=Comparison.State.RUNNING))
    newest = Comparison.objects.filter(schedule=OuterRef("id")).order_by("-created_at").values("id")[:1]
    rows = AaSchedule.objects.select_related("host").annotate(
        n=Count("comparisons"), live=running, newest=Subquery(newest)
    )
    return tuple(_schedule(row, row.n, row.newest, row.live > 0) for row in rows)


def _schedule(row: AaSchedule, comparisons: int, newest: UUID | None, running: bool) -> ScheduleRow:
    engine = row.plan["baseline"]["engine"]
    return ScheduleRow(
        name=row.name,
        host=row.host.name,
        engine=f"{engine['name']} {engine.get('version') or engine.get('commit') or ''}".strip(),
        model=row.plan["baseline"]["model"]["name"],
        loads=tuple(row.plan["loads"]),
        blocks=row.plan["blocks"],
        every_days=row.every_days,
        enabled=row.enabled,
        comparisons=comparisons,
        newest=newest,
        running=running,
        started_at=row.started_at,
        next_at=row.due_at,
        problem=row.problem,
    )


def _rates(history: Sequence[EqualComparison]) -> Iterable[RateRow]:
    """Per host class all metrics first, then each."""
    for host_class, tests in sorted(_grouped(history, lambda one: one.host_class).items()):
        yield from _rate(host_class, None, tests)
        for metric, of_metric in sorted(_grouped(tests, lambda one: one.metric).items()):
            yield from _rate(host_class, metric, of_metric)


def _rate(host_class: str, metric: str | None, tests: Sequence[EqualComparison]) -> Iterable[RateRow]:
    found = rejection_rate(tests)
    if found is not None:
        yield RateRow(
            host_class=host_class,
            metric=metric,
            rejected=found.rejected,
            tests=found.tests,
            comparisons=found.comparisons,
            rate=found.rate,
            low=found.low,
            high=found.high,
            used=found.is_enough,
            trusted=found.is_trusted,
        )


def _floors(history: Sequence[EqualComparison], host_class: str, model: str, n: int) -> Iterable[FloorRow]:
    floors = noise(history, host_class, model, n).floors
    for (metric, basis, load), floor in sorted(
        floors.items(), key=lambda item: (item[0][0], item[0][2] or 0)
    ):
        yield FloorRow(host_class, model, n, metric, str(basis), load, math.expm1(floor))


def _grouped(
    history: Iterable[EqualComparison], key: Callable[[EqualComparison], Any]
) -> dict[Any, list[EqualComparison]]:
    found: dict[Any, list[EqualComparison]] = {}
    for one in history:
        found.setdefault(key(one), []).append(one)
    return found

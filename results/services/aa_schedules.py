"""A/A comparisons by schedule: an operator's verbs, and what the sweep starts when one is due."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from pydantic import ValidationError

from results import clock
from results.documents.comparison import ComparisonPlan
from results.documents.refusal import DocumentError, Problem
from results.models import AaSchedule, AuditEvent, Comparison, Host, Run
from results.services.start_comparison import check_plan, read_plan, start_comparison

#: A schedule whose host was not ready is tried again after this time.
AGAIN = timedelta(hours=1)


class UnknownScheduleError(LookupError):
    """No schedule has this name."""


@transaction.atomic
def add_schedule(
    *, name: str, run: UUID, host: str, every_days: int, blocks: int, metrics: Sequence[str], actor: str
) -> AaSchedule:
    """Measure what ``run`` measured against itself on ``host``, every so many days, the first time at once.

    DocumentError when the run, the host or a figure is not fit for it; nothing is queued here.
    """
    if AaSchedule.objects.filter(name=name).exists():
        raise _refused("/name", "unique", f"there is a schedule {name} already")
    if not 1 <= every_days <= 365:
        raise _refused("/every_days", "range", "1 to 365 days")
    owner = Host.objects.filter(name=host).first()
    if owner is None:
        raise _refused("/host", "unknown_host", f"no host is called {host}")
    plan = check_plan(_plan(name, run, host, blocks, metrics))
    made = AaSchedule.objects.create(
        name=name, host=owner, plan=plan.to_json(), every_days=every_days, created_at=clock.now()
    )
    _audit("add", made, actor)
    return made


def _plan(name: str, run: UUID, host: str, blocks: int, metrics: Sequence[str]) -> ComparisonPlan:
    document = Run.objects.filter(id=run).values_list("document", flat=True).first()
    if document is None:
        raise _refused("/run", "unknown_run", f"no run that was executed here is called {run}")
    same = {"baseline": document["recipe"], "candidate": document["recipe"], "host": host}
    kept = ("scenario", "loads", "client", "hard_limit_seconds")
    copied = {key: document[key] for key in kept if key in document}
    try:
        return ComparisonPlan.model_validate(
            {"title": f"A/A {name}", "blocks": blocks, "metrics": list(metrics), **same, **copied}
        )
    except ValidationError as error:
        raise DocumentError.from_validation(error) from None


@transaction.atomic
def change_schedule(*, name: str, actor: str, enabled: bool) -> None:
    """Pause or resume; what runs now is finished."""
    found = AaSchedule.objects.filter(name=name).first()
    if found is None:
        raise UnknownScheduleError(name)
    if found.enabled != enabled:
        AaSchedule.objects.filter(id=found.id).update(enabled=enabled)
        _audit("resume" if enabled else "pause", found, actor)


@transaction.atomic
def remove_schedule(*, name: str, actor: str) -> None:
    """Its comparisons stay: they are the history of the host."""
    found = AaSchedule.objects.filter(name=name).first()
    if found is None:
        raise UnknownScheduleError(name)
    _audit("remove", found, actor)
    found.delete()


def start_due(*, now: datetime) -> list[str]:
    """Start every comparison that is due; names of the schedules that started one."""
    rows = AaSchedule.objects.filter(enabled=True).order_by("name")
    due = [row.id for row in rows if is_due(row, now)]
    return [name for name in (_start(identifier, now) for identifier in due) if name]


def is_due(schedule: AaSchedule, now: datetime) -> bool:
    tried = schedule.tried_at
    rested = not schedule.problem or tried is None or tried <= now - AGAIN
    return schedule.due_at <= now and rested


@transaction.atomic
def _start(identifier: int, now: datetime) -> str | None:
    """One comparison; None where the last one still runs, the host is not fit or another process is at it."""
    rows = AaSchedule.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
    row = rows.filter(Q(enabled=True), id=identifier).first()
    if row is None or not is_due(row, now):
        return None
    if row.comparisons.filter(state=Comparison.State.RUNNING).exists():
        return None
    row.tried_at, row.problem = now, ""
    try:
        # Another order of the arms and other requests than the time before.
        plan = read_plan(row.plan | {"seed": row.comparisons.count() + 1})
        with transaction.atomic():
            start_comparison(plan=plan, schedule=row)
        row.started_at = now
    except DocumentError as error:
        row.problem = str(error.problems[0]["message"])[:512]
    row.save(update_fields=["tried_at", "problem", "started_at"])
    return None if row.problem else row.name


def _refused(pointer: str, rule: str, message: str) -> DocumentError:
    return DocumentError([Problem(pointer=pointer, rule=rule, message=message)])


def _audit(verb: str, schedule: AaSchedule, actor: str) -> None:
    AuditEvent.objects.create(
        at=clock.now(),
        actor=actor[:80],
        verb=verb,
        object_type="aa_schedule",
        object_id=schedule.name,
        details={"host": schedule.host.name, "every_days": schedule.every_days},
    )

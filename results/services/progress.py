"""Verbs of the host that holds an attempt, while it works."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from results import clock
from results.documents.canonical import canonical_json
from results.models import HELD, Attempt, Host, Run, State
from results.services.adverse import note
from results.services.claims import LEASE
from results.services.transitions import Outcome, follow, lock_run, move

#: Characters of log kept on the attempt row; the whole log is an artifact.
LOG_TAIL = 16_000


@dataclass(frozen=True)
class Beat:
    """What a host says of its attempt: ``progress`` in [0, 1], ``eta_seconds`` until the phase ends."""

    phase: str = ""
    load: int | None = None
    progress: float | None = None
    eta_seconds: float | None = None
    telemetry: dict[str, Any] = field(default_factory=dict)
    log_tail: str = ""
    phases: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Reply:
    """What the server answers to a heartbeat: stop because it was asked for, or because it is not yours."""

    cancel: bool
    lost: bool


@transaction.atomic
def start_attempt(*, attempt: int, number: int) -> Outcome:
    """The supervisor runs: claimed becomes running."""
    run, now = lock_run(attempt=attempt), clock.now()
    if not move(attempt=attempt, number=number, to=State.RUNNING, **_renewal(now)):
        return refuse(attempt=attempt, event="refused_start")
    follow(run=run, state=State.RUNNING)
    Run.objects.filter(id=run.id, started_at__isnull=True).update(started_at=now)
    return Outcome.ACCEPTED


@transaction.atomic
def begin_upload(*, attempt: int, number: int) -> Outcome:
    """Measuring is over, evidence is being stored: running becomes uploading."""
    run = lock_run(attempt=attempt)
    if not move(attempt=attempt, number=number, to=State.UPLOADING, **_renewal(clock.now())):
        return refuse(attempt=attempt, event="refused_upload")
    follow(run=run, state=State.UPLOADING)
    return Outcome.ACCEPTED


@transaction.atomic
def heartbeat(*, attempt: int, number: int, beat: Beat) -> Reply:
    """Renew the lease and show what the attempt is doing.

    Fenced: an attempt that is no longer held learns that it is lost, and writes nothing.
    ValueError for NaN or infinities anywhere in ``beat``.
    """
    now = clock.now()
    values = {**_columns(beat), **_renewal(now)}
    if Attempt.objects.filter(id=attempt, number=number, state__in=HELD).update(**values) != 1:
        refuse(attempt=attempt, event="fenced_heartbeat")
        return Reply(cancel=False, lost=True)
    Host.objects.filter(attempts__id=attempt).update(last_seen_at=now)
    cancel = Run.objects.filter(attempts__id=attempt, cancel_requested_at__isnull=False).exists()
    return Reply(cancel=cancel, lost=False)


def _renewal(now: datetime) -> dict[str, Any]:
    return {"heartbeat_at": now, "lease_expires_at": now + LEASE}


def _columns(beat: Beat) -> dict[str, Any]:
    canonical_json([beat.progress, beat.eta_seconds, beat.telemetry, beat.phases])
    return {
        "phase": beat.phase,
        "phase_load": beat.load,
        "progress": beat.progress,
        "eta_seconds": beat.eta_seconds,
        "telemetry": beat.telemetry,
        # PostgreSQL text cannot hold NUL.
        "log_tail": beat.log_tail.replace("\x00", "\ufffd")[-LOG_TAIL:],
        "phases": beat.phases,
    }


def refuse(*, attempt: int, event: str) -> Outcome:
    """Count a verb that came at the wrong time."""
    row = Attempt.objects.select_related("host").get(id=attempt)
    note(event=event, attempt=row, state=row.state)
    return Outcome.REFUSED

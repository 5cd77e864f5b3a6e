"""How an attempt ends, and what that means for its run."""

from django.db import transaction

from results import clock
from results.documents.failures import INFRASTRUCTURE, MAX_ATTEMPTS, FailureClass
from results.models import Attempt, AttemptArtifact, Run, State
from results.services.adverse import note
from results.services.hints import hint_later
from results.services.note_pull_run import reopen_pull_runs
from results.services.publish_curve import publish_curve
from results.services.transitions import Outcome, follow, lock_run, move, revive

MANIFEST = "MANIFEST.json"
#: Characters of the causal log line kept on a row.
LINE = 2_000


@transaction.atomic
def complete_attempt(*, attempt: int, number: int, manifest: str) -> Outcome:
    """The attempt's evidence is stored and read: uploading becomes succeeded.

    ``manifest`` is the sha256 of the bundle's manifest and must be stored already. The same call again
    is a duplicate; another manifest is a conflict. A result that comes after the attempt was given up as
    lost is used when no later attempt has been claimed, else its files stay as evidence, unused.
    """
    run = lock_run(attempt=attempt)
    row = Attempt.objects.select_related("host").get(id=attempt)
    if row.number != number:
        return _noted(row, "wrong_fencing_number", Outcome.REFUSED)
    stored = AttemptArtifact.objects.filter(attempt=row, path=MANIFEST, artifact_id=manifest).exists()
    if row.state == State.SUCCEEDED:
        if stored:
            return _noted(row, "duplicate_complete", Outcome.DUPLICATE)
        return _noted(row, "conflicting_complete", Outcome.CONFLICT)
    if not stored:
        return _noted(row, "complete_without_evidence", Outcome.REFUSED)
    if move(attempt=attempt, number=number, to=State.SUCCEEDED, progress=1.0, eta_seconds=None):
        follow(run=run, state=State.SUCCEEDED)
        _succeeded(run)
        return Outcome.ACCEPTED
    return _late(run, row)


def _late(run: Run, row: Attempt) -> Outcome:
    later = run.attempts.filter(number__gt=row.number)
    if later.exclude(state=State.QUEUED).exists():
        return _noted(row, "late_result_unused", Outcome.UNUSED)
    if run.state == State.CANCELLED or row.failure_class != FailureClass.WORKER_LOST:
        return _noted(row, "refused_complete", Outcome.REFUSED)
    for other in later:
        move(attempt=other.id, number=other.number, to=State.CANCELLED)
    revive(attempt=row.id, number=row.number)
    Run.objects.filter(id=run.id, state__in=[State.QUEUED, State.FAILED]).update(
        state=State.SUCCEEDED, ended_at=clock.now(), failure_class="", failure_line=""
    )
    _succeeded(run)
    return _noted(row, "late_result_accepted", Outcome.LATE)


def _succeeded(run: Run) -> None:
    publish_curve(run=run.id)
    reopen_pull_runs(run=run)


@transaction.atomic
def fail_attempt(*, attempt: int, number: int, failure_class: FailureClass, line: str) -> Outcome:
    """End a held attempt as failed; ``line`` is the first causal log line.

    The host's faults (``INFRASTRUCTURE``) queue a new attempt, three in all; a failure of the benchmark
    fails the run at once. Nothing is retried once cancelling was asked for.
    """
    run = lock_run(attempt=attempt)
    return end_attempt(run=run, attempt=attempt, number=number, failure_class=failure_class, line=line)


def end_attempt(*, run: Run, attempt: int, number: int, failure_class: FailureClass, line: str) -> Outcome:
    """The part of failing that the reaper shares; the caller holds the run's lock."""
    why = {"failure_class": failure_class.value, "failure_line": clean_line(line)}
    state = State.FAILED if run.cancel_requested_at is None else State.CANCELLED
    if not move(attempt=attempt, number=number, to=state, eta_seconds=None, **why):
        row = Attempt.objects.select_related("host").get(id=attempt)
        return _noted(row, "refused_fail", Outcome.REFUSED, wanted=failure_class.value)
    if state == State.FAILED and failure_class in INFRASTRUCTURE and number + 1 < MAX_ATTEMPTS:
        _retry(run, number + 1)
    else:
        follow(run=run, state=state, **why)
    return Outcome.ACCEPTED


def _retry(run: Run, number: int) -> None:
    Attempt.objects.create(run=run, number=number, created_at=clock.now())
    follow(run=run, state=State.QUEUED)
    hint_later(run=run)


@transaction.atomic
def finish_cancel(*, attempt: int, number: int) -> Outcome:
    """The process group is gone: end a held attempt whose run was asked to cancel."""
    run = lock_run(attempt=attempt)
    why = {"failure_class": FailureClass.CANCELLED.value, "failure_line": ""}
    asked = run.cancel_requested_at is not None
    if asked and move(attempt=attempt, number=number, to=State.CANCELLED, eta_seconds=None, **why):
        follow(run=run, state=State.CANCELLED, **why)
        return Outcome.ACCEPTED
    row = Attempt.objects.select_related("host").get(id=attempt)
    return _noted(row, "refused_cancel", Outcome.REFUSED)


def clean_line(line: str) -> str:
    """One printable line; PostgreSQL text cannot hold NUL."""
    return " ".join(line.replace("\x00", "\ufffd").split())[:LINE]


def _noted(row: Attempt, event: str, outcome: Outcome, **details: str) -> Outcome:
    note(event=event, attempt=row, state=row.state, **details)
    return outcome

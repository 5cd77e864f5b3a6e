"""Cancelling: a flag that the next heartbeat reports; a run that no host holds ends at once."""

from uuid import UUID

from django.db import transaction

from results import clock
from results.models import FINAL, ApiToken, AuditEvent, Run, State
from results.services.transitions import follow, move


class ForeignRunError(LookupError):
    """There is no such run, or another token submitted it; a caller cannot tell which."""


@transaction.atomic
def cancel_run(*, run_id: UUID, token: ApiToken, request_id: str = "") -> None:
    """Cancel a run that ``token`` submitted. Asking again, or for a finished run, changes nothing."""
    run = Run.objects.select_for_update(no_key=True).filter(id=run_id, submitted_by=token).first()
    if run is None:
        raise ForeignRunError(run_id)
    if run.state in FINAL or run.cancel_requested_at is not None:
        return
    Run.objects.filter(id=run.id).update(cancel_requested_at=clock.now())
    _end_if_queued(run)
    AuditEvent.objects.create(
        at=clock.now(),
        actor=f"token:{token.prefix}",
        verb="cancel",
        object_type="run",
        object_id=str(run.id),
        request_id=request_id,
    )


def _end_if_queued(run: Run) -> None:
    queued = run.attempts.filter(state=State.QUEUED).first()
    if queued is not None and move(attempt=queued.id, number=queued.number, to=State.CANCELLED):
        follow(run=run, state=State.CANCELLED)

"""Ends attempts whose host has fallen silent or whose time is up."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from results.documents.failures import FailureClass
from results.models import HELD, Attempt, Run, State
from results.services.adverse import note
from results.services.outcomes import end_attempt
from results.services.transitions import Outcome


def reap(*, now: datetime) -> list[int]:
    """End every held attempt whose lease or deadline lies before ``now``; returns their ids.

    A lost host is retried as another attempt, a passed deadline is not; both end as cancelled where that
    was asked for. Safe to run twice, and in two places at once.
    """
    expired = Attempt.objects.filter(_expired(now)).order_by("id").values_list("id", flat=True)
    return [attempt for attempt in list(expired) if _reap_one(attempt, now)]


def _expired(now: datetime) -> Q:
    return Q(state__in=HELD) & (Q(lease_expires_at__lt=now) | Q(deadline_at__lt=now))


@transaction.atomic
def _reap_one(attempt: int, now: datetime) -> bool:
    # The run is locked first, as everywhere; a run that is being changed can wait for the next round.
    runs = Run.objects.select_for_update(no_key=True, of=("self",), skip_locked=True)
    run = runs.filter(attempts__id=attempt).first()
    if run is None:
        return False
    rows = Attempt.objects.select_related("host").select_for_update(no_key=True, of=("self",))
    held = rows.filter(_expired(now), id=attempt).first()
    if held is None:
        return False
    failure, line = _cause(held)
    note(event=f"reaped_{failure}", attempt=held, actor="reaper", state=held.state, phase=held.phase)
    ended = end_attempt(run=run, attempt=held.id, number=held.number, failure_class=failure, line=line)
    return ended == Outcome.ACCEPTED


def _cause(attempt: Attempt) -> tuple[FailureClass, str]:
    """Whichever limit passed first. A held attempt has both by a constraint of its table."""
    lease, deadline = attempt.lease_expires_at, attempt.deadline_at
    if lease is None or deadline is None:
        raise ValueError(f"attempt {attempt.id} is {attempt.state} without a lease")
    if deadline <= lease:
        return FailureClass.TIMEOUT, f"hard limit passed at {deadline:%Y-%m-%d %H:%M:%S} UTC"
    seen = attempt.heartbeat_at or attempt.claimed_at
    since = f"{seen:%Y-%m-%d %H:%M:%S} UTC" if seen else "the claim"
    where = attempt.host.name if attempt.host else "-"
    doing = attempt.phase or State(attempt.state).value
    return FailureClass.WORKER_LOST, f"no heartbeat from host {where} since {since} (during {doing})"

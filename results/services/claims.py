"""Which host gets which attempt."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from results import clock
from results.models import HELD, Attempt, Host, State
from results.queries.host_room import device_count
from results.services.transitions import follow, move

LEASE = timedelta(seconds=90)
#: Added to a run's own hard limit before the reaper ends it.
GRACE = timedelta(seconds=60)


@dataclass(frozen=True)
class Claim:
    """What a host needs to execute an attempt; ``number`` is its fencing token."""

    host: str
    attempt: int
    number: int
    run: UUID
    document: dict[str, Any]
    loads: tuple[int, ...]
    hard_limit_seconds: int


def _room(host: Host) -> Q:
    """``has_room`` as a condition on queued attempts."""
    fits = Q(pk__in=[])
    for hardware in host.hardware_slugs:
        count = device_count(host, hardware)
        enough = Q() if count is None else Q(run__recipe__gpu_count__lte=count)
        fits |= Q(run__recipe__hardware__slug=hardware) & enough
    return fits


def waiting_for(host: Host) -> QuerySet[Attempt]:
    """Queued attempts that ``host`` can execute, oldest run first."""
    fitting = Attempt.objects.filter(
        _room(host),
        state=State.QUEUED,
        run__cancel_requested_at__isnull=True,
        run__recipe__engine__slug__in=host.engines,
    )
    anywhere, here = fitting.filter(run__host__isnull=True), fitting.filter(run__host=host)
    return (anywhere | here).order_by("run__created_at", "run_id")


@transaction.atomic
def claim_attempt(*, host: str) -> Claim | None:
    """Give ``host`` the oldest fitting attempt under a lease of 90 s; None when there is nothing for it.

    A dirty, retired or busy host gets nothing. The host's row is locked so that its workers take turns;
    attempts and runs that another transaction holds are skipped, never waited for.
    """
    owner = Host.objects.select_for_update(no_key=True).filter(name=host, state=Host.State.READY).first()
    if owner is None or owner.attempts.filter(state__in=HELD).exists():
        return None
    rows = waiting_for(owner).select_for_update(no_key=True, skip_locked=True, of=("self", "run"))
    attempt = rows.select_related("run").first()
    return None if attempt is None else _take(attempt, owner)


def _take(attempt: Attempt, host: Host) -> Claim | None:
    now, run = clock.now(), attempt.run
    document, limit = run.document, run.hard_limit_seconds
    assert document is not None and limit is not None, "an imported run has no attempt"  # noqa: S101
    taken = move(
        attempt=attempt.id,
        number=attempt.number,
        to=State.CLAIMED,
        host=host,
        claimed_at=now,
        heartbeat_at=now,
        lease_expires_at=now + LEASE,
        deadline_at=now + timedelta(seconds=limit) + GRACE,
    )
    if not taken:
        return None
    follow(run=run, state=State.CLAIMED)
    Host.objects.filter(id=host.id).update(last_seen_at=now)
    return Claim(
        host=host.name,
        attempt=attempt.id,
        number=attempt.number,
        run=run.id,
        document=document,
        loads=tuple(run.loads),
        hard_limit_seconds=limit,
    )

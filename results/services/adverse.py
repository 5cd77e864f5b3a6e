"""Events that a healthy system does not show: logged, and kept as countable audit rows."""

import logging

from results import clock
from results.models import Attempt, AuditEvent

logger = logging.getLogger(__name__)


def note(*, event: str, attempt: Attempt, actor: str = "", **details: str) -> None:
    """Record one adverse protocol event of an attempt in the caller's transaction."""
    who = actor or f"host:{attempt.host.name if attempt.host else '-'}"
    logger.warning("%s run=%s attempt=%s by=%s %s", event, attempt.run_id, attempt.number, who, details or "")
    AuditEvent.objects.create(
        at=clock.now(),
        actor=who[:80],
        verb=event,
        object_type="attempt",
        object_id=f"{attempt.run_id}/{attempt.number}",
        details=details,
    )

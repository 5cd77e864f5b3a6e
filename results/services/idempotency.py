"""A request that is sent twice under one key is executed once.

The unique constraint on (token, route, key) lets one transaction in; the others wait for its commit and
then read its answer. Only success is remembered: a refused request leaves no record, so the corrected one
may use the same key.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from results import clock
from results.models import ApiToken, IdempotencyRecord

LIFETIME = timedelta(days=7)


class KeyConflictError(ValueError):
    """The key was used for another request."""


@dataclass(frozen=True, slots=True)
class Answer:
    """HTTP status and rendered body."""

    status: int
    body: str
    replayed: bool = False


@transaction.atomic
def answer_once(
    *, token: ApiToken, route: str, key: str, request_sha256: str, act: Callable[[], Answer]
) -> Answer:
    """The answer of ``act``, called at most once per key in seven days.

    KeyConflictError when the key came with another request.
    """
    now = clock.now()
    mine = IdempotencyRecord.objects.filter(token=token, route=route, key=key)
    mine.filter(expires_at__lte=now).delete()
    defaults = {"request_sha256": request_sha256, "created_at": now, "expires_at": now + LIFETIME}
    record, is_first = mine.get_or_create(token=token, route=route, key=key, defaults=defaults)
    if not is_first:
        return _replay(record, request_sha256)
    answer = act()
    mine.update(status=answer.status, body=answer.body)
    return answer


def _replay(record: IdempotencyRecord, request_sha256: str) -> Answer:
    if record.request_sha256 != request_sha256:
        raise KeyConflictError(record.key)
    if record.status is None or record.body is None:
        raise RuntimeError("an idempotency record was committed without its answer")
    return Answer(record.status, record.body, replayed=True)


def forget_expired_answers(*, now: datetime) -> int:
    """Delete expired records; returns how many."""
    return IdempotencyRecord.objects.filter(expires_at__lte=now).delete()[0]

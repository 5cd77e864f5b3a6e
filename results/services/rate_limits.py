"""Rate limits shared by all processes: a leaky bucket per client, one SQL statement per request.

The row holds the time at which the client's allowance is full again (generic cell rate algorithm):
each request moves it one interval ahead, and a request is refused while it lies further ahead than
the whole allowance. The statement is atomic, so a race cannot pass more than the limit.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from results.models import RateBucket

_TAKE = """
INSERT INTO results_ratebucket AS bucket (key, full_at) VALUES (%(key)s, %(now)s + %(interval)s)
ON CONFLICT (key) DO UPDATE SET full_at = GREATEST(bucket.full_at, %(now)s) + %(interval)s
WHERE GREATEST(bucket.full_at, %(now)s) + %(interval)s <= %(now)s + %(allowance)s
"""
_MINUTE = timedelta(minutes=1)


def take(*, key: str, per_minute: int, now: datetime) -> float | None:
    """Use one of ``per_minute`` requests of ``key``; None if allowed, else the seconds to wait."""
    # Rounded down: an interval too long by a microsecond would lose the minute's last request.
    interval = timedelta(microseconds=60_000_000 // per_minute)
    values: dict[str, Any] = {"key": key, "now": now, "interval": interval, "allowance": _MINUTE}
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, values)
        if cursor.rowcount == 1:
            return None
    full_at = RateBucket.objects.values_list("full_at", flat=True).get(key=key)
    return max((full_at + interval - now - _MINUTE).total_seconds(), 0.0)


def forget_full_buckets(*, now: datetime) -> int:
    """Delete the rows that no longer limit anyone; returns how many."""
    return RateBucket.objects.filter(full_at__lt=now).delete()[0]

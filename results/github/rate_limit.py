"""When GitHub wants no more requests, and until when.

Primary limit: ``X-RateLimit-Remaining: 0`` and ``X-RateLimit-Reset`` (seconds since 1970). Secondary limits:
403 or 429 with ``Retry-After``, or with a message alone, after which GitHub asks for at least a minute.
Source: "Rate limits for the REST API" and "Best practices for using the REST API" of GitHub's documentation.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from results.github.exchange import Answer

_LEAST = timedelta(minutes=1)
#: No server may silence us for longer; what is wrong for a day is an operator's matter.
_MOST = timedelta(days=1)
_LIMITED = (403, 429, 503)


def refused_until(answer: Answer, now: datetime) -> datetime | None:
    """The end of the limit that this answer states; None if it is no refusal for too many requests."""
    if answer.status not in _LIMITED:
        return None
    stated = _retry_after(answer.headers, now) or spent_until(answer.headers, now)
    if stated is None and (answer.status == 429 or b"secondary rate limit" in answer.body):
        stated = now + _LEAST
    return stated


def spent_until(headers: Mapping[str, str], now: datetime) -> datetime | None:
    """When the allowance is renewed, if this answer was its last."""
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") != "0" or not re.fullmatch(r"[0-9]{1,11}", reset):
        return None
    return _bounded(datetime.fromtimestamp(int(reset), UTC), now)


def _retry_after(headers: Mapping[str, str], now: datetime) -> datetime | None:
    """Seconds or a date; what is neither counts as a minute."""
    text = headers.get("retry-after")
    if text is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", text):
        return _bounded(now + timedelta(seconds=int(text)), now)
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return now + _LEAST
    return _bounded(found if found.tzinfo else found.replace(tzinfo=UTC), now)


def _bounded(until: datetime, now: datetime) -> datetime:
    return min(max(until, now + timedelta(seconds=1)), now + _MOST)

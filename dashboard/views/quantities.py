"""Numbers and days in addresses."""

import re
from datetime import date
from math import isfinite

from django.http import QueryDict
from django.utils.translation import gettext as _

from dashboard.views.parameters import BadParameterError, one, several

_NUMBER = re.compile(r"\d{1,12}(\.\d{1,12})?([eE][+-]?\d{1,2})?")


def positive(query: QueryDict, name: str) -> float | None:
    """A positive finite number; None when the parameter is absent."""
    value = one(query, name)
    return number(name, value) if value else None


def positives(query: QueryDict, name: str) -> tuple[float, ...]:
    """Different positive finite numbers in ascending order."""
    return tuple(sorted({number(name, value) for value in several(query, name)}))


def whole(query: QueryDict, name: str) -> int | None:
    """A whole number of at least 1; None when the parameter is absent."""
    value = one(query, name)
    if not value:
        return None
    if not re.fullmatch(r"[1-9]\d{0,8}", value):
        raise BadParameterError(name, _("must be a whole number"))
    return int(value)


def day(query: QueryDict, name: str) -> date | None:
    """A UTC day; None when the parameter is absent."""
    value = one(query, name)
    try:
        return date.fromisoformat(value) if value else None
    except ValueError:
        raise BadParameterError(name, _("must be a UTC day such as 2026-09-30")) from None


def number(name: str, value: str) -> float:
    found = float(value) if _NUMBER.fullmatch(value) else 0.0
    if not (isfinite(found) and found > 0):
        raise BadParameterError(name, _("must be a positive number"))
    return found


def plain(value: float) -> str:
    """The shortest text of a number for an address."""
    return f"{value:.12g}"

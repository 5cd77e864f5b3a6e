"""Reading addresses: every parameter is checked, and a bad one is named."""

import re
from collections.abc import Collection, Iterable

from django.http import QueryDict
from django.utils.translation import gettext as _

_VALUE = re.compile(r"[^\x00-\x1f\x7f]{1,256}")


class BadParameterError(Exception):
    """The address asks for something that does not exist; shown as a page with status 400."""

    def __init__(self, name: str, rule: str) -> None:
        super().__init__(f"{name}: {rule}")
        self.name = name
        self.rule = rule


def refuse_unknown(query: QueryDict, known: Collection[str]) -> None:
    """A misspelt filter must not read as no filter."""
    for name in query:
        if name not in known:
            raise BadParameterError(name, _("this page knows no such parameter"))


def one(query: QueryDict, name: str, default: str = "") -> str:
    """The single value of a parameter; absent and empty are the default."""
    values = [value for value in query.getlist(name) if value]
    if len(values) > 1:
        raise BadParameterError(name, _("must be given once"))
    return _clean(name, values[0]) if values else default


def several(query: QueryDict, name: str) -> tuple[str, ...]:
    """All different values in the order given; at most 50."""
    values = tuple(dict.fromkeys(_clean(name, value) for value in query.getlist(name) if value))
    if len(values) > 50:
        raise BadParameterError(name, _("has more than 50 values"))
    return values


def member(query: QueryDict, name: str, allowed: Iterable[str], default: str) -> str:
    """One of a fixed list."""
    value, allowed = one(query, name, default), list(allowed)
    if value not in allowed:
        rule = _("must be one of: %(values)s") % {"values": ", ".join(allowed[:12])}
        raise BadParameterError(name, rule + (" …" if len(allowed) > 12 else ""))
    return value


def members(query: QueryDict, name: str, allowed: Iterable[str]) -> tuple[str, ...]:
    """Any of a fixed list, in the order given."""
    values, allowed = several(query, name), list(allowed)
    if not set(values) <= set(allowed):
        raise BadParameterError(name, _("must be one of: %(values)s") % {"values": ", ".join(allowed)})
    return values


def matching(name: str, value: str, pattern: str, rule: str) -> str:
    if not re.fullmatch(pattern, value):
        raise BadParameterError(name, rule)
    return value


def _clean(name: str, value: str) -> str:
    if not _VALUE.fullmatch(value):
        raise BadParameterError(name, _("must be 1 to 256 printable characters"))
    return value

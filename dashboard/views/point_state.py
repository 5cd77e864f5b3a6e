"""What the address of a point's page says."""

from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from dashboard.views.parameters import BadParameterError, member, one, refuse_unknown
from results.queries.request_rows import SORTS

_KNOWN = ("phase", "lane", "sort", "row", "log", "q")
_LARGEST = 10_000_000


@dataclass(frozen=True, slots=True)
class PointState:
    """``phase`` is profile or all, ``lane`` and ``row`` the first that are shown, ``log`` a file's path."""

    phase: str = "profile"
    lane: int = 0
    sort: str = "start"
    row: int = 0
    log: str = ""
    q: str = ""

    @classmethod
    def parse(cls, query: QueryDict) -> "PointState":
        """BadParameterError for anything that the page does not know."""
        refuse_unknown(query, _KNOWN)
        return cls(
            phase=member(query, "phase", ["profile", "all"], "profile"),
            lane=_count(query, "lane"),
            sort=member(query, "sort", SORTS, "start"),
            row=_count(query, "row"),
            log=one(query, "log"),
            q=one(query, "q"),
        )

    @property
    def warmup(self) -> bool:
        return self.phase == "all"

    def query(self, **changes: Any) -> str:
        """The address's query with these changes; what is as always is left out."""
        state, usual = replace(self, **changes), PointState()
        values = {name: getattr(state, name) for name in _KNOWN}
        return urlencode({name: value for name, value in values.items() if value != getattr(usual, name)})


def _count(query: QueryDict, name: str) -> int:
    text = one(query, name, "0")
    if not (text.isascii() and text.isdecimal() and len(text) < 9) or int(text) > _LARGEST:
        raise BadParameterError(name, _("must be a whole number from 0 on"))
    return int(text)

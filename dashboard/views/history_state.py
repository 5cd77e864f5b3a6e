"""The state of History, which is its address."""

from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from dashboard.views.compare_state import DIRECTED
from dashboard.views.parameters import matching, member, one, refuse_unknown
from dashboard.views.quantities import plain, positive, whole
from results.queries.history import BASES, METRIC, History, Series, X

KNOWN = ("model", "scenario", "family", "metric", "basis", "load", "x", "at")


def series_of(query: QueryDict) -> Series:
    """BadParameterError names the first bad parameter."""
    refuse_unknown(query, KNOWN)
    family = one(query, "family")
    if family:
        matching("family", family, r"[0-9a-f]{8,64}", _("must be 8 to 64 hexadecimal digits"))
    return Series(
        model=one(query, "model") or None,
        scenario=one(query, "scenario") or None,
        family=family or None,
        metric=member(query, "metric", DIRECTED, METRIC),
        basis=member(query, "basis", BASES, "load"),
        load=whole(query, "load"),
        x=member(query, "x", DIRECTED, X),
        at=positive(query, "at"),
    )


def query_of(found: History, **changes: Any) -> str:
    """What is shown, in full, as a query string with ``changes`` applied."""
    series = found.series
    by_load = series.basis == "load"
    pairs: dict[str, Any] = {
        "model": found.place.model if found.place else series.model,
        "scenario": found.place.scenario if found.place else series.scenario,
        "family": found.family.key[:12] if found.family else series.family,
        "metric": series.metric,
        "basis": series.basis,
        "load": found.load if by_load else None,
        "x": None if by_load else series.x,
        "at": None if by_load or series.at is None else plain(series.at),
    }
    return urlencode({name: value for name, value in (pairs | changes).items() if value})

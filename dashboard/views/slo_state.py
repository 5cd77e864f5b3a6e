"""The state of the search for an objective, which is its address."""

from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from dashboard.views.parameters import BadParameterError, member, one, refuse_unknown, several
from dashboard.views.quantities import plain, positive
from results.analysis.prices import NoPriceTableError
from results.analysis.slo import Objective
from results.documents.prices import Tier
from results.queries.prices import shipped_prices
from results.queries.slo import KINDS, PERCENTILES, Question

LIMITS = ("ttft", "speed", "budget", "power")
KNOWN = ("model", "scenario", "percentile", "kind", "prices", "tier", "precision", *LIMITS)


def question_of(query: QueryDict) -> Question:
    """BadParameterError names the first parameter that breaks a rule."""
    refuse_unknown(query, KNOWN)
    return Question(
        objective=Objective(**{name: positive(query, name) for name in LIMITS}),
        model=one(query, "model") or None,
        scenario=one(query, "scenario") or None,
        percentile=member(query, "percentile", PERCENTILES, "p90"),
        kind=member(query, "kind", KINDS, "total"),
        prices=price_version(one(query, "prices")),
        tier=Tier(member(query, "tier", [tier.value for tier in Tier], Tier.RENTAL.value)),
        precision=several(query, "precision"),
    )


def price_version(value: str) -> str | None:
    """A version that exists; None for the newest."""
    if not value:
        return None
    try:
        return shipped_prices().version(value).version
    except NoPriceTableError as error:
        known = ", ".join(table.version for table in shipped_prices().tables)
        raise BadParameterError("prices", _("must be one of: %(values)s") % {"values": known}) from error


def query_of(question: Question, **changes: Any) -> str:
    """The whole state as a query string, with ``changes`` applied."""
    pairs: dict[str, Any] = {
        "model": question.model,
        "scenario": question.scenario,
        "percentile": question.percentile,
        "kind": question.kind,
        "prices": question.prices,
        "tier": question.tier.value,
        "precision": list(question.precision),
    }
    limits = {name: getattr(question.objective, name) for name in LIMITS}
    pairs |= {name: plain(value) for name, value in limits.items() if value is not None}
    return urlencode({name: value for name, value in (pairs | changes).items() if value}, doseq=True)

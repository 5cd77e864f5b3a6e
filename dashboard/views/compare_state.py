"""The state of Compare, which is its address."""

import uuid
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from dashboard.views.parameters import BadParameterError, matching, member, one, refuse_unknown, several
from dashboard.views.quantities import day, plain, positives, whole
from dashboard.views.slo_state import price_version
from results.documents.prices import Tier
from results.metrics import METRICS, Direction
from results.queries.compare import Wanted, X, Y
from results.queries.sides import BUILDS, MOST, Asked

SIDES = ("run", "recipe", "hardware", "engine")
KNOWN = (*SIDES, "model", "scenario", "precision", "builds", "as_of", "x", "y", "load", "at", "prices",
         "tier", "quantity")  # fmt: skip
#: What may be held equal, and what may be compared: whatever has a better direction.
DIRECTED = [key for key, metric in METRICS.items() if metric.direction is not Direction.NEUTRAL]


def wanted_of(query: QueryDict, pair: Asked | None = None) -> Wanted:
    """``pair`` are the sides that the path names. BadParameterError names the first bad parameter."""
    refuse_unknown(query, KNOWN if pair is None else [name for name in KNOWN if name not in SIDES])
    asked = Asked(
        runs=_runs(several(query, "run")),
        recipes=_recipes(several(query, "recipe")),
        hardware=several(query, "hardware") if pair is None else pair.hardware,
        engines=several(query, "engine") if pair is None else pair.engines,
        model=one(query, "model") or None,
        scenario=one(query, "scenario") or None,
        precision=one(query, "precision") or None,
        as_of=day(query, "as_of"),
        every_build=member(query, "builds", BUILDS, BUILDS[0]) != BUILDS[0],
    )
    if asked.count > MOST:
        raise BadParameterError("run", _("at most %(most)d sides fit side by side") % {"most": MOST})
    return Wanted(
        asked=asked,
        x=member(query, "x", DIRECTED, X),
        y=member(query, "y", DIRECTED, Y),
        load=whole(query, "load"),
        at=positives(query, "at"),
        prices=price_version(one(query, "prices")),
        tier=Tier(member(query, "tier", [tier.value for tier in Tier], Tier.RENTAL.value)),
    )


def query_of(wanted: Wanted, *, sides: bool = True, **changes: Any) -> str:
    """The whole state as a query string with ``changes`` applied; no ``sides`` where the path has them."""
    asked = wanted.asked
    pairs: dict[str, Any] = {}
    if sides:
        pairs = {"run": [str(run) for run in asked.runs], "recipe": list(asked.recipes),
                 "hardware": list(asked.hardware), "engine": list(asked.engines)}  # fmt: skip
    pairs |= {
        "model": asked.model,
        "scenario": asked.scenario,
        "precision": asked.precision,
        "builds": asked.builds if asked.every_build else None,
        "as_of": asked.as_of,
        "x": wanted.x if wanted.x != X else None,
        "y": wanted.y if wanted.y != Y else None,
        "load": wanted.load,
        "at": [plain(value) for value in wanted.at],
        "prices": wanted.prices,
        "tier": wanted.tier.value if wanted.tier is not Tier.RENTAL else None,
    }
    return urlencode({name: value for name, value in (pairs | changes).items() if value}, doseq=True)


def _runs(values: tuple[str, ...]) -> tuple[uuid.UUID, ...]:
    try:
        return tuple(dict.fromkeys(uuid.UUID(value) for value in values))
    except ValueError as error:
        raise BadParameterError("run", _("must be identifiers of runs")) from error


def _recipes(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        matching("recipe", value, r"[0-9a-f]{8,64}", _("must be fingerprints, or their first 8 to 64 digits"))
    return values

"""Cache: hit rates against load, the cliff of device memory, pairs with and without offload."""

from typing import Any
from urllib.parse import urlencode

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard import decide_words
from dashboard.figures.rates import TRACES, rates_figure
from dashboard.views.csv_files import csv_file
from dashboard.views.errors import checked
from dashboard.views.parameters import matching, one, refuse_unknown
from results.analysis.side_by_side import Compared, compared
from results.metrics import METRICS
from results.queries.cache_rates import PAIRED, CacheFound, Family, cache_rates

KNOWN = ("model", "scenario", "family")


@require_safe
@checked
def page(request: HttpRequest) -> HttpResponse:
    return render(request, "decide/cache.html", _context(_found(request)))


@require_safe
@checked
def figure(request: HttpRequest) -> HttpResponse:
    found = _found(request)
    drawn: dict[str, Any] = {"data": [], "layout": {}}
    if found.family is not None:
        names = {name: str(decide_words.RATES[name]) for name, _dash, _symbol in TRACES}
        names["cliff"] = _("cliff")
        drawn = rates_figure(found.family, names, _("load (live session trees)"), _("share of prompt tokens"))
    return HttpResponse(orjson.dumps(drawn), content_type="application/json")


@require_safe
@checked
def table_csv(request: HttpRequest, table: str) -> HttpResponse:
    """``rates`` or ``pairs`` of every family of the place."""
    found = _found(request)
    if table == "rates":
        header = ("family", "hardware", "engine", "load", "kv_offload", "rate", "value", "unit", "points")
        rows = [
            (family.key, family.recipe.hardware, family.recipe.engine, at.load, at.offload, name,
             getattr(at, name), "1", " ".join(str(point.id) for point in at.points))
            for family in found.families for at in family.loads
            for name in ("device", "other", "overall", "theoretical", "missed")
        ]  # fmt: skip
        return csv_file("cache-rates", header, rows)
    if table != "pairs":
        raise Http404
    columns = ("family", "load", "kv_offload", "metric", "unit", "without", "with", "ratio")
    pairs = [
        (family.key, pair.load, pair.offload, key, METRICS[key].unit, *pair.values(key), pair.ratio(key))
        for family in found.families for pair in family.pairs for key in PAIRED
    ]  # fmt: skip
    return csv_file("cache-pairs", columns, pairs)


def _found(request: HttpRequest) -> CacheFound:
    query = request.GET
    refuse_unknown(query, KNOWN)
    family = one(query, "family")
    if family:
        matching("family", family, r"[0-9a-f]{8,64}", _("must be 8 to 64 hexadecimal digits"))
    return cache_rates(one(query, "model") or None, one(query, "scenario") or None, family or None)


def _context(found: CacheFound) -> dict[str, Any]:
    place, family = found.place, found.family
    pairs = {"model": place and place.model, "scenario": place and place.scenario,
             "family": family and family.key}  # fmt: skip
    return {
        "found": found,
        "query": urlencode({name: value for name, value in pairs.items() if value}),
        "models": list({one.model: one.name for one in found.places}.items()),
        "scenarios": [one.scenario for one in found.places if place is not None and one.model == place.model],
        "cliff_text": _cliff_text(family) if family else "",
        "pairs": [(pair, [(key, _pair(pair.values(key), key)) for key in PAIRED]) for pair in family.pairs]
        if family
        else [],
        "paired": PAIRED,
    }


def _pair(values: tuple[float | None, float | None], key: str) -> tuple[Compared, Compared]:
    without, offloaded = values
    direction = METRICS[key].direction
    return Compared(without, None, None, None), compared(without, offloaded, direction)


def _cliff_text(family: Family) -> str:
    found = family.cliff
    if found is None:
        return ""
    return _("cliff between load %(before)d and %(at)d: device %(high)s %% to %(low)s %%") % {
        "before": found.before,
        "at": found.at,
        "high": f"{100 * found.device_before:.1f}",
        "low": f"{100 * found.device_at:.1f}",
    }

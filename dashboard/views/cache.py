"""Cache: hit rates against load, the cliff of device memory, pairs with and without offload."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard import decide_words
from dashboard.figures import numbers
from dashboard.figures.cliff import CHARTS, cliff_figure
from dashboard.figures.rates import TRACES, rates_figure
from dashboard.views.csv_files import csv_file
from dashboard.views.errors import checked
from dashboard.views.parameters import matching, member, one, refuse_unknown
from results.analysis.side_by_side import Compared, compared
from results.metrics import METRICS
from results.queries.cache_rates import PAIRED, CacheFound, Family, cache_rates
from results.queries.measured_sets import not_run
from results.queries.places import Place

KNOWN = ("model", "scenario", "family", "chart")


@require_safe
@checked
def page(request: HttpRequest) -> HttpResponse:
    return render(request, "decide/cache.html", _context(_found(request)))


@require_safe
@checked
def figure(request: HttpRequest) -> HttpResponse:
    found = _found(request)
    chart = member(request.GET, "chart", ["rates", *CHARTS], "rates")
    drawn: dict[str, Any] = {"data": [], "layout": {}}
    if found.family is not None:
        names = {name: str(decide_words.RATES[name]) for name, _dash, _symbol in TRACES}
        names |= {name: decide_words.offload_word(name) for name in found.family.offloads}
        names |= {"cliff": _("cliff"), "pool": _("KV pool"), "tier": _("host tier")}
        load = _("load (live session trees)")
        if chart == "rates":
            drawn = rates_figure(found.family, names, load, _("share of prompt tokens"))
        else:
            drawn = cliff_figure(found.family, chart, names, load, str(decide_words.CLIFF_AXES[chart]))
    return HttpResponse(orjson.dumps(drawn), content_type="application/json")


@require_safe
@checked
def table_csv(request: HttpRequest, table: str) -> HttpResponse:
    """``rates``, ``cliff`` or ``pairs`` of every family of the place."""
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
    if table == "cliff":
        return csv_file("cache-cliff", CLIFF_HEADER, cliff_rows(found))
    if table != "pairs":
        raise Http404
    columns = ("family", "load", "kv_offload", "metric", "unit", "without", "with", "ratio")
    pairs = [
        (family.key, pair.load, pair.offload, key, METRICS[key].unit, *pair.values(key), pair.ratio(key))
        for family in found.families for pair in family.pairs for key in PAIRED
    ]  # fmt: skip
    return csv_file("cache-pairs", columns, pairs)


CLIFF_HEADER = (
    "family", "load", "kv_offload", "hit_rate", "theoretical_hit_rate", "ttft_p50 (s)",
    "output_throughput (tok/s)", "working_set (B)", "kv_pool (B)", "host_tier (B)", "points",
)  # fmt: skip


def cliff_rows(found: CacheFound) -> Iterator[tuple[Any, ...]]:
    for family in found.families:
        for at in family.loads:
            points = " ".join(str(point.id) for point in at.points)
            yield (family.key, at.load, at.offload, at.overall, at.theoretical, at.ttft, at.throughput,
                   at.working_set, at.pool, family.host_tier.get(at.offload), points)  # fmt: skip


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
        "missing": _missing(place, family) if place and family else [],
        "charts": list(decide_words.CLIFF_AXES.items()),
        "pairs": [(pair, [(key, _pair(pair.values(key), key)) for key in PAIRED]) for pair in family.pairs]
        if family
        else [],
        "paired": PAIRED,
    }


def _missing(place: Place, family: Family) -> list[str]:
    """What was not run, as far as anybody said so, and loads that were repeated unequally."""
    found = list(not_run(place.model, place.scenario, family.labels, get_language() or "en"))
    if len(family.offloads) > 1 and family.uneven:
        loads = ", ".join(map(str, family.uneven))
        found.append(
            _("Not repeated equally often with and without offload: load %(loads)s.") % {"loads": loads}
        )
    return found


def _pair(values: tuple[float | None, float | None], key: str) -> tuple[Compared, Compared]:
    without, offloaded = values
    direction = METRICS[key].direction
    return Compared(without, None, None, None), compared(without, offloaded, direction)


def _cliff_text(family: Family) -> str:
    found = family.cliff
    if found is None:
        return ""
    return _("cliff between load %(before)d and %(at)d: device %(high)s to %(low)s") % {
        "before": found.before,
        "at": found.at,
        "high": numbers.percent(f"{100 * found.device_before:.1f}"),
        "low": numbers.percent(f"{100 * found.device_at:.1f}"),
    }

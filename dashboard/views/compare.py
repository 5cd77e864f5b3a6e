"""Compare: the page, its figures, its tables as files."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard import decide_words, words
from dashboard.figures import numbers
from dashboard.figures.pareto import Axis
from dashboard.figures.side_figures import ecdf_figure, looks, overlay
from dashboard.views.compare_page import context, picking
from dashboard.views.compare_state import wanted_of
from dashboard.views.compare_tables import TABLES
from dashboard.views.csv_files import csv_file
from dashboard.views.errors import checked
from dashboard.views.parameters import BadParameterError, member
from results.metrics import METRICS
from results.models import Engine, Hardware
from results.queries.compare import Comparison, Wanted, compare
from results.queries.presets import sides_of
from results.queries.request_samples import QUANTITIES, distributions
from results.queries.sides import FEWEST, Asked, UnknownSideError

View = Callable[..., HttpResponse]


def _named(view: View) -> View:
    """A side that does not exist is a bad parameter of the address."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except UnknownSideError as error:
            raise BadParameterError(error.name, error.rule) from error

    return wrapped


@require_safe
@checked
@_named
def page(request: HttpRequest, pair: str | None = None) -> HttpResponse:
    wanted = _wanted(request, pair)
    if wanted.asked.count < FEWEST:
        return render(request, "decide/pick.html", picking(wanted))
    return render(request, "decide/compare.html", context(compare(wanted), pair))


@require_safe
@checked
@_named
def figure(request: HttpRequest, pair: str | None = None) -> HttpResponse:
    """Frontiers over each other, as the page draws them."""
    found = _compared(_wanted(request, pair))
    axes = _axis(found.wanted.x), _axis(found.wanted.y)
    drawn = overlay(looks(found.sides), found.sides, found.planes, axes, _hover(found))
    return _json(drawn)


@require_safe
@checked
@_named
def requests_figure(request: HttpRequest) -> HttpResponse:
    """Distributions of one quantity over the requests of each run, read from its records."""
    found = _compared(_wanted(request, None))
    quantity = member(request.GET, "quantity", QUANTITIES, "ttft")
    _attribute, unit = QUANTITIES[quantity]
    looked, runs = looks(found.sides), [_run_of(found, place) for place in range(len(found.sides))]
    known = [run for run in runs if run is not None]
    read = {one.run: one for one in distributions(known, found.load or 1, quantity)}
    curves = []
    for look, run in zip(looked, runs, strict=True):
        one = read.get(run) if run is not None else None
        if one is not None and one.ecdf is not None:
            curves.append((look, one.ecdf))
    drawn = ecdf_figure(curves, _(METRICS[f"{quantity}_p50"].name), unit, _("share of requests"), log=True)
    notes = [
        {
            "run": str(one.run),
            "requests": one.ecdf.n if one.ecdf else 0,
            "cut": one.cut,
            "problem": one.problem,
        }
        for one in read.values()
    ]
    return _json(drawn | {"samples": notes})


@require_safe
@checked
@_named
def table_csv(request: HttpRequest, table: str, pair: str | None = None) -> HttpResponse:
    if table not in TABLES:
        raise Http404
    header, rows = TABLES[table](_compared(_wanted(request, pair)))
    return csv_file(f"compare-{table}", header, rows)


def _wanted(request: HttpRequest, pair: str | None) -> Wanted:
    named: Asked | None = None
    if pair is not None:
        hardware = Hardware.objects.values_list("slug", flat=True)
        named = sides_of(pair, hardware, Engine.objects.values_list("slug", flat=True))
        if named is None:
            raise Http404
    return wanted_of(request.GET, named)


def _compared(wanted: Wanted) -> Comparison:
    if wanted.asked.count < FEWEST:
        raise BadParameterError("run", _("a comparison needs at least two sides"))
    return compare(wanted)


def _run_of(found: Comparison, place: int) -> Any:
    """The run whose requests stand for a side: of a side of many configurations there is none."""
    side, ids = found.sides[place], found.evidence[place] if found.evidence else ()
    if side.kind not in ("run", "recipe") or not ids:
        return None
    return next(point.run for point in side.points if point.id == ids[-1])


def _axis(key: str) -> Axis:
    metric = METRICS[key]
    return Axis(decide_words.label(key), metric.unit, False, words.better(metric.direction))


def _hover(found: Comparison) -> dict[int, tuple[str, ...]]:
    recipes = {recipe.id: recipe for side in found.sides for recipe in side.recipes}
    x, y = found.wanted.x, found.wanted.y
    lines = {}
    for side in found.sides:
        for point in side.points:
            values = [f"{decide_words.label(key)}: {numbers.short(point.values[key])} {METRICS[key].unit}"
                      for key in (x, y) if key in point.values]  # fmt: skip
            lines[point.id] = (side.name, f"{_('load')} {point.load}", *values, recipes[point.recipe].title)
    return lines


def _json(drawn: dict[str, Any]) -> HttpResponse:
    return HttpResponse(orjson.dumps(drawn), content_type="application/json")

"""Compare: the page, its figures, its tables as files."""

from collections.abc import Callable, Sequence
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
from dashboard.figures.side_figures import Look, ecdf_figure, looks, overlay
from dashboard.figures.side_telemetry import courses, telemetry_figure
from dashboard.views.compare_page import context, picking
from dashboard.views.compare_state import wanted_of
from dashboard.views.compare_tables import TABLES
from dashboard.views.csv_files import csv_file
from dashboard.views.errors import checked
from dashboard.views.parameters import BadParameterError, member
from results.analysis.column_file import PointColumns
from results.metrics import METRICS
from results.models import Engine, Hardware
from results.queries.compare import Comparison, Wanted, compare, place
from results.queries.presets import sides_of
from results.queries.side_columns import QUANTITIES, columns_of_points, distribution
from results.queries.sides import FEWEST, Asked, Gathered, UnknownSideError

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
    wanted = _several(_wanted(request, pair))
    table, planes = place(wanted)
    axes = _axis(wanted.x), _axis(wanted.y)
    return _json(overlay(looks(table.sides), table.sides, planes, axes, _hover(wanted, table.sides)))


@require_safe
@checked
@_named
def requests_figure(request: HttpRequest) -> HttpResponse:
    """Distributions of one quantity over the requests of the point that stands for each side."""
    found = _compared(_wanted(request, None))
    quantity = member(request.GET, "quantity", QUANTITIES, "ttft")
    read = [(point, look, distribution(columns, quantity)) for point, look, columns in _columns(found)]
    curves = [(look, one.ecdf) for _point, look, one in read if one.ecdf is not None]
    title, (_name, unit) = _(METRICS[f"{quantity}_p50"].name), QUANTITIES[quantity]
    drawn = ecdf_figure(curves, title, unit, _("share of requests"), log=True)
    notes = [
        {"point": point, "requests": one.ecdf.n if one.ecdf else 0, "problem": one.problem}
        for point, _look, one in read
    ]
    return _json(drawn | {"samples": notes})


@require_safe
@checked
@_named
def telemetry(request: HttpRequest) -> HttpResponse:
    """What engines and GPUs of all sides did, on one clock: seconds since the load began to be profiled."""
    found = _compared(_wanted(request, None))
    sides = [(look, courses(columns)) for _point, look, columns in _columns(found) if columns is not None]
    titles = {name: str(text) for name, text in decide_words.COURSES.items()}
    return _json(telemetry_figure(sides, titles, _("seconds since the load began to be profiled")))


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
    return compare(_several(wanted))


def _several(wanted: Wanted) -> Wanted:
    if wanted.asked.count < FEWEST:
        raise BadParameterError("run", _("a comparison needs at least two sides"))
    return wanted


def _columns(found: Comparison) -> list[tuple[int, Look, PointColumns | None]]:
    """Of each side that is a run or a recipe, the newest point at the load: its id, look and columns.

    No single point stands for a side of many configurations.
    """
    shown = [
        (ids[-1], look)
        for side, look, ids in zip(found.sides, looks(found.sides), found.evidence, strict=bool(found.load))
        if side.kind in ("run", "recipe") and ids
    ]
    columns = columns_of_points([point for point, _look in shown])
    return [(point, look, columns.get(point)) for point, look in shown]


def _axis(key: str) -> Axis:
    metric = METRICS[key]
    return Axis(decide_words.label(key), metric.unit, False, words.better(metric.direction))


def _hover(wanted: Wanted, sides: Sequence[Gathered]) -> dict[int, tuple[str, ...]]:
    titles = {recipe.id: recipe.title for side in sides for recipe in side.recipes}
    names = {key: decide_words.label(key) for key in (wanted.x, wanted.y)}
    load, lines = _("load"), {}
    for side in sides:
        for point in side.points:
            values = [f"{name}: {numbers.measured(point.values[key], METRICS[key].unit)}"
                      for key, name in names.items() if key in point.values]  # fmt: skip
            lines[point.id] = (side.name, f"{load} {point.load}", *values, titles[point.recipe])
    return lines


def _json(drawn: dict[str, Any]) -> HttpResponse:
    return HttpResponse(orjson.dumps(drawn), content_type="application/json")

"""History: one metric of one configuration over time, with change points and what was changed meanwhile."""

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard import decide_words, words
from dashboard.figures import numbers
from dashboard.figures.colour import family, ramp
from dashboard.figures.escaping import escape
from dashboard.figures.over_time import Line, over_time_figure
from dashboard.figures.pareto import Axis
from dashboard.views.csv_files import csv_file
from dashboard.views.errors import checked
from dashboard.views.history_page import changes_of, context
from dashboard.views.history_state import series_of
from results.analysis.history import Observed
from results.metrics import METRICS
from results.queries.history import History, history


@require_safe
@checked
def page(request: HttpRequest) -> HttpResponse:
    found = history(series_of(request.GET))
    return render(request, "decide/history.html", context(found, request.build_absolute_uri("/")))


@require_safe
@checked
def figure(request: HttpRequest) -> HttpResponse:
    found = history(series_of(request.GET))
    key = found.series.metric
    metric = METRICS[key]
    recipe = found.family.recipe if found.family else None
    colour = ramp(family(recipe.vendor, recipe.kind) if recipe else "other", 1)[0]
    axis = Axis(decide_words.label(key), metric.unit, False, words.better(metric.direction))
    drawn = over_time_figure(
        found.observed, [_hover(one, metric.unit) for one in found.observed], colour, axis, _lines(found)
    )
    return HttpResponse(orjson.dumps(drawn), content_type="application/json")


@require_safe
@checked
def table_csv(request: HttpRequest, table: str) -> HttpResponse:
    """``values`` or ``changes``."""
    found = history(series_of(request.GET))
    unit = METRICS[found.series.metric].unit
    if table == "values":
        header = ("measured_at", "metric", "value", "unit", "engine_build", "interpolated",
                  "leave_one_out_error", "run", "points")  # fmt: skip
        rows = [
            (one.at, found.series.metric, one.value, unit, one.version, one.interpolated, one.error, one.run,
             " ".join(map(str, one.points)))
            for one in found.observed
        ]  # fmt: skip
        return csv_file("history-values", header, rows)
    if table != "changes":
        raise Http404
    columns = ("at", "run", "status", "gain", "before", "unit", "votes", "algorithm_version", "note", "id")
    return csv_file(
        "history-changes",
        columns,
        [
            (row.at, row.run, row.status, row.gain, row.before, unit, " ".join(row.votes), row.version,
             row.note, row.id)
            for row in changes_of(found)
        ],
    )  # fmt: skip


def _lines(found: History) -> list[Line]:
    """Rejected ones are not drawn; what nobody decided about is dotted."""
    return [
        Line(
            row.at,
            numbers.percent(f"{'+' if row.gain > 0 else ''}{100 * row.gain:.1f}"),
            row.status in ("accepted", "moved"),
        )
        for row in changes_of(found)
        if row.status != "rejected" and row.at is not None
    ]


def _hover(one: Observed, unit: str) -> str:
    kind = _("interpolated") if one.interpolated else _("measured")
    error = f" ±{numbers.share(one.error)}" if one.error is not None else ""
    lines = (
        f"{numbers.measured(one.value, unit)} · {kind}{error}",
        f"{one.at:%Y-%m-%d %H:%M} UTC",
        one.version,
    )
    return "<br>".join(escape(line) for line in lines)

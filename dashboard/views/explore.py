"""Explore: the scatter, its table twin, and the same numbers as CSV and JSON."""

from dataclasses import replace

import orjson
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.figures.arrange import Arranged, arrange
from dashboard.figures.steps import METRICS as STEP_METRICS
from dashboard.views.errors import checked
from dashboard.views.explore_figure import drawing
from dashboard.views.explore_files import as_document, as_table
from dashboard.views.explore_page import context
from dashboard.views.explore_state import ExploreState
from results.analysis.plane import directed
from results.queries.explore import Explored
from results.queries.plane import ALL, AUTO, RECIPE, View, fetch, look, place, resolved

_BEST = ("hardware",)


@require_safe
@checked
def page(request: HttpRequest) -> HttpResponse:
    return render(request, "explore/page.html", context(*load(request)))


@require_safe
@checked
def parts(request: HttpRequest) -> HttpResponse:
    """What changes with the address or with new points; the page swaps it in."""
    response = render(request, "explore/parts.html", context(*load(request)))
    response["Cache-Control"] = "no-store"
    return response


@require_safe
@checked
def figure(request: HttpRequest) -> HttpResponse:
    """The chart alone, as Plotly takes it."""
    return HttpResponse(orjson.dumps(drawing(*load(request))), content_type="application/json")


@require_safe
@checked
def as_csv(request: HttpRequest) -> HttpResponse:
    return _file(as_table(*load(request)), "text/csv; charset=utf-8", "northstar-explore.csv")


@require_safe
@checked
def as_json(request: HttpRequest) -> HttpResponse:
    content = orjson.dumps(as_document(*load(request)))
    return _file(content, "application/json", "northstar-explore.json")


def load(request: HttpRequest) -> tuple[ExploreState, Arranged]:
    """The state of an address and what it shows: the same for page, files and figure."""
    return arranged(ExploreState.parse(request.GET))


def arranged(state: ExploreState) -> tuple[ExploreState, Arranged]:
    """What a state shows; ``auto`` is settled by what there is to show."""
    view = replace(state.view, also=STEP_METRICS)
    explored, table = fetch(view)
    best = _shows_best(state, view, explored)
    group_by = _split(_BEST if best else resolved(view, explored), state.facet)
    found = place(replace(view, group_by=group_by), explored, table)
    choice = replace(state.choice, only_frontier=best or state.show == "frontier")
    shown = arrange(found, choice)
    first = found.explored.places[0] if found.explored.places else None
    over = state.over(first.model, first.scenario) if first is not None else None
    if over is None:
        return state, shown
    other = look(replace(over.view, also=STEP_METRICS, group_by=group_by))
    return state, replace(shown, over=arrange(other, choice, under=shown))


def _split(group_by: tuple[str, ...], facet: str) -> tuple[str, ...]:
    """A line of several values of the facet would run through several panels."""
    if not facet or facet in group_by or group_by == (RECIPE,):
        return group_by
    return (facet,) if group_by == (ALL,) else (*group_by, facet)


def _shows_best(state: ExploreState, view: View, explored: Explored) -> bool:
    """Many recipes on several parts begin with what each part can do at best."""
    if state.show != "auto":
        return state.show == "best"
    several = len({recipe.hardware for recipe in explored.recipes}) > 1
    grouped = state.group == (AUTO,) and resolved(view, explored) != (RECIPE,)
    return several and grouped and directed(view.x, view.y)


def _file(content: bytes, media_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=media_type, headers=headers)

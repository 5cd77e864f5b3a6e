"""Explore: the scatter, its table twin, and the same numbers as CSV and JSON."""

import csv
import io
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.figures.arrange import Arranged, Row, arrange
from dashboard.views.errors import checked
from dashboard.views.explore_page import context
from dashboard.views.explore_state import ExploreState
from results.queries.explore import Explored, explore


@require_safe
@checked
def page(request: HttpRequest) -> HttpResponse:
    return render(request, "explore/page.html", _context(request))


@require_safe
@checked
def parts(request: HttpRequest) -> HttpResponse:
    """What changes with the address or with new points; the page swaps it in."""
    response = render(request, "explore/parts.html", _context(request))
    response["Cache-Control"] = "no-store"
    return response


@require_safe
@checked
def as_csv(request: HttpRequest) -> HttpResponse:
    state, _explored, arranged = _load(request)
    text = io.StringIO()
    rows = [_record(row, state) for row in arranged.rows]
    writer = csv.DictWriter(text, fieldnames=_columns(state), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return _file(text.getvalue().encode("utf-8"), "text/csv; charset=utf-8", "northstar-explore.csv")


@require_safe
@checked
def as_json(request: HttpRequest) -> HttpResponse:
    state, explored, arranged = _load(request)
    document = {
        "model": explored.model,
        "scenario": explored.scenario,
        "x": state.x,
        "y": state.y,
        "validity": explored.validity,
        "left_out": dict(arranged.left_out),
        "rows": [_record(row, state) for row in arranged.rows],
    }
    return _file(orjson.dumps(document), "application/json", "northstar-explore.json")


def _load(request: HttpRequest) -> tuple[ExploreState, Explored, Arranged]:
    state = ExploreState.parse(request.GET)
    explored = explore(state.selection)
    return state, explored, arrange(explored, state.choice)


def _context(request: HttpRequest) -> dict[str, Any]:
    return context(*_load(request))


def _columns(state: ExploreState) -> list[str]:
    fixed = ["rank", "hardware", "gpus", "engine", "engine_version", "precision", "recipe", "fingerprint"]
    return [
        *fixed,
        "load",
        *dict.fromkeys((state.x, state.y)),
        "on_frontier",
        "validity",
        "measured_at",
        "run",
    ]


def _record(row: Row, state: ExploreState) -> dict[str, Any]:
    recipe = row.entry.recipe
    return {
        "rank": row.rank,
        "hardware": recipe.hardware,
        "gpus": recipe.gpu_count,
        "engine": recipe.engine,
        "engine_version": recipe.engine_version,
        "precision": recipe.precision,
        "recipe": row.point.label,
        "fingerprint": recipe.fingerprint,
        "load": row.point.load,
        state.x: row.x,
        state.y: row.y,
        "on_frontier": row.on_frontier,
        "validity": row.point.validity,
        "measured_at": row.measured_at.isoformat(),
        "run": str(row.point.run),
    }


def _cell(value: Any) -> Any:
    """A spreadsheet must not read a name as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t")) else value


def _file(content: bytes, media_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=media_type, headers=headers)

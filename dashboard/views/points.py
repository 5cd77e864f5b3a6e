"""The page of one point, what its script draws, and the document that measures it again."""

from typing import Any

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.figures.point.figures import figures, to_json
from dashboard.figures.point.sheet import Sheet
from dashboard.views.errors import checked
from dashboard.views.point_page import context
from dashboard.views.point_state import PointState
from results.queries.point_detail import point_columns, point_detail


@require_safe
@checked
def page(request: HttpRequest, identifier: int) -> HttpResponse:
    state = PointState.parse(request.GET)
    detail = point_detail(identifier)
    if detail is None:
        raise Http404
    return render(request, "points/page.html", context(detail, state, request.build_absolute_uri("/")))


@require_safe
@checked
def figure(request: HttpRequest, identifier: int) -> HttpResponse:
    """Lines, dots and bars, thinned to what a screen can show; the page says what is left out."""
    state = PointState.parse(request.GET)
    found = point_columns(identifier)
    if found is None:
        raise Http404
    row, columns = found
    drawn: dict[str, Any] = {"timeline": None, "charts": [], "words": {}}
    if columns is not None:
        sheet = Sheet(columns, row.values, warmup=state.warmup)
        drawn = to_json(figures(sheet, state.lane), sheet)
    return HttpResponse(orjson.dumps(drawn), content_type="application/json")


@require_safe
def document(request: HttpRequest, identifier: int) -> HttpResponse:  # noqa: ARG001
    """The run document with this load alone, as ``python -m workers run`` reads it."""
    detail = point_detail(identifier)
    if detail is None or detail.document is None:
        raise Http404
    alone = {**detail.document, "loads": [detail.row.load]}
    content = orjson.dumps(alone, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    headers = {"Content-Disposition": f'attachment; filename="point-{identifier}.json"'}
    return HttpResponse(content, content_type="application/json", headers=headers)

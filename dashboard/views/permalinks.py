"""Figures that were kept: ``/p/<id>/``."""

from datetime import datetime
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dashboard import words
from dashboard.figures.arrange import DRAWN, Arranged
from dashboard.views.errors import checked, too_many
from dashboard.views.explore import arranged
from dashboard.views.explore_figure import drawing
from dashboard.views.explore_files import as_document, columns, csv_of
from dashboard.views.explore_state import ExploreState
from dashboard.views.explore_table import SIZE
from dashboard.views.parameters import BadParameterError, refuse_unknown
from dashboard.views.quantities import whole
from results.api.throttling import address_of, take_allowance
from results.models import Permalink
from results.services.permalinks import freeze


@require_POST
@checked
def create(request: HttpRequest) -> HttpResponse:
    """Keep what the address in the form shows now; each one is a row for good, so not many a minute."""
    seconds = take_allowance("permalink", address_of(request))
    if seconds is not None:
        what = _("This address has asked to keep many figures within a minute. No figure was kept.")
        return too_many(request, seconds, what)
    state, found = arranged(ExploreState.parse(QueryDict(request.POST.get("query", ""))))
    if len(found.rows) > DRAWN:
        rule = _("more than %(most)s points cannot be kept; choose a filter first") % {"most": f"{DRAWN:,}"}
        raise BadParameterError("query", rule)
    return redirect("permalink", identifier=freeze(query=state.query(), document=_frozen(state, found)).id)


@require_safe
@checked
def page(request: HttpRequest, identifier: str) -> HttpResponse:
    kept = get_object_or_404(Permalink, id=identifier)
    document: dict[str, Any] = kept.document
    refuse_unknown(request.GET, ("row",))
    total = len(document["rows"])
    first = min(whole(request.GET, "row") or 0, max(0, total - 1)) // SIZE * SIZE
    left_out = [(words.word(words.LEFT_OUT, reason), n) for reason, n in document["left_out"].items()]
    context = {
        "kept": kept,
        "document": document,
        "rows": [_shown(row, document) for row in document["rows"][first : first + SIZE]],
        "lines": any(row["series"] != row["hardware"] for row in document["rows"]),
        "newest": _moment(document["versions"].get("newest_point_at")),
        "total": total,
        "from_row": first + 1,
        "to_row": min(first + SIZE, total),
        "before": first - SIZE if first else None,
        "after": first + SIZE if first + SIZE < total else None,
        "left_out": left_out,
        "left_out_total": sum(document["left_out"].values()),
    }
    return render(request, "permalinks/page.html", context)


def _shown(row: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """A row with its two values by axis, and its moment as one."""
    values = {axis: row.get(document[axis]["metric"]) for axis in ("x", "y")}
    return row | values | {"measured_at": datetime.fromisoformat(row["measured_at"])}


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


@require_safe
def figure(request: HttpRequest, identifier: str) -> HttpResponse:  # noqa: ARG001
    document = get_object_or_404(Permalink, id=identifier).document
    return HttpResponse(orjson.dumps(document["figure"]), content_type="application/json")


@require_safe
def as_json(request: HttpRequest, identifier: str) -> HttpResponse:  # noqa: ARG001
    kept = get_object_or_404(Permalink, id=identifier)
    document = {"kept_at": kept.created_at, "query": kept.query, **kept.document}
    return _file(orjson.dumps(document), "application/json", f"northstar-{kept.id}.json")


@require_safe
def as_csv(request: HttpRequest, identifier: str) -> HttpResponse:  # noqa: ARG001
    kept = get_object_or_404(Permalink, id=identifier)
    content = csv_of(kept.document["rows"], kept.document["columns"])
    return _file(content, "text/csv; charset=utf-8", f"northstar-{kept.id}.csv")


def _frozen(state: ExploreState, found: Arranged) -> dict[str, Any]:
    """All that the page will ever show, as plain JSON; the whole price table with its source."""
    table = found.plane.table if found.plane.priced else None
    place = found.plane.explored.places[0] if found.plane.explored.places else None
    document = {
        **as_document(state, found),
        "model_name": place.model_name if place else None,
        "columns": columns(state),
        "figure": drawing(state, found),
        "price_table": table.model_dump(mode="json") if table else None,
        "until": max((row.measured_at for row in found.rows), default=None),
    }
    plain: dict[str, Any] = orjson.loads(orjson.dumps(document))
    return plain


def _file(content: bytes, media_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=media_type, headers=headers)

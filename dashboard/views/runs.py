"""Runs: the list, and the page of one."""

import uuid
from typing import Any

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard.views.errors import checked
from dashboard.views.parameters import BadParameterError, member, one, refuse_unknown
from dashboard.views.run_page import context
from dashboard.views.runs_page import listing_context
from results.models import State
from results.queries.keyset import Cursor
from results.queries.run_detail import run_detail, run_document
from results.queries.runs import RunFilters, run_page

_KNOWN = ("state", "label", "host", "q", "after")


@require_safe
@checked
def listing(request: HttpRequest) -> HttpResponse:
    return render(request, "runs/listing.html", _listing(request))


@require_safe
@checked
def listing_parts(request: HttpRequest) -> HttpResponse:
    return _fresh(render(request, "runs/listing_parts.html", _listing(request)))


@require_safe
def page(request: HttpRequest, identifier: uuid.UUID) -> HttpResponse:
    return render(request, "runs/page.html", _detail(request, identifier))


@require_safe
def parts(request: HttpRequest, identifier: uuid.UUID) -> HttpResponse:
    return _fresh(render(request, "runs/parts.html", _detail(request, identifier)))


@require_safe
def document(request: HttpRequest, identifier: uuid.UUID) -> HttpResponse:  # noqa: ARG001
    """The run document, as ``python -m workers run`` reads it."""
    found = run_document(identifier)
    if found is None:
        raise Http404
    content = orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    headers = {"Content-Disposition": 'attachment; filename="run.json"'}
    return HttpResponse(content, content_type="application/json", headers=headers)


def _listing(request: HttpRequest) -> dict[str, Any]:
    query = request.GET
    refuse_unknown(query, _KNOWN)
    state = member(query, "state", ["", *State.values], "")
    filters = RunFilters(
        states=(state,) if state else (),
        label=one(query, "label"),
        host=one(query, "host"),
        search=one(query, "q"),
    )
    after = one(query, "after")
    return listing_context(filters, after, run_page(filters, _cursor(after) if after else None))


def _cursor(text: str) -> Cursor:
    try:
        return Cursor.decode(text)
    except ValueError as error:
        raise BadParameterError("after", _("must come from the link to the next page")) from error


def _detail(request: HttpRequest, identifier: uuid.UUID) -> dict[str, Any]:
    found = run_detail(identifier)
    if found is None:
        raise Http404
    return context(found, request.build_absolute_uri("/"))


def _fresh(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "no-store"
    return response

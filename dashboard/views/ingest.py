"""Uploads and quarantine: what came in, what waits, and why."""

import uuid
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard.views.errors import checked
from dashboard.views.parameters import BadParameterError, member, one, refuse_unknown
from results.queries.keyset import Cursor, RowCursor
from results.queries.quarantine import (
    CAUSES,
    QuarantineFilter,
    quarantine_counts,
    quarantine_page,
    unknown_values,
)
from results.queries.uploads import UploadDetail, upload_detail, upload_page

Kind = TypeVar("Kind", Cursor, RowCursor)
#: Files of one report that a page shows; the API has all of them.
_FILES = 500


@require_safe
@checked
def uploads(request: HttpRequest) -> HttpResponse:
    refuse_unknown(request.GET, ("after",))
    after = one(request.GET, "after")
    page = upload_page(_cursor(Cursor, after))
    context = {"page": page, "next": _query(after=page.next), "later": bool(after)}
    return render(request, "ingest/uploads.html", context)


@require_safe
def upload(request: HttpRequest, identifier: uuid.UUID) -> HttpResponse:
    found = upload_detail(identifier)
    if found is None:
        raise Http404
    return render(request, "ingest/upload.html", _upload_context(found))


@require_safe
@checked
def quarantine(request: HttpRequest) -> HttpResponse:
    refuse_unknown(request.GET, ("cause", "resolved", "after"))
    cause = member(request.GET, "cause", ["", *CAUSES], "")
    resolved = member(request.GET, "resolved", ["", "1"], "")
    after = one(request.GET, "after")
    filters = QuarantineFilter(cause=cause, resolved=bool(resolved))
    page = quarantine_page(filters, _cursor(RowCursor, after))
    counts = quarantine_counts()
    context = {
        "page": page,
        "cause": cause,
        "resolved": resolved,
        "total": sum(counts.values()),
        "causes": [(name, count, _query(cause=name)) for name, count in counts.items()],
        "unknown": [] if resolved else unknown_values(),
        "next": _query(cause=cause, resolved=resolved, after=page.next),
        "first": _query(cause=cause, resolved=resolved),
        "later": bool(after),
    }
    return render(request, "ingest/quarantine.html", context)


def _upload_context(found: UploadDetail) -> dict[str, Any]:
    numbers = {file.path: file.file for file in found.files}
    reports = [] if found.report is None else found.report["files"]
    return {
        "upload": found,
        "files": [(report, numbers.get(report["path"])) for report in reports[:_FILES]],
        "hidden": max(len(reports) - _FILES, 0),
    }


def _cursor(kind: type[Kind], text: str) -> Kind | None:
    if not text:
        return None
    try:
        return kind.decode(text)
    except ValueError as error:
        raise BadParameterError("after", _("must come from the link to the next page")) from error


def _query(**pairs: str | None) -> str:
    """Empty without a value for ``after`` where that is what the link is for."""
    if "after" in pairs and not pairs["after"]:
        return ""
    return urlencode({name: value for name, value in pairs.items() if value})

"""One file that somebody brought: what is wrong with it, and the form that completes its identity."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from dashboard.views.errors import checked
from dashboard.views.form_token import TokenRefusedError, form_token
from dashboard.views.identity_form import JSON, TOKEN, example, form_fields, read_form, stated_fields
from dashboard.views.parameters import member, refuse_unknown
from dashboard.views.preview import preview
from results.documents.refusal import DocumentError
from results.queries.quarantine import QuarantineFilter, QuarantineRow, quarantine_page
from results.queries.result_files import FileDetail, file_detail
from results.services.complete_identity import complete_identity
from results.services.deliveries import DOOR_FORMATS

SCOPE = "worker"
_PLACES = 100


@require_http_methods(["GET", "HEAD", "POST"])
@checked
def page(request: HttpRequest, file_id: int) -> HttpResponse:
    found = file_detail(file_id)
    if found is None:
        raise Http404
    if request.method == "POST":
        return _complete(request, found)
    refuse_unknown(request.GET, ("read",))
    context = _context(found) | {"saved": member(request.GET, "read", ["", "1"], "") == "1"}
    return render(request, "ingest/file.html", context)


def _complete(request: HttpRequest, found: FileDetail) -> HttpResponse:
    """Nothing of the form but the token is lost when something is refused."""
    sent = {name: str(request.POST[name]) for name in request.POST if name != TOKEN}
    try:
        identity = read_form(request.POST)
        token = form_token(request, request.POST.get(TOKEN, ""), SCOPE)
        file, _report = complete_identity(
            file_id=found.id, identity=identity, token=token, request_id=request.META["REQUEST_ID"]
        )
    except TokenRefusedError as error:
        context = _context(found, sent) | {"refused": True, "token_problem": str(error)}
        return render(request, "ingest/file.html", context, status=error.status)
    except DocumentError as error:
        problems = {item["pointer"]: item["message"] for item in error.problems}
        return render(request, "ingest/file.html", _context(found, sent, problems), status=422)
    response = redirect("result-file", file_id=file.id)
    response["Location"] += "?read=1"
    return response


def _context(
    found: FileDetail, sent: Mapping[str, str] | None = None, problems: Mapping[str, str] | None = None
) -> dict[str, Any]:
    sent, problems = sent or {}, problems or {}
    waiting = quarantine_page(QuarantineFilter(file=found.id), size=_PLACES).rows
    missing = list(dict.fromkeys(pointer for row in waiting for pointer in row.missing))
    # What was stated may be what is wrong, so it is asked again while something waits.
    typed = {**(stated_fields(found.identity) if waiting else {}), **sent}
    asked = [*missing, *(name for name in typed if name.startswith("/") and name not in missing)]
    fields = form_fields(asked, typed, problems)
    names = {field.name for field in fields}
    return {
        "file": found,
        "waiting": waiting,
        "unknown": _unknown(waiting),
        "content": preview(found.sha256),
        "completable": found.format not in DOOR_FORMATS,
        "fields": fields,
        "json": sent.get(JSON, ""),
        "example": example(missing or ["/recipe/precision"]),
        "refused": bool(problems),
        "problems": {place: text for place, text in problems.items() if place not in names},
        "scope": SCOPE,
    }


def _unknown(rows: Iterable[QuarantineRow]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((row.unknown_kind, row.unknown_value) for row in rows if row.unknown_kind))

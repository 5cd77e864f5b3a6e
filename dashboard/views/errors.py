"""Error pages: what failed, the request's identifier, what still works."""

import math
from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.views.parameters import BadParameterError

View = Callable[..., HttpResponse]


def checked(view: View) -> View:
    """A bad parameter becomes a page with status 400 that names it."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except BadParameterError as error:
            context = {
                "title": _("This address cannot be read"),
                "sentence": _("One parameter of the address breaks a rule, so nothing was looked up."),
                "parameter": error.name,
                "rule": error.rule,
                "path": request.path,
            }
            return render(request, "errors/error.html", context, status=400)

    return wrapped


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    return _error(request, 400, _("This request cannot be read"), _("The server refused it as malformed."))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    return _error(request, 403, _("Not allowed"), _("This address is not open to you."))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001
    sentence = _("The form was older than its protection. Go back, reload the page and send it again.")
    return _error(request, 403, _("Not allowed"), sentence)


def too_many(request: HttpRequest, seconds: float, what: str) -> HttpResponse:
    """``what`` was asked for too often; the header and the page say when to try again."""
    wait = max(1, math.ceil(seconds))
    again = ngettext("Try again in %(count)d second.", "Try again in %(count)d seconds.", wait)
    response = _error(request, 429, _("Too many requests"), f"{what} {again % {'count': wait}}")
    response.headers["Retry-After"] = str(wait)
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    return _error(request, 404, _("There is no such page"), _("The address may be old or misspelt."))


def server_error(request: HttpRequest) -> HttpResponse:
    sentence = _("The fault is ours and has been logged under the request identifier below.")
    return _error(request, 500, _("The server failed"), sentence)


def _error(request: HttpRequest, status: int, title: str, sentence: str) -> HttpResponse:
    return render(request, "errors/error.html", {"title": title, "sentence": sentence}, status=status)

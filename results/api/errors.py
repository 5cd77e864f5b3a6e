"""One shape for every error: ``{"error": {"code", "message", "request_id", "problems"}}``."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.signals import got_request_exception
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse, UnreadablePostError
from rest_framework import exceptions

from results.documents.refusal import DocumentError, Problem
from results.documents.strict_json import MalformedJsonError
from results.ingest.manifest import BundleError
from results.services.cancel_run import ForeignRunError
from results.services.idempotency import KeyConflictError
from results.storage import ArtifactMissingError, StorageFullError

logger = logging.getLogger(__name__)

UNKNOWN = "There is nothing at this address; addresses end with a slash."
#: status: (code, message)
ERRORS: dict[int, tuple[str, str]] = {
    400: ("malformed", "The request could not be read."),
    401: ("unauthorized", "A valid token is needed: Authorization: Bearer <token>."),
    403: ("forbidden", "The token's scope does not allow this."),
    404: ("not_found", "There is no such object."),
    405: ("method_not_allowed", "This address does not know this method."),
    406: ("not_acceptable", "None of the accepted media types can be produced."),
    409: ("conflict", "The Idempotency-Key was used for another request."),
    413: ("too_large", "The body is larger than this address accepts."),
    415: ("unsupported_media_type", "The body's media type is not accepted here."),
    422: ("invalid", "The request was understood and refused; problems says why."),
    429: ("throttled", "Too many requests."),
    500: ("internal", "The server made a mistake; the request_id finds it in the log."),
    503: ("unavailable", "The database cannot be reached; try again."),
    507: ("storage_full", "The artifact store has no space left; nothing was stored."),
}


#: Exceptions that say no more than their status.
_STATUS: dict[type[Exception], int] = {
    KeyConflictError: 409,
    UnreadablePostError: 400,
    Http404: 404,
    ForeignRunError: 404,
    ArtifactMissingError: 404,
    StorageFullError: 507,
}


class BadQuery(Exception):
    """Parameters of an address that are unknown or ill-typed; each problem says what is allowed."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(str(problems))
        self.problems = problems


class TooLarge(exceptions.APIException):
    """The body exceeds a limit that ``detail`` states."""

    status_code = 413


@dataclass(frozen=True)
class Failure:
    """What is answered; ``message`` defaults to the status's own."""

    status: int
    message: str = ""
    problems: Sequence[Problem] = ()
    headers: dict[str, str] = field(default_factory=dict)

    def body(self, request: HttpRequest) -> dict[str, Any]:
        code, message = ERRORS[self.status]
        return {
            "error": {
                "code": code,
                "message": self.message or message,
                "request_id": request.META.get("REQUEST_ID", ""),
                "problems": list(self.problems),
            }
        }


def exception_handler(error: Exception, context: dict[str, Any]) -> JsonResponse:
    """Called by Django REST framework for whatever a view raises; an error is JSON whatever was asked for."""
    request: HttpRequest = context["request"]._request
    failure = failure_of(error)
    if failure.status == 500:
        logger.error("unhandled in %s", request.path, exc_info=error)
        # What Django does for its own views: error reporters and the test client listen to it.
        got_request_exception.send(sender=None, request=request)
    return JsonResponse(failure.body(request), status=failure.status, headers=failure.headers)


def failure_of(error: Exception) -> Failure:
    """The HTTP answer to an exception."""
    match error:
        case DocumentError() | BadQuery():
            return Failure(400 if isinstance(error, BadQuery) else 422, problems=error.problems)
        case BundleError():
            return Failure(422, problems=[Problem(pointer="", rule="bundle", message=str(error))])
        case MalformedJsonError():
            return Failure(400, f"The body is not JSON: {error}")
        case OperationalError() | InterfaceError():
            logger.warning("database: %s", error)
            return Failure(503, headers={"Retry-After": "5"})
        case exceptions.APIException():
            return _framework_failure(error)
        case _:
            return Failure(_STATUS.get(type(error), 500))


def _framework_failure(error: exceptions.APIException) -> Failure:
    headers = {}
    if error.status_code == 401:
        headers["WWW-Authenticate"] = str(getattr(error, "auth_header", ""))
    if isinstance(error, exceptions.Throttled):
        headers["Retry-After"] = str(math.ceil(getattr(error, "wait", None) or 1))
    if isinstance(error, TooLarge):
        return Failure(413, str(error.detail))
    return Failure(error.status_code if error.status_code in ERRORS else 500, headers=headers)


def unknown_address(request: HttpRequest, path: str = "") -> JsonResponse:  # noqa: ARG001
    """404 in the API's own shape."""
    return JsonResponse(Failure(404, UNKNOWN).body(request), status=404)


unknown_address.csrf_exempt = True  # type: ignore[attr-defined]

"""GitHub's webhook: signed deliveries about pull requests. Without a secret this address does not exist."""

import re
from typing import IO, Any, cast

from django.conf import settings
from django.http import HttpResponse, JsonResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.errors import UNKNOWN, Failure
from results.api.parsers import read_bounded
from results.api.query import StrictViewSet
from results.api.serializers.github import WebhookRead
from results.api.throttling import AuthFailureThrottle
from results.documents.refusal import DocumentError, Problem
from results.documents.strict_json import loads
from results.github.signature import is_signed
from results.services.receive_webhook import receive_webhook

_DELIVERY = re.compile(r"[A-Za-z0-9-]{1,64}")
#: The library's annotation says names, its code passes on security requirements.
_SIGNED = cast(Any, [{"signature": []}])
_HEADERS = [
    OpenApiParameter(name, OpenApiTypes.STR, OpenApiParameter.HEADER, description=text)
    for name, text in (
        ("X-Hub-Signature-256", "`sha256=` and the HMAC-SHA256 of the body under the shared secret"),
        ("X-GitHub-Event", "only `pull_request` is acted on"),
        ("X-GitHub-Delivery", "identifier of the delivery; each is acted on once"),
    )
]


class GitHubWebhook(StrictViewSet):
    """The signature takes the place of a token, and only refused ones count against a limit."""

    authentication_classes: list[type] = []
    permission_classes: list[type] = []
    throttle_classes: list[type] = []

    @extend_schema(
        operation_id="receive_github_webhook",
        parameters=_HEADERS,
        request=OpenApiTypes.OBJECT,
        responses=WebhookRead,
        auth=_SIGNED,
    )
    def receive(self, request: Request) -> HttpResponse:
        """A delivery of GitHub, acted on once. 404 unless the operator has set a secret."""
        if not settings.GITHUB_WEBHOOK_SECRET:
            return _refuse(request, 404, UNKNOWN)
        body = read_bounded(request._request, cast(IO[bytes], request._request))
        if not is_signed(
            settings.GITHUB_WEBHOOK_SECRET, body, request.headers.get("X-Hub-Signature-256", "")
        ):
            AuthFailureThrottle().count(request)
            return _refuse(request, 401, "X-Hub-Signature-256 does not fit the body.")
        if request.content_type.partition(";")[0].strip() != "application/json":
            return _refuse(request, 415, "Set the content type of the webhook to application/json.")
        if request.headers.get("X-GitHub-Event") != "pull_request":
            return Response({"outcome": "ignored"})
        return Response({"outcome": _received(request, body) or "repeated"})


def _received(request: Request, body: bytes) -> str | None:
    delivery, payload = request.headers.get("X-GitHub-Delivery", ""), loads(body)
    if not _DELIVERY.fullmatch(delivery):
        raise _refused("", "delivery", "X-GitHub-Delivery: 1 to 64 letters, digits and hyphens")
    if not isinstance(payload, dict):
        raise _refused("", "object", "a delivery is a JSON object")
    return receive_webhook(delivery=delivery, body=body, payload=payload)


def _refused(pointer: str, rule: str, message: str) -> DocumentError:
    return DocumentError([Problem(pointer=pointer, rule=rule, message=message)])


def _refuse(request: Request, status: int, message: str) -> HttpResponse:
    content: Any = Failure(status, message).body(request._request)
    return JsonResponse(content, status=status)

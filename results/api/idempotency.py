"""``Idempotency-Key`` for the views that create or change something."""

import hashlib
import re
from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from results.api.authentication import token_of
from results.documents.canonical import canonical_json
from results.documents.refusal import DocumentError, Problem
from results.services.idempotency import Answer, answer_once

_KEY = re.compile(r"[\x21-\x7e]{1,128}")


def answer(status: int, body: Any) -> Answer:
    """An answer whose body is rendered once and for all."""
    return Answer(status, JSONRenderer().render(body).decode("utf-8"))


def answered(
    request: Request, act: Callable[[], Answer], sha256: Callable[[], str] | None = None
) -> HttpResponse:
    """Run ``act``, at most once per key; a replay says so in a header.

    Two requests are the same if their bodies are the same JSON, however spaced, or have the same ``sha256``.
    """
    key = request.headers.get("Idempotency-Key")
    result = act() if key is None else _once(request, key, act, sha256 or (lambda: _body_sha256(request)))
    response = HttpResponse(result.body, status=result.status, content_type="application/json")
    if result.replayed:
        response.headers["Idempotent-Replayed"] = "true"
    return response


def _body_sha256(request: Request) -> str:
    return hashlib.sha256(canonical_json(request.data)).hexdigest()


def _once(request: Request, key: str, act: Callable[[], Answer], sha256: Callable[[], str]) -> Answer:
    if not _KEY.fullmatch(key):
        message = "Idempotency-Key: 1 to 128 printable ASCII characters without spaces"
        raise DocumentError([Problem(pointer="", rule="idempotency_key", message=message)])
    return answer_once(
        token=token_of(request),
        route=f"{request.method} {request.path}",
        key=key,
        request_sha256=sha256(),
        act=act,
    )

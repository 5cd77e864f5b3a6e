"""Request bodies. Everything doubtful is refused before a view sees it."""

from collections.abc import Mapping
from typing import IO, Any

from django.http import HttpRequest
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser

from results.api.errors import TooLarge
from results.documents import strict_json

#: Bytes of a JSON body.
MAX_BODY = 2 * 1024 * 1024


class StrictJSONParser(BaseParser):
    """UTF-8 JSON of at most 2 MiB; see results.documents.strict_json for what else is refused."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        request: HttpRequest = (parser_context or {})["request"]
        charset = (request.content_params or {}).get("charset", "utf-8").lower()
        encoding = request.headers.get("Content-Encoding", "identity")
        if charset not in ("utf-8", "utf8") or encoding != "identity":
            raise UnsupportedMediaType(media_type or "")
        return strict_json.loads(read_bounded(request, stream))


def read_bounded(request: HttpRequest, stream: IO[Any]) -> bytes:
    """The body; TooLarge as soon as its declared or its real length exceeds MAX_BODY."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BODY:
        raise TooLarge(f"A JSON body has at most {MAX_BODY} bytes.")
    body: bytes = stream.read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise TooLarge(f"A JSON body has at most {MAX_BODY} bytes.")
    return body

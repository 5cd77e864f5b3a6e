"""Request bodies. Everything doubtful is refused before a view sees it."""

from collections.abc import Mapping
from typing import IO, Any

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser, DataAndFiles, MultiPartParser

from results.api.errors import TooLarge
from results.documents import strict_json

#: Bytes of a JSON body.
MAX_BODY = 2 * 1024 * 1024
#: Bytes of an uploaded bundle.
MAX_BUNDLE = 512 * 1024 * 1024
#: Bytes of a request with result files.
MAX_UPLOAD = 256 * 1024 * 1024


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


class TarParser(BaseParser):
    """An uncompressed tar of at most 512 MiB, handed on as the stream it is."""

    media_type = "application/x-tar"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        request: HttpRequest = (parser_context or {})["request"]
        if request.headers.get("Content-Encoding", "identity") != "identity":
            raise UnsupportedMediaType(media_type or "")
        # Django reads no further than the declared length.
        check_length(request, MAX_BUNDLE)
        return stream


class ResultFilesParser(MultiPartParser):
    """multipart/form-data of at most 256 MiB in all."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> "DataAndFiles[Any, Any]":
        request: HttpRequest = (parser_context or {})["request"]
        if request.headers.get("Content-Encoding", "identity") != "identity":
            raise UnsupportedMediaType(media_type or "")
        check_length(request, MAX_UPLOAD)
        try:
            return super().parse(stream, media_type, parser_context)
        except SuspiciousOperation as error:
            raise TooLarge(f"This address takes fewer parts: {error}") from None


def read_bounded(request: HttpRequest, stream: IO[Any]) -> bytes:
    """The body; TooLarge as soon as its declared or its real length exceeds MAX_BODY."""
    check_length(request, MAX_BODY)
    body: bytes = stream.read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise TooLarge(f"This address takes at most {MAX_BODY} bytes.")
    return body


def check_length(request: HttpRequest, limit: int) -> None:
    """TooLarge when the declared length exceeds ``limit`` bytes."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > limit:
        raise TooLarge(f"This address takes at most {limit} bytes.")

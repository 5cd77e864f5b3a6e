"""The beginning of a stored file as text that can be shown."""

import codecs
import zlib
from dataclasses import dataclass

from results.storage import ArtifactError, open_artifact

_SIZE = 4096
_HEX = 256
_GZIP = b"\x1f\x8b"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Preview:
    """``text`` is None when the bytes cannot be read; ``kind`` is text, gzip or binary."""

    text: str | None
    kind: str
    whole: bool


def preview(sha256: str) -> Preview:
    """At most 4096 bytes of a file, unpacked where it is gzip'd, in hexadecimal where it is no text."""
    try:
        with open_artifact(sha256) as stream:
            body = stream.read(_SIZE + 1)
    except ArtifactError:
        return Preview(None, "binary", whole=False)
    kind = "text"
    whole = len(body) <= _SIZE
    if body.startswith(_GZIP):
        kind, body, whole = "gzip", _unpacked(body), False
    text = _text(body[:_SIZE])
    if text is None:
        return Preview(body[:_HEX].hex(" "), "binary", whole=len(body) <= _HEX)
    return Preview(text, kind, whole)


def _unpacked(body: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(body, _SIZE)
    except zlib.error:
        return body


def _text(body: bytes) -> str | None:
    """The characters; None for what is no text. A character that was cut in two is left out."""
    encoding = next((name for mark, name in _MARKS if body.startswith(mark)), "utf-8")
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(body)
    if any(letter < " " and letter not in "\t\n\r\f" for letter in text):
        return None
    return text

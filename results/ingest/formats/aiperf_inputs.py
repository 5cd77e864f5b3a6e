"""``inputs.json`` of AIPerf: the payloads that its client sent. It holds no measured number. Pure."""

from collections.abc import Iterator

from results.ingest.json_stream import outline
from results.ingest.rows import Remark, Row, Source

NAME = "aiperf-inputs"
PARSER_VERSION = "aiperf-inputs/1"

_SESSION = frozenset({"session_id", "payloads"})


def detect(source: Source) -> str | None:
    """``inputs`` for sessions of payloads, however large the file is."""
    found = outline(source)
    of_sessions = found.kind == "object" and found.nested.get("data", frozenset()) >= _SESSION
    return "inputs" if of_sessions else None


def read(source: Source) -> Iterator[Row]:  # noqa: ARG001
    yield Remark("", "what the client sent; no measured number stands in it")

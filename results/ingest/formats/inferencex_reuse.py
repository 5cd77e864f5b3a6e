"""``reuse_source_run.json`` of InferenceX: which run measured what another one published. Pure.

It stands beside the results and names none of them, so nothing is applied to any row: who imports a reused
sweep states the measuring run as ``source_run`` in ``identity.json``.
"""

from collections.abc import Iterator

from results.ingest.fields import Fields
from results.ingest.json_stream import outline
from results.ingest.reading import json_document
from results.ingest.rows import Remark, Row, Source

NAME = "inferencex-reuse"
PARSER_VERSION = "inferencex-reuse/1"

_KEYS = frozenset({"source_run_id", "source_run_attempt"})
_LONGEST = 256


def detect(source: Source) -> str | None:
    """``reuse_source_run`` for an object that names both runs, or the measuring one alone."""
    found = outline(source)
    return "reuse_source_run" if found.kind == "object" and found.keys >= _KEYS else None


def read(source: Source) -> Iterator[Row]:
    document = Fields.of(json_document(source))
    measured, published = _run(document, "source"), _run(document, "ingest")
    told = f", published by {published}" if published else ""
    yield Remark("", f"measured by {measured}{told}; state it as source_run in identity.json")


def _run(document: Fields, role: str) -> str:
    """The address of a run or its number, and which attempt."""
    number = document.values.get(f"{role}_run_id")
    name = document.text(f"{role}_run_url") or ("" if number is None else str(number))
    attempt = document.values.get(f"{role}_run_attempt")
    if not name:
        return ""
    if len(name) > _LONGEST or not name.isprintable():
        document.fail(f"{role}_run_url", f"must be at most {_LONGEST} printable characters")
    return name if attempt is None else f"{name}, attempt {str(attempt)[:12]}"

"""``agg_bmk.json``: all aggregates of one InferenceX run in one array, unordered, some twice. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from results.ingest.formats import inferencex_agentic, inferencex_fixed
from results.ingest.json_stream import json_rows, outline
from results.ingest.rows import FormatError, Rejected, Row, Source

NAME = "inferencex-results"
PARSER_VERSION = "inferencex-results/1"


def detect(source: Source) -> str | None:
    found = outline(source)
    if found.kind != "array":
        return None
    if inferencex_fixed.is_fixed(found.keys):
        return inferencex_fixed.generation(found.keys)
    return "agentic" if inferencex_fixed.is_agentic(found.keys) else None


def read(source: Source) -> Iterator[Row]:
    for found in json_rows(source):
        if isinstance(found, Rejected):
            yield found
        else:
            yield from _read_row(found[1], found[0])


def _read_row(row: Any, pointer: str) -> Iterator[Row]:
    try:
        if not isinstance(row, Mapping):
            raise FormatError(pointer, "must be an object")
        reader = inferencex_agentic if inferencex_fixed.is_agentic(row.keys()) else inferencex_fixed
        yield from reader.read_row(row, pointer)
    except FormatError as error:
        yield Rejected(error.pointer, error.reason)

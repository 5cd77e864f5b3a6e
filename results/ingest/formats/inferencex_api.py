"""Captures of the InferenceX API: ``/api/v1/benchmarks`` and ``/api/v1/benchmarks/history``. Pure.

One row per point; times in seconds. Rows that are not disaggregated mirror their one role into two, with
0 workers, and some count TP * EP GPUs. Histories lack images, means and spreads.
"""

from collections.abc import Iterator
from typing import Any

from results.ingest.fields import Fields
from results.ingest.formats.inferencex_identity import API
from results.ingest.formats.inferencex_points import Cells, read_point
from results.ingest.json_stream import json_rows, outline
from results.ingest.rows import FormatError, Rejected, Row, Source

NAME = "inferencex-api"
PARSER_VERSION = "inferencex-api/1"

_POINT = frozenset({"hardware", "framework", "model", "conc", "metrics"})


def detect(source: Source) -> str | None:
    found = outline(source)
    if found.kind != "array" or not found.keys >= _POINT or "task" in found.keys:
        return None
    return "benchmarks" if "image" in found.keys else "benchmarks-history"


def read(source: Source) -> Iterator[Row]:
    for found in json_rows(source):
        yield from [found] if isinstance(found, Rejected) else _read_row(found[1], found[0])


def _read_row(value: Any, pointer: str) -> Iterator[Row]:
    try:
        row = Fields.of(value, pointer)
        metrics = row.inner("metrics")
    except FormatError as error:
        yield Rejected(error.pointer, error.reason)
        return
    if row.values.get("benchmark_type") == "agentic_traces":
        yield Rejected(pointer, "an agentic point as the dashboard reduced it; read its aggregate instead")
    else:
        yield from read_point(Cells(row, metrics, API))

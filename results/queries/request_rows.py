"""Rows of one point's requests, engine samples and GPU samples: for the page, the API and CSV files."""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from results.analysis.column_file import PointColumns
from results.analysis.gpu_columns import QUANTITIES
from results.analysis.request_columns import RequestColumns
from results.analysis.requests import RequestRecord
from results.documents.export import FORMULA

Array = NDArray[Any]
#: What requests may be sorted by; all but the time they were sent descend.
SORTS = ("start", "ttft", "itl", "latency", "input", "output", "cached")
_COLUMNS = {"input": "input_tokens", "output": "output_tokens", "cached": "cached_tokens"}


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One request as it is shown; ``sent_at`` in seconds after the first profiled one. None is absent."""

    line: int
    outcome: str
    sent_at: float
    record: RequestRecord


def request_page(requests: RequestColumns, sort: str, first: int, size: int) -> list[RequestRow]:
    """``size`` rows from place ``first`` on; absent values come last."""
    return rows_of(requests, _order(requests, sort)[first : first + size])


def rows_of(requests: RequestColumns, places: Array) -> list[RequestRow]:
    zero = zero_ns(requests)
    return [_row(record, zero) for record in requests.take(places).records()]


def zero_ns(requests: RequestColumns) -> int:
    """When the first profiled request was sent, or the first of all; epoch nanoseconds."""
    starts, profiled = requests["start_ns"], requests["profiled"]
    if not len(starts):
        return 0
    return int(starts[profiled].min() if profiled.any() else starts.min())


def outcome(record: RequestRecord) -> str:
    """warmup, cancelled, overflow, failed or ok: the first that fits."""
    if not record.profiled:
        return "warmup"
    if record.cancelled:
        return "cancelled"
    if record.overflow:
        return "overflow"
    return "ok" if record.failure is None else "failed"


def _row(record: RequestRecord, zero: int) -> RequestRow:
    return RequestRow(record.line, outcome(record), (record.start_ns - zero) / 1e9, record)


def _order(requests: RequestColumns, sort: str) -> Array:
    if sort == "start":
        return np.argsort(requests["start_ns"], kind="stable")
    values = requests[_COLUMNS.get(sort, sort)].astype(np.float64)
    absent = np.isnan(values) | (values < 0) if sort in _COLUMNS else np.isnan(values)
    return np.argsort(np.where(absent, np.inf, -values), kind="stable")


#: CSV columns of a request: unit, and how to read it.
_CELLS: dict[str, tuple[str, Callable[[RequestRow], Any]]] = {
    "line": ("", lambda row: row.line),
    "outcome": ("", lambda row: row.outcome),
    "conversation": ("", lambda row: row.record.conversation),
    "session": ("", lambda row: row.record.session),
    "tree": ("", lambda row: row.record.root),
    "turn": ("", lambda row: row.record.turn),
    "agent_depth": ("", lambda row: row.record.agent_depth),
    "issued": ("ns since 1970", lambda row: row.record.issued_ns),
    "start": ("ns since 1970", lambda row: row.record.start_ns),
    "end": ("ns since 1970", lambda row: row.record.end_ns),
    "sent_at": ("s", lambda row: row.sent_at),
    "ttft": ("s", lambda row: row.record.ttft),
    "itl": ("s", lambda row: row.record.itl),
    "latency": ("s", lambda row: row.record.latency),
    "input_tokens": ("tok", lambda row: row.record.input_tokens),
    "output_tokens": ("tok", lambda row: row.record.output_tokens),
    "cached_tokens": ("tok", lambda row: row.record.cached_tokens),
    "failure": ("", lambda row: None if row.record.failure is None else row.record.failure.kind),
    "failure_code": ("", lambda row: None if row.record.failure is None else row.record.failure.code),
    "failure_message": ("", lambda row: None if row.record.failure is None else row.record.failure.message),
}
#: Tables that a point may have.
TABLES = ("requests", "engine", "gpu")


def table_lines(columns: PointColumns, table: str) -> Iterator[str]:
    """A table as CSV, line by line; the header names units. KeyError for what the point does not have."""
    header, rows = {"requests": _requests, "engine": _engine, "gpu": _gpu}[table](columns)
    yield _line(header)
    for row in rows:
        yield _line([_cell(value) for value in row])


Table = tuple[Sequence[str], Iterator[Sequence[Any]]]


def _requests(columns: PointColumns) -> Table:
    requests = columns.requests
    if requests is None:
        raise KeyError("requests")
    header = [f"{name} ({unit})" if unit else name for name, (unit, _read) in _CELLS.items()]
    zero = zero_ns(requests)
    rows = (_row(record, zero) for record in requests.records())
    return header, ([read(row) for _unit, read in _CELLS.values()] for row in rows)


def _engine(columns: PointColumns) -> Table:
    engine = columns.engine
    if engine is None:
        raise KeyError("engine")
    arrays = [engine.at.tolist(), *(array.tolist() for array in engine.columns.values())]
    return ["at (unix s)", *engine.columns], zip(*arrays, strict=True)


def _gpu(columns: PointColumns) -> Table:
    if columns.gpu is None:
        raise KeyError("gpu")
    names = ("at", *QUANTITIES)
    rows = (
        (gpu, *row)
        for gpu, arrays in columns.gpu.gpus.items()
        for row in zip(*(arrays[name].tolist() for name in names), strict=True)
    )
    return ["gpu", "at (unix s)", *QUANTITIES], rows


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, str):
        # A spreadsheet would run it as a formula.
        return f"'{value}" if value.startswith(FORMULA) else value
    return repr(value) if isinstance(value, float) else str(value)


def _line(cells: Sequence[str]) -> str:
    text = StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()

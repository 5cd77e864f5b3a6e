"""AIPerf's CSV exports as the documents that its JSON exports are. Pure.

Figures in the tables are rounded, to two decimals in the summary and to four in the engine metrics.
"""

import csv
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from results.ingest.reading import lines
from results.ingest.rows import FormatError, Source

SUMMARY_HEADER = "Metric,avg,min,max"
SERVER_HEADER = "Endpoint,Type,Metric,Unit"
TIMESLICE_HEADER = "Timeslice,Start_NS,End_NS,Metric"
SERVER_TITLE = "# AIPerf Server Metrics Export"
_NAME = re.compile(r"(.*?)(?: \(([^()]*)\))?")
#: Names in the table that are not the tag with spaces.
_TAGS: Mapping[str, str] = {
    "total_input_sequence_length": "total_isl",
    "total_output_sequence_length": "total_osl",
}
_STATISTICS = frozenset({
    "avg", "min", "max", "std", "sum", "count", "total", "rate", "rate_avg", "rate_min", "rate_max",
    "rate_std", "count_rate", "sum_rate", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99",
})  # fmt: skip
_NO_LABELS = frozenset({"Endpoint", "Type", "Metric", "Unit", "Description", "buckets"})
Section = tuple[list[str], list[tuple[str, list[str]]]]


def summary_document(source: Source) -> dict[str, Any]:
    """``profile_export_aiperf.csv`` as metric objects by tag; raises FormatError."""
    document: dict[str, Any] = {}
    for header, rows in _sections(source):
        for place, cells in rows:
            found = _NAME.fullmatch(cells[0])
            name, unit = (cells[0], "") if found is None else (found[1], found[2] or "")
            tag = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
            statistics = {
                "avg" if column == "Value" else column: _number(cell, place)
                for column, cell in zip(header[1:], cells[1:], strict=False)
                if cell
            }
            document[_TAGS.get(tag, tag)] = {"unit": unit, **statistics}
    return document


def server_document(source: Source) -> dict[str, Any]:
    """``server_metrics_export.csv`` as ``{"metrics": {name: {"series": [...]}}}``; raises FormatError."""
    metrics: dict[str, Any] = {}
    for header, rows in _sections(source):
        if header[:4] == ["Endpoint", "Metric", "Key", "Value"]:
            _add_information(metrics, rows)
        elif header[:4] == SERVER_HEADER.split(","):
            for place, cells in rows:
                entry = dict(zip(header, cells, strict=False))
                series = {"labels": _labels(entry), "stats": _stats(entry, place)}
                metrics.setdefault(entry.get("Metric", ""), {"series": []})["series"].append(series)
    return {"metrics": metrics}


def _sections(source: Source) -> Iterator[Section]:
    """Header and rows of each table; tables are separated by empty lines."""
    header: list[str] = []
    rows: list[tuple[str, list[str]]] = []
    for place, cells in _rows(source):
        if not any(cells):
            if header:
                yield header, rows
            header, rows = [], []
        elif not header:
            header = cells
        else:
            rows.append((place, cells))
    if header:
        yield header, rows


def _rows(source: Source) -> Iterator[tuple[str, list[str]]]:
    reader = csv.reader((_line(number, line) for number, line in lines(source)), strict=True)
    try:
        for cells in reader:
            if not (cells and cells[0].startswith("#")):
                yield f"line {reader.line_num}", [cell.strip() for cell in cells]
    except csv.Error as error:
        raise FormatError(f"line {reader.line_num}", f"not CSV: {error}") from None


def _line(number: int, line: str) -> str:
    if "\0" in line:
        raise FormatError(f"line {number}", "a NUL character")
    return line + "\n"


def _labels(entry: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in entry.items()
        if value and name not in _NO_LABELS and name not in _STATISTICS and not name.endswith("_estimate")
    }


def _stats(entry: Mapping[str, str], place: str) -> dict[str, float]:
    return {name: _number(value, place) for name, value in entry.items() if value and name in _STATISTICS}


def _add_information(metrics: dict[str, Any], rows: list[tuple[str, list[str]]]) -> None:
    """Information metrics are a row per label; a label that comes again begins the next series."""
    last: tuple[str, str] | None = None
    for _place, cells in rows:
        endpoint, name, key, value = (*cells, "", "", "", "")[:4]
        series = metrics.setdefault(name, {"series": []})["series"]
        if last != (endpoint, name) or key in series[-1]["labels"]:
            series.append({"labels": {}, "stats": {}})
        series[-1]["labels"][key] = value
        last = endpoint, name


def _number(cell: str, place: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        raise FormatError(place, f"{cell[:32]!r} is no number") from None
    if not math.isfinite(value):
        raise FormatError(place, "must be a finite number")
    return value

"""CSV exports of the InferenceX dashboard. Pure.

Columns headed ``(ms)`` hold seconds in some exports. What a row holds is proven by its own numbers:
median TPOT times median interactivity is 1 in seconds and 1000 in milliseconds.
"""

import csv
import math
from collections.abc import Iterator, Mapping

from results.ingest.fields import Fields
from results.ingest.formats.inferencex_identity import API
from results.ingest.formats.inferencex_points import Cells, read_point
from results.ingest.formats.inferencex_readings import TOLERANCE
from results.ingest.reading import head, lines
from results.ingest.rows import FormatError, Rejected, Row, Source

NAME = "inferencex-csv"
PARSER_VERSION = "inferencex-csv/1"

_IDENTITY: Mapping[str, str] = {
    "Model": "model", "ISL": "isl", "OSL": "osl", "Hardware": "hardware", "Framework": "framework",
    "Precision": "precision", "TP": "tp", "PP": "pp", "EP": "ep", "DP Attention": "dp_attention",
    "Concurrency": "conc", "Date": "date", "Disaggregated": "disagg", "Spec Decoding": "spec_method",
    "Num Prefill GPUs": "num_prefill_gpu", "Num Decode GPUs": "num_decode_gpu", "Image": "image",
    "Is Multinode": "is_multinode",
}  # fmt: skip
_THROUGHPUT: Mapping[str, str] = {
    "Throughput/GPU (tok/s)": "tput_per_gpu",
    "Output Throughput/GPU (tok/s)": "output_tput_per_gpu",
    "Input Throughput/GPU (tok/s)": "input_tput_per_gpu",
}
_QUANTITIES: Mapping[str, str] = {
    "TTFT (ms)": "ttft", "TPOT (ms)": "tpot", "ITL (ms)": "itl", "E2E Latency (ms)": "e2el",
    "Interactivity (tok/s/user)": "intvty",
}  # fmt: skip
_STATS = ("Mean", "Median", "P75", "P90", "P95", "P99", "P99.9", "Std")
_NUMBERS: Mapping[str, str] = {
    **_THROUGHPUT,
    **{f"{stat} {title}": f"{stat.lower()}_{name}" for stat in _STATS for title, name in _QUANTITIES.items()},
}
_COUNTS = frozenset({"isl", "osl", "tp", "pp", "ep", "conc", "num_prefill_gpu", "num_decode_gpu"})
#: Hardware, framework and speculation in one word, which stand in columns of their own.
_REPEATED = frozenset({"Hardware Key"})
_HEADER = ("Hardware Key", "Throughput/GPU (tok/s)")


def detect(source: Source) -> str | None:
    header = next((line for line in head(source).splitlines() if line.strip() and line[0] != "#"), "")
    return "1" if all(column in header for column in _HEADER) else None


def read(source: Source) -> Iterator[Row]:
    for place, cells in _table(source):
        try:
            yield from _read_row(place, cells)
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)


def _table(source: Source) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Line and cells of each row, none of one with another width; the licence stands behind number signs."""
    header: list[str] = []
    for number, line in lines(source):
        if not line.strip() or line.startswith("#"):
            continue
        cells = _cells(line)
        if header:
            yield f"line {number}", dict(zip(header, cells, strict=True)) if len(cells) == len(header) else {}
        elif len(set(cells)) < len(cells):
            raise FormatError(f"line {number}", "a column stands twice")
        header = header or cells


def _cells(line: str) -> list[str]:
    """The cells; none of a line that is no CSV or has a NUL, which PostgreSQL does not store."""
    if "\0" in line:
        return []
    try:
        return [cell.strip() for cell in next(csv.reader([line], strict=True))]
    except csv.Error:
        return []


def _read_row(place: str, cells: Mapping[str, str]) -> Iterator[Row]:
    if not cells:
        raise FormatError(place, "as many cells as columns are needed")
    stated = {column: text for column, text in cells.items() if text}
    identity: dict[str, str | int] = {}
    for column, name in _IDENTITY.items():
        if column in stated:
            identity[name] = _count(stated[column], place, column) if name in _COUNTS else stated[column]
    numbers: dict[str, str | float] = {
        _NUMBERS[column]: _number(text, place, column)
        for column, text in stated.items()
        if column in _NUMBERS
    }
    known = {*_IDENTITY, *_NUMBERS, *_REPEATED}
    numbers.update({column: text for column, text in stated.items() if column not in known})
    if "isl" not in identity and "osl" not in identity:
        raise FormatError(place, "no sequence lengths: an agentic point, whose aggregate is read instead")
    fields = Fields(numbers, place)
    yield from read_point(Cells(Fields(identity, place), fields, API, _unit(fields)))


def _unit(numbers: Fields) -> float | None:
    """Seconds in one unit of the latencies; None where nothing proves it."""
    tpot, interactivity = numbers.number("median_tpot"), numbers.number("median_intvty")
    if tpot is None or interactivity is None:
        return None
    product = tpot * interactivity
    return next((1 / unit for unit in (1, 1000) if math.isclose(product, unit, rel_tol=TOLERANCE)), None)


def _count(text: str, place: str, column: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise FormatError(place, f"{column}: must be a whole number")
    return int(text)


def _number(text: str, place: str, column: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise FormatError(place, f"{column}: must be a number") from None
    if not math.isfinite(value):
        raise FormatError(place, f"{column}: must be finite")
    return value

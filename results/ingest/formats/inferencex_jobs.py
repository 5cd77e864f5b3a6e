"""How many jobs succeeded: ``run_stats.json`` of one InferenceX run, the API's reliability rows. Pure.

A row of the API counts one run, without saying which; a day has as many rows as runs, so they are summed.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from results.ingest.fields import Fields
from results.ingest.formats.inferencex_points import read_day
from results.ingest.json_stream import json_rows, outline
from results.ingest.reading import json_document
from results.ingest.rows import FormatError, Rejected, Reliability, Remark, Row, Source

NAME = "inferencex-jobs"
PARSER_VERSION = "inferencex-jobs/1"

_COUNTS = frozenset({"n_success", "total"})
_DAILY = frozenset({"hardware", "date", *_COUNTS})


def detect(source: Source) -> str | None:
    """``daily`` or ``run-stats``."""
    found = outline(source)
    if found.kind == "array" and found.keys >= _DAILY:
        return "daily"
    counted = bool(found.nested) and all(keys >= _COUNTS for keys in found.nested.values())
    empty = all(value is None for value in found.scalars.values())
    return "run-stats" if found.kind == "object" and counted and empty else None


def read(source: Source) -> Iterator[Row]:
    if outline(source).kind == "array":
        yield from _read_daily(source)
    else:
        yield from _read_run(Fields.of(json_document(source)))


def _read_run(document: Fields) -> Iterator[Row]:
    for hardware, value in document.values.items():
        place = document.pointer(hardware)
        if value is None:
            # The producer writes null when it may not ask for the jobs.
            yield Rejected(place, "the producer could not count the jobs")
            continue
        try:
            yield _reliability(Fields.of(value, place), hardware, None)
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)


def _read_daily(source: Source) -> Iterator[Row]:
    days: dict[tuple[str, datetime], Reliability] = {}
    rows = 0
    for found in json_rows(source):
        if isinstance(found, Rejected):
            yield found
            continue
        try:
            row = _daily(found[1], found[0])
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)
            continue
        rows += 1
        key = row[0].hardware, row[1]
        days[key] = _sum(days[key], row[0]) if key in days else row[0]
    yield from days.values()
    yield Remark("", f"{rows} rows of single runs summed to {len(days)} of a hardware and a day")


def _daily(value: Any, place: str) -> tuple[Reliability, datetime]:
    row = Fields.of(value, place)
    hardware, day = row.text("hardware"), read_day(row, "date")
    if hardware is None or day is None:
        row.fail("hardware" if hardware is None else "date", "is missing")
    return _reliability(row, hardware, day), day


def _reliability(row: Fields, hardware: str, day: datetime | None) -> Reliability:
    succeeded, total = row.count("n_success"), row.count("total")
    if succeeded is None or total is None:
        row.fail("n_success" if succeeded is None else "total", "is missing")
    if succeeded > total:
        row.fail("n_success", "more jobs succeeded than there were")
    return Reliability(row.place, hardware, succeeded, total, day)


def _sum(first: Reliability, second: Reliability) -> Reliability:
    return Reliability(
        first.pointer,
        first.hardware,
        first.succeeded + second.succeeded,
        first.total + second.total,
        first.day,
    )

"""Requests of the multi-turn drivers of early 2026, one per CSV line, as request records. Pure.

The trace replay writes seconds since 1970 and the outcome of each request; the chat driver writes
milliseconds of the host's monotonic clock and answered requests only. Neither records a warm-up.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from results.analysis.requests import Phase, RequestFailure, RequestRecord
from results.ingest.formats.multiturn_cells import Cells
from results.ingest.reading import csv_rows
from results.ingest.rows import FormatError, Rejected, Source

REPLAY_COLUMNS = frozenset({
    "trace_id", "input_tokens", "output_tokens_actual", "ttft", "ttlt", "itl", "success",
    "request_start_time", "request_complete_time",
})  # fmt: skip
CHAT_COLUMNS = frozenset({
    "start_time_ms", "ttft_ms", "tpot_ms", "latency_ms", "input_num_tokens", "output_num_tokens",
})  # fmt: skip
#: The year 2100 in seconds since 1970, far beyond any uptime too.
_LATEST = 4_102_444_800
_LONGEST = 1e9


@dataclass(slots=True)
class Requests:
    records: list[RequestRecord] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_requests(source: Source, *, replay: bool) -> Requests:
    """Raises FormatError: with one request missing every statistic would be another."""
    found = Requests()
    blocks = _Blocks()
    for row in _rows(source):
        found.records.append(_replayed(row) if replay else _chatted(row))
        if replay:
            blocks.add(row)
    if replay:
        found.values, found.extra = blocks.values(), blocks.extra()
    else:
        found.notes.append("times are those of the host's own clock: the moment of the run is not known")
    return found


def _rows(source: Source) -> Iterator[Cells]:
    for item in csv_rows(source):
        if isinstance(item, Rejected):
            raise FormatError(item.pointer, item.reason)
        yield Cells(*item)


class _Blocks:
    """Prefix blocks of the requests. ``theoretical_cache_hit_blocks`` were issued earlier in this replay;
    ``cache_hit_blocks`` count turns before its start too."""

    def __init__(self) -> None:
        self._issued: float | None = None
        self._recorded = 0
        self._all = 0

    def add(self, row: Cells) -> None:
        hits, misses = row.count("cache_hit_blocks"), row.count("cache_miss_blocks")
        if hits is None or misses is None or row.flag("success") is False:
            return
        self._recorded += hits
        self._all += hits + misses
        issued = row.count("theoretical_cache_hit_blocks")
        if issued is not None:
            self._issued = (self._issued or 0) + issued

    def values(self) -> dict[str, float]:
        if self._issued is None or not self._all:
            return {}
        return {"theoretical_cache_hit_rate": self._issued / self._all}

    def extra(self) -> dict[str, Any]:
        return {"recorded_cache_hit_rate": self._recorded / self._all} if self._all else {}


def _replayed(row: Cells) -> RequestRecord:
    start, end = (_clock(row, name) for name in ("request_start_time", "request_complete_time"))
    success = row.flag("success")
    error = None if success is not False else RequestFailure("Error", None, row.text("error_message") or "")
    return _record(
        row, start, end, error,
        ttft=_seconds(row, "ttft", 1), latency=_seconds(row, "ttlt", 1), itl=_seconds(row, "itl", 1),
        inputs=row.count("input_tokens"), outputs=row.count("output_tokens_actual"),
    )  # fmt: skip


def _chatted(row: Cells) -> RequestRecord:
    start = _clock(row, "start_time_ms", scale=10**6)
    latency = _seconds(row, "latency_ms", 1000)
    if latency is None:
        row.fail("latency_ms", "must be present")
    return _record(
        row, start, start + round(latency * 10**9), None,
        ttft=_seconds(row, "ttft_ms", 1000), latency=latency, itl=_seconds(row, "tpot_ms", 1000),
        inputs=row.count("input_num_tokens"), outputs=row.count("output_num_tokens"),
    )  # fmt: skip


def _record(  # noqa: PLR0913
    row: Cells,
    start: int,
    end: int,
    error: RequestFailure | None,
    *,
    ttft: float | None,
    latency: float | None,
    itl: float | None,
    inputs: int | None,
    outputs: int | None,
) -> RequestRecord:
    if end < start:
        row.fail("request_complete_time", "is before request_start_time")
    return RequestRecord(
        line=int(row.place.removeprefix("line ")),
        phase=Phase.PROFILING,
        start_ns=start,
        end_ns=end,
        conversation=row.text("trace_id") or row.text("conversation_id"),
        turn=None,
        agent_depth=0,
        cancelled=False,
        overflow=False,
        failure=error,
        ttft=ttft,
        latency=latency,
        # One token has no gap; a writer puts zero there.
        itl=itl or None,
        full_response_itl=None,
        input_tokens=inputs,
        output_tokens=outputs,
        prompt_tokens=None,
        cached_tokens=None,
    )


def _clock(row: Cells, column: str, scale: int = 10**9) -> int:
    """Nanoseconds of a time that is written in 10^9 / ``scale`` parts of a second."""
    value = row.number(column)
    if value is None or value * scale > _LATEST * 10**9:
        row.fail(column, "must be a time")
    return round(value * scale)


def _seconds(row: Cells, column: str, divisor: int) -> float | None:
    value = row.number(column)
    if value is not None and value / divisor > _LONGEST:
        row.fail(column, f"must be at most {_LONGEST:.0e} s")
    return None if value is None else value / divisor

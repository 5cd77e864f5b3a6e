"""AIPerf exports as people have them: one folder of files is one point (bundles of our own: ``aiperf``).

Distribution and validity come from the records where every request has one, else from the client's
summary. Hardware, engine and GPU count stand in none of the files, so figures per GPU are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from results.analysis.requests import RecordError, RequestRecord, parse_record
from results.analysis.server import server_metrics, theoretical_hit_rate
from results.analysis.server_export import ServerExport
from results.analysis.summary import duration, summarize, window_ns
from results.analysis.validity import Conduct, Verdict, judge, judge_fixed
from results.documents.export import RECORDS_SHA256
from results.ingest.formats.aiperf_client import (
    about,
    clean,
    client_reasons,
    moment,
    overflows,
    phase_seconds,
)
from results.ingest.formats.aiperf_parts import POINTS, Part, part_of, partner
from results.ingest.formats.aiperf_setup import Setup, read_setup
from results.ingest.formats.aiperf_summary import Metrics, failed, successful, summary_values
from results.ingest.formats.aiperf_tables import server_document, summary_document
from results.ingest.json_stream import Scanner, members
from results.ingest.reading import check, chunks, file_digest, json_document, lines
from results.ingest.rows import FormatError, Remark, Result, Row, Source

NAME = "aiperf-export"
PARSER_VERSION = "aiperf-export/2"
_ENDS = ("min_request_timestamp", "max_response_timestamp")
_LATEST = 9e18


def detect(source: Source) -> str | None:
    """Part and schema version, such as ``profile_export_aiperf.json 1.2``."""
    found = part_of(source)
    return None if found is None else f"{found[0].value} {found[1]}"


def read(source: Source) -> Iterator[Row]:
    found = part_of(source)
    if found is None:
        raise FormatError("", "no export of AIPerf")
    part = found[0]
    better = POINTS[: POINTS.index(part)] if part in POINTS else POINTS
    for other in better:
        if partner(source, other) is not None:
            yield Remark("", f"read together with {other.value}")
            return
    if part not in POINTS:
        yield Remark("", f"{part.value} without the requests it belongs to makes no point")
        return
    yield _point(source, part)


@dataclass(slots=True)
class _Export:
    """``records`` is empty where they are missing, unreadable or not of every request.

    ``records_sha256`` is that of the file they stand in, by which pages find it again.
    """

    document: Mapping[str, Any]
    records: Sequence[RequestRecord] = ()
    records_sha256: str | None = None
    flags: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def profiled(self) -> list[RequestRecord]:
        return [record for record in self.records if record.profiled]


def _point(source: Source, part: Part) -> Result:
    export = _open(source, part)
    setup = read_setup(export.document)
    values, counts = _reduced(export)
    start, end = _window(export)
    return Result(
        pointer="",
        recipe=setup.recipe,
        scenario=setup.scenario,
        load=setup.load,
        values={**values, **_server(source, export.notes)},
        verdict=_verdict(export, setup),
        extra={
            **counts,
            **about(export.document, export.records),
            **_ids(export.document),
            **_records(export),
        },
        flags=export.flags,
        notes=tuple(export.notes),
        measured_at=start,
        started_at=start,
        ended_at=end,
        planned_window_seconds=setup.window,
    )


def _open(source: Source, part: Part) -> _Export:
    if part is Part.TABLE:
        notes = ["the table rounds to two decimals"]
        return _Export(summary_document(source), flags=("rounded",), notes=notes)
    if part is Part.RECORDS:
        notes = ["records alone state no planned window"]
        return _Export({}, list(_parse(source)), file_digest(source), notes=notes)
    document = json_document(source)
    if not isinstance(document, dict):
        raise FormatError("", "must be an object")
    beside = partner(source, Part.RECORDS)
    return _Export(document) if beside is None else _with_records(document, beside)


def _with_records(document: Mapping[str, Any], beside: Source) -> _Export:
    """Records of another number of requests than the client counted are not the whole run."""
    taken = "the client's summary is taken"
    try:
        records = list(_parse(beside))
    except FormatError as error:
        return _Export(document, notes=[f"{Part.RECORDS.value} cannot be read ({error}): {taken}"])
    counted, done = successful(Metrics(document)), sum(record.successful for record in records)
    if counted is None or counted == done:
        return _Export(document, records, file_digest(beside))
    note = f"{done} successful records of {counted} requests: {taken}"
    return _Export(document, flags=("records_incomplete",), notes=[note])


def _records(export: _Export) -> dict[str, str]:
    return {} if export.records_sha256 is None else {RECORDS_SHA256: export.records_sha256}


def _parse(source: Source) -> Iterator[RequestRecord]:
    for number, line in lines(source):
        if not line.strip():
            continue
        try:
            yield parse_record(line, number)
        except RecordError as error:
            raise FormatError(f"line {error.line}", error.problem) from None


def _reduced(export: _Export) -> tuple[dict[str, float], dict[str, int]]:
    """Request-side values without per-GPU figures, and counts that have no registry entry."""
    counts: dict[str, int] = {}
    if export.records:
        reduced = summarize(export.records, gpus=1)
        values = {key: value for key, value in reduced.values.items() if not key.endswith("_per_gpu")}
        theory, counts = theoretical_hit_rate(export.document), reduced.counts
        if theory is not None and 0 <= theory <= 1:
            values["theoretical_cache_hit_rate"] = theory
    else:
        values = summary_values(export.document)
    if values.get("requests_successful") == 0:
        values = {key: value for key, value in values.items() if key.startswith(("requests_", "error_"))}
    return values, counts


def _verdict(export: _Export, setup: Setup) -> Verdict:
    document, profiled, metrics = export.document, export.profiled, Metrics(export.document)
    done = sum(record.successful for record in profiled)
    errors = sum(record.failed for record in profiled)
    if not export.records:
        done, errors = successful(metrics) or 0, failed(metrics)
    cancelled, complete = document.get("was_cancelled") is True, document.get("is_complete") is not False
    if not setup.agentx and "input_config" in document:
        return judge_fixed(done, errors, refused=cancelled or not complete or bool(client_reasons(document)))
    return judge(
        Conduct(
            planned_seconds=setup.window,
            phase_seconds=phase_seconds(document),
            observed_seconds=duration(profiled) if profiled else metrics.seconds("benchmark_duration"),
            successful=done,
            failed=errors,
            overflows=overflows(document, profiled),
            unsafe_override=setup.unsafe_override,
            cancelled=cancelled,
            complete=complete,
            client_reasons=client_reasons(document),
            coverage_known=bool(export.records),
        )
    )


def _window(export: _Export) -> tuple[datetime | None, datetime | None]:
    """First start and last end of the profiled requests."""
    window = window_ns(export.profiled)
    if window is not None:
        return moment(window[0]), moment(window[1])
    metrics = Metrics(export.document)
    ends = [metrics.number(tag) for tag in _ENDS]
    # Later than the year 2255 is no clock.
    if any(
        end is None or end > _LATEST or metrics.unit(tag) != "ns"
        for tag, end in zip(_ENDS, ends, strict=True)
    ):
        return None, None
    return moment(int(ends[0] or 0)), moment(int(ends[1] or 0))


def _ids(document: Mapping[str, Any]) -> dict[str, Any]:
    """``benchmark_id`` is one load's own: as the id of a run it would tear the loads of a sweep apart."""
    names = ("benchmark_id", "schema_version")
    return {name: clean(document[name]) for name in names if document.get(name) is not None}


def _server(source: Source, notes: list[str]) -> dict[str, float]:
    """Engine metrics beside the point, unrounded ones first; what cannot be read is a note, the requests were
    measured all the same."""
    for part, open_document in ((Part.SERVER, _server_json), (Part.SERVER_TABLE, server_document)):
        beside = partner(source, part)
        if beside is None:
            continue
        try:
            return server_metrics(ServerExport(open_document(beside)))
        except ValueError as error:
            notes.append(f"{part.value} cannot be read: {error}")
    return {}


def _server_json(source: Source) -> dict[str, Any]:
    """The metrics one by one without their time slices, which can be gigabytes."""
    scanner = Scanner(chunks(source))
    metrics: dict[str, Any] = {}
    for key in members(scanner):
        if key != "metrics":
            scanner.value(f"/{key}")
            continue
        for name in members(scanner):
            value = scanner.value(f"/metrics/{name}")
            check(value, f"/metrics/{name}", finite=False)
            metrics[name] = _without_slices(value)
    return {"metrics": metrics}


def _without_slices(metric: Any) -> Any:
    series = metric.get("series") if isinstance(metric, dict) else None
    kept = [
        {name: entry.get(name) for name in ("labels", "stats")}
        for entry in (series if isinstance(series, list) else [])
        if isinstance(entry, dict)
    ]
    return {"series": kept}

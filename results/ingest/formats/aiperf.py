"""The folder of one load as AIPerf and the supervisor leave it, read into a RawPoint."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from results.analysis.power import Work, audit, parse_power
from results.analysis.requests import RecordError, RequestRecord, parse_records
from results.analysis.series import Window, parse_scrapes
from results.analysis.server import Counters, FirstOf, server_metrics, theoretical_hit_rate
from results.analysis.server_export import ServerExport
from results.analysis.summary import NANOSECONDS, duration, summarize, window_ns
from results.analysis.validity import Conduct, judge
from results.documents.base import one_line
from results.documents.evidence import LoadDocument
from results.ingest.formats.aiperf_client import (
    about,
    clean,
    client_reasons,
    moment,
    overflows,
    phase_seconds,
)
from results.ingest.raw_point import RawPoint, UnreadableError

PARSER_VERSION = "aiperf-1"
LOAD = "load.json"
RECORDS = "profile_export.jsonl"
SUMMARY = "profile_export_aiperf.json"
SERVER = "server_metrics_export.json"
TELEMETRY = "telemetry.jsonl"
GPU = "gpu.jsonl"
#: An hour of time slices of a large engine would not fit into memory as a tree; our scrapes stand in.
_LARGEST_EXPORT = 64 * 1024 * 1024


def read_load(folder: Path, gpus: int) -> RawPoint:
    """The point of one load on a deployment of ``gpus`` accelerators.

    Raises UnreadableError when its facts, records or summary cannot be read. Engine metrics that cannot
    be read leave their values absent and a note in ``extra``: the requests were measured all the same.
    """
    plan = _plan(folder)
    records = _records(folder)
    client = _summary(folder)
    profiled = [record for record in records if record.profiled]
    window = window_ns(profiled)
    reduced = summarize(records, gpus)
    server, unreadable = _server(folder, window)
    hit_rate = theoretical_hit_rate(client)
    theory = {} if hit_rate is None else {"theoretical_cache_hit_rate": hit_rate}
    energy, power = _power(folder, [record for record in profiled if record.successful], reduced.values, gpus)
    return RawPoint(
        load=plan.load,
        values={**reduced.values, **server, **theory, **energy},
        extra={**reduced.counts, **about(client, records), **unreadable, **power},
        verdict=judge(_conduct(plan, client, profiled)),
        parser_version=PARSER_VERSION,
        started_at=None if window is None else moment(window[0]),
        ended_at=None if window is None else moment(window[1]),
        planned_window_seconds=plan.planned_window_seconds,
    )


def _plan(folder: Path) -> LoadDocument:
    content = _content(folder, LOAD)
    try:
        return LoadDocument.model_validate_json(content)
    except ValidationError as error:
        raise UnreadableError(LOAD, one_line(error)) from error


def _records(folder: Path) -> list[RequestRecord]:
    path = folder / RECORDS
    if not path.is_file():
        raise UnreadableError(RECORDS, "the client left no records", missing=True)
    try:
        with path.open("rb") as lines:
            return list(parse_records(lines))
    except RecordError as error:
        raise UnreadableError(RECORDS, str(error)) from error


def _summary(folder: Path) -> Mapping[str, Any]:
    document = _json(folder, SUMMARY)
    if not isinstance(document, dict):
        raise UnreadableError(SUMMARY, "must be an object")
    return document


def _content(folder: Path, name: str) -> bytes:
    path = folder / name
    if not path.is_file():
        raise UnreadableError(name, "is missing", missing=True)
    return path.read_bytes()


def _json(folder: Path, name: str) -> Any:
    try:
        return json.loads(_content(folder, name), parse_constant=_refuse_constant)
    except UnreadableError:
        raise
    except (ValueError, RecursionError) as error:
        raise UnreadableError(name, f"not JSON ({error})") from error


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _server(folder: Path, window: tuple[int, int] | None) -> tuple[dict[str, float], dict[str, Any]]:
    """Engine metrics over the profiling window, and a note of files that could not be read."""
    sources: list[Counters] = []
    unreadable: dict[str, str] = {}
    # AIPerf scrapes at the borders of the phase, so its counters hold no warm-up; ours come a second apart.
    if (folder / SERVER).is_file():
        try:
            sources.append(ServerExport(_server_export(folder)))
        except ValueError as error:
            unreadable[SERVER] = str(error)
    if window is not None and (folder / TELEMETRY).is_file():
        try:
            with (folder / TELEMETRY).open("rb") as lines:
                scrapes = list(parse_scrapes(lines))
            sources.append(Window(scrapes, window[0] / NANOSECONDS, window[1] / NANOSECONDS))
        except ValueError as error:
            unreadable[TELEMETRY] = str(error)
    return server_metrics(FirstOf(sources)), {"unreadable": clean(unreadable)} if unreadable else {}


def _power(
    folder: Path, done: Sequence[RequestRecord], values: Mapping[str, float], gpus: int
) -> tuple[Mapping[str, float], dict[str, Any]]:
    """Energy over the window whose tokens are counted, and its audit; nothing where no GPU was sampled."""
    window = window_ns(done)
    if window is None or not (folder / GPU).is_file():
        return {}, {}
    with (folder / GPU).open("rb") as lines:
        log = parse_power(lines)
    seconds = values.get("duration", 0.0)
    work = Work(
        start=window[0] / NANOSECONDS,
        end=window[1] / NANOSECONDS,
        reported_seconds=values.get("duration"),
        requests=len(done),
        # Throughput is absent unless every answer states its tokens.
        input_tokens=values.get("input_throughput", 0.0) * seconds,
        output_tokens=values.get("output_throughput", 0.0) * seconds,
    )
    audited = audit(log, work, gpus)
    return audited.values, {"power": clean(audited.to_json())}


def _server_export(folder: Path) -> Any:
    size = (folder / SERVER).stat().st_size
    if size > _LARGEST_EXPORT:
        raise UnreadableError(SERVER, f"has {size} bytes, more than {_LARGEST_EXPORT}")
    return _json(folder, SERVER)


def _conduct(plan: LoadDocument, client: Mapping[str, Any], profiled: Sequence[RequestRecord]) -> Conduct:
    done = [record for record in profiled if record.successful]
    return Conduct(
        planned_seconds=plan.planned_window_seconds,
        phase_seconds=phase_seconds(client),
        observed_seconds=duration(profiled) if done else None,
        successful=len(done),
        failed=sum(record.failed for record in profiled),
        overflows=overflows(client, profiled),
        unsafe_override=plan.unsafe_override,
        cancelled=client.get("was_cancelled") is True,
        complete=client.get("is_complete") is not False and not plan.returncode,
        client_reasons=client_reasons(client),
    )

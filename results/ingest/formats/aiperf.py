"""The folder of one load as AIPerf and the supervisor leave it, read into a RawPoint."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from results.analysis.requests import RecordError, RequestRecord, parse_records
from results.analysis.series import Window, parse_scrapes
from results.analysis.server import Counters, FirstOf, server_metrics, theoretical_hit_rate
from results.analysis.server_export import ServerExport
from results.analysis.summary import NANOSECONDS, duration, summarize, window_ns
from results.analysis.validity import Conduct, judge
from results.documents.base import one_line
from results.documents.evidence import LoadDocument
from results.ingest.raw_point import RawPoint, UnreadableError

PARSER_VERSION = "aiperf-1"
LOAD = "load.json"
RECORDS = "profile_export.jsonl"
SUMMARY = "profile_export_aiperf.json"
SERVER = "server_metrics_export.json"
TELEMETRY = "telemetry.jsonl"
#: An hour of time slices of a large engine would not fit into memory as a tree; our scrapes stand in.
_LARGEST_EXPORT = 64 * 1024 * 1024
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


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
    return RawPoint(
        load=plan.load,
        values={**reduced.values, **server, **theory},
        extra={**reduced.counts, **_about(client, records), **unreadable},
        verdict=judge(_conduct(plan, client, profiled)),
        parser_version=PARSER_VERSION,
        started_at=None if window is None else _moment(window[0]),
        ended_at=None if window is None else _moment(window[1]),
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
    return server_metrics(FirstOf(sources)), {"unreadable": _clean(unreadable)} if unreadable else {}


def _server_export(folder: Path) -> Any:
    size = (folder / SERVER).stat().st_size
    if size > _LARGEST_EXPORT:
        raise UnreadableError(SERVER, f"has {size} bytes, more than {_LARGEST_EXPORT}")
    return _json(folder, SERVER)


def _conduct(plan: LoadDocument, client: Mapping[str, Any], profiled: Sequence[RequestRecord]) -> Conduct:
    done = [record for record in profiled if record.successful]
    skipped = _average(client, "skipped_context_overflow_count")
    reasons = _submission(client).get("submission_invalid_reasons")
    return Conduct(
        planned_seconds=plan.planned_window_seconds,
        phase_seconds=_phase_seconds(client),
        observed_seconds=duration(profiled) if done else None,
        successful=len(done),
        failed=sum(record.failed for record in profiled),
        overflows=max(int(skipped or 0), sum(record.overflow for record in profiled)),
        unsafe_override=plan.unsafe_override,
        cancelled=client.get("was_cancelled") is True,
        complete=client.get("is_complete") is not False and not plan.returncode,
        client_reasons=[str(reason) for reason in reasons] if isinstance(reasons, list) else [],
    )


def _phase_seconds(client: Mapping[str, Any]) -> float | None:
    """Length of the profiling phase; the two times are local without a zone, so only their difference means
    something."""
    try:
        start, end = (datetime.fromisoformat(client[name]) for name in ("start_time", "end_time"))
        return (end - start).total_seconds()
    except (KeyError, TypeError, ValueError):
        return None


def _average(client: Mapping[str, Any], tag: str) -> float | None:
    entry = client.get(tag)
    value = entry.get("avg") if isinstance(entry, dict) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _submission(client: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = client.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _about(client: Mapping[str, Any], records: Sequence[RequestRecord]) -> dict[str, Any]:
    """Facts for people: what the client says about itself, and which errors occurred how often."""
    errors = Counter(
        _printable(record.failure.kind) for record in records if record.failed and record.failure is not None
    )
    submission = _submission(client)
    facts = {
        "client_version": client.get("aiperf_version"),
        "submission_valid": submission.get("submission_valid"),
        "submission_invalid_reasons": submission.get("submission_invalid_reasons"),
        "dataset": submission.get("dataset"),
    }
    known = {name: _clean(value) for name, value in facts.items() if value is not None}
    return {**known, **({"errors": dict(errors.most_common(20))} if errors else {})}


def _clean(value: Any) -> Any:
    """A copy that JSONB can hold: PostgreSQL refuses NUL in text."""
    return json.loads(json.dumps(value).replace("\\u0000", "\\ufffd"))


def _printable(text: str) -> str:
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")[:64]


def _moment(nanoseconds: int) -> datetime:
    # By integers: a float of epoch nanoseconds has lost the microseconds.
    return _EPOCH + timedelta(microseconds=nanoseconds // 1000)

"""Files that the multi-turn drivers of early 2026 left for one run: requests, engine and PCIe time lines.

The requests make a point: ``detailed_results.csv`` of kv-cache-tester (trace replay, April 2026) and
``metrics_client_metrics.csv`` of the chat driver (February 2026). The engine's time line beside them adds
its counters; alone it makes no point. Deployment, load and corpus stand in none of them.
"""

from collections.abc import Iterator

from results.analysis.summary import summarize, window_ns
from results.analysis.validity import Conduct, judge
from results.ingest.formats.agentic.conduct import EARLY_WINDOW_SECONDS
from results.ingest.formats.aiperf_client import moment
from results.ingest.formats.multiturn_requests import CHAT_COLUMNS, REPLAY_COLUMNS, Requests, read_requests
from results.ingest.formats.multiturn_server import COLUMNS as SERVER_COLUMNS
from results.ingest.formats.multiturn_server import server_values
from results.ingest.json_stream import outline
from results.ingest.reading import head
from results.ingest.rows import FormatError, Remark, Result, Row, Source

NAME = "kv-cache-tester"
PARSER_VERSION = "kv-cache-tester/1"
_REPLAY, _CHAT, _SERVER = "detailed-results", "client-metrics", "server-metrics"
_TRANSFER_COLUMNS = frozenset({"gpu_id", "tx_pci_mb_per_sec", "rx_pci_mb_per_sec"})
_TURNS_COLUMNS = frozenset({"turn_idx", "isl_mean", "osl_mean"})
_TURNS_KEYS = frozenset({"total_records", "valid_records", "turn_stats"})
_KINDS = (
    (REPLAY_COLUMNS, _REPLAY),
    (CHAT_COLUMNS, _CHAT),
    (SERVER_COLUMNS, _SERVER),
    (_TRANSFER_COLUMNS, "gpu-transfer"),
    (_TURNS_COLUMNS, "turns-by-index"),
)
_REMARKS = {
    "gpu-transfer": "PCIe traffic of single GPUs over time: no result of a workload",
    "turns-by-index": "lengths of a corpus by turn: it describes a workload, no measurement",
    "turn-statistics": "statistics of a corpus: it describes a workload, no measurement",
}
#: Names under which the drivers write.
_FILES = {
    _REPLAY: ("detailed_results.csv", "metrics_detailed_results.csv"),
    _CHAT: ("metrics_client_metrics.csv",),
    _SERVER: ("metrics_server_metrics.csv",),
}


def detect(source: Source) -> str | None:
    """What the file is, by its columns or keys."""
    seen = outline(source)
    if seen.kind == "object":
        return "turn-statistics" if seen.keys >= _TURNS_KEYS else None
    columns = {cell.strip() for line in head(source).splitlines()[:1] for cell in line.split(",")}
    return next((kind for known, kind in _KINDS if columns >= known), None)


def read(source: Source) -> Iterator[Row]:
    kind = detect(source)
    if kind in (_REPLAY, _CHAT):
        yield _point(source, replay=kind == _REPLAY)
    elif kind == _SERVER:
        with_requests = _beside(source, _REPLAY) or _beside(source, _CHAT)
        alone = "engine counters over time without the requests they served make no point"
        yield Remark("", f"read together with {with_requests.path}" if with_requests else alone)
    elif kind is not None:
        yield Remark("", _REMARKS[kind])
    else:
        raise FormatError("", "no file of these drivers")


def _beside(source: Source, kind: str) -> Source | None:
    for name in _FILES[kind]:
        location = source.siblings.get(name)
        if location is not None and detect(found := Source(name, location)) == kind:
            return found
    return None


def _point(source: Source, *, replay: bool) -> Result:
    found = read_requests(source, replay=replay)
    reduced = summarize(found.records, gpus=1)
    values = {key: value for key, value in reduced.values.items() if not key.endswith("_per_gpu")}
    window = window_ns(found.records) if replay else None
    notes = list(found.notes)
    planned = EARLY_WINDOW_SECONDS if replay else None
    if planned is not None:
        notes.append(f"the file states no planned window: {planned:g} s of its generation")
    server = _server(source, notes)
    return Result(
        pointer="",
        recipe={},
        scenario={"kind": "agentic"},
        load=None,
        values={**values, **found.values, **server},
        verdict=judge(_conduct(found, planned, values.get("duration"))),
        extra={**reduced.counts, **found.extra},
        notes=tuple(notes),
        measured_at=None if window is None else moment(window[0]),
        started_at=None if window is None else moment(window[0]),
        ended_at=None if window is None else moment(window[1]),
        planned_window_seconds=planned,
    )


def _conduct(found: Requests, planned: float | None, seconds: float | None) -> Conduct:
    return Conduct(
        planned_seconds=planned,
        phase_seconds=seconds,
        observed_seconds=seconds,
        successful=sum(record.successful for record in found.records),
        failed=sum(record.failed for record in found.records),
        coverage_known=False,
    )


def _server(source: Source, notes: list[str]) -> dict[str, float]:
    beside = _beside(source, _SERVER)
    if beside is None:
        return {}
    try:
        return server_values(beside)
    except FormatError as error:
        notes.append(f"{beside.path} cannot be read: {error}")
        return {}

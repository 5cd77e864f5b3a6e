"""Which file of an AIPerf export a file is, and which others lie beside it. Pure.

One folder is one point. The summary (JSON) states it; without it the records do, and without these the
summary's CSV. Files are recognised by their content; only partners are looked up by AIPerf's names.
"""

from collections.abc import Iterator
from enum import StrEnum

from results.ingest.formats.aiperf_tables import (
    SERVER_HEADER,
    SERVER_TITLE,
    SUMMARY_HEADER,
    TIMESLICE_HEADER,
)
from results.ingest.json_stream import Outline, outline
from results.ingest.reading import head
from results.ingest.rows import Source


class Part(StrEnum):
    SUMMARY = "profile_export_aiperf.json"
    RECORDS = "profile_export.jsonl"
    TABLE = "profile_export_aiperf.csv"
    SERVER = "server_metrics_export.json"
    SERVER_TABLE = "server_metrics_export.csv"
    SLICES = "profile_export_aiperf_timeslices.json"
    SLICES_TABLE = "profile_export_aiperf_timeslices.csv"


#: Parts that can state a point, the best first.
POINTS = (Part.SUMMARY, Part.RECORDS, Part.TABLE)
_PREFIX = "profile_export"
_TAGS = frozenset({"request_count", "request_throughput", "request_latency", "output_token_throughput"})
_WRITER = frozenset({"aiperf_version", "was_cancelled"})


def part_of(source: Source) -> tuple[Part, str] | None:
    """The part and its schema version; ``0`` where the file has none. Never raises."""
    seen = outline(source)
    if seen.kind in ("object", "lines"):
        return _json_part(seen)
    return _table_part(head(source))


def _json_part(seen: Outline) -> tuple[Part, str] | None:
    version = str(seen.scalars.get("schema_version") or "0")
    if "request_start_ns" in seen.nested.get("metadata", ()) and "metrics" in seen.keys:
        return Part.RECORDS, "0"
    if seen.kind != "object":
        return None
    if "timeslices" in seen.keys:
        return Part.SLICES, version
    if "metrics" in seen.keys and {"endpoints_configured", "endpoint_info"} & seen.nested.get(
        "summary", frozenset()
    ):
        return Part.SERVER, version
    metrics = seen.keys | seen.nested.get("records", frozenset())
    return (Part.SUMMARY, version) if metrics & _TAGS and seen.keys & _WRITER else None


def _table_part(start: str) -> tuple[Part, str] | None:
    if start.startswith((SERVER_TITLE, SERVER_HEADER)):
        stated = next((line for line in start.splitlines() if line.startswith("# schema_version: ")), "")
        return Part.SERVER_TABLE, stated.removeprefix("# schema_version: ").strip() or "0"
    headers = {SUMMARY_HEADER: Part.TABLE, TIMESLICE_HEADER: Part.SLICES_TABLE}
    return next(((part, "0") for header, part in headers.items() if start.startswith(header)), None)


def partner(source: Source, part: Part) -> Source | None:
    """The file of the same folder that is ``part``, under AIPerf's name or with the prefix of this file."""
    for name in _names(source, part):
        location = source.siblings.get(name)
        if location is None or name == _name(source):
            continue
        found = Source(name, location)
        seen = part_of(found)
        if seen is not None and seen[0] is part:
            return found
    return None


def _names(source: Source, part: Part) -> Iterator[str]:
    yield part.value
    prefix = _name(source)
    for ending in ("_timeslices.json", "_timeslices.csv", ".jsonl", ".json", ".csv"):
        if prefix.endswith(ending):
            prefix = prefix.removesuffix(ending).removesuffix("_aiperf")
            break
    if prefix != _PREFIX and part.value.startswith(_PREFIX):
        yield prefix + part.value.removeprefix(_PREFIX)


def _name(source: Source) -> str:
    return source.path.replace("\\", "/").rsplit("/", 1)[-1]

"""The side-car of a load: made from its stored files, kept beside them, made anew when they have changed."""

import gzip
import logging
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import IO, TypeVar, cast

from results.analysis.column_file import ColumnFileError, PointColumns, read_columns, write_columns
from results.analysis.engine_columns import EngineColumns, engine_columns
from results.analysis.gpu_columns import GpuColumns, gpu_columns
from results.analysis.request_columns import RequestColumns, request_columns
from results.analysis.requests import RecordError, parse_records
from results.analysis.series import TelemetryError, parse_scrapes
from results.documents.export import RECORDS_SHA256
from results.ingest.manifest import load_of
from results.models import Attempt, AttemptArtifact, Point, ResultFile
from results.storage import (
    ArtifactError,
    open_artifact,
    put_bytes,
    put_derived,
    read_artifact,
    read_derived,
)

logger = logging.getLogger(__name__)
#: Side-cars stand apart from what the bundle brought.
DERIVED = "derived/"
MEDIA_TYPE = "application/x-npz"
RECORDS, TELEMETRY, GPU = "profile_export.jsonl", "telemetry.jsonl", "gpu.jsonl"
#: Where the side-car of imported records is kept beside them.
_SUFFIX = "columns.npz"
_GZIP = b"\x1f\x8b"
_SOURCES = (RECORDS, TELEMETRY, GPU)
Opener = Callable[[], IO[bytes]]
Columns = TypeVar("Columns", RequestColumns, EngineColumns, GpuColumns)


def column_path(load: int) -> str:
    """Path of the side-car among the files of its attempt."""
    return f"{DERIVED}c{load:04d}/columns.npz"


def keep_columns(attempt: Attempt, load: int) -> None:
    """Make the side-car of a load whose files have been stored, unless it is there already."""
    files = AttemptArtifact.objects.filter(attempt=attempt, load=load).values_list("path", "artifact_id")
    columns_of(attempt.id, load, dict(files))


def keep_columns_of_file(file: ResultFile) -> None:
    """Make the side-cars of the points that a file states with records of their requests."""
    records = Point.objects.filter(sources__file=file).values_list(f"extra__{RECORDS_SHA256}", flat=True)
    for sha256 in records.distinct():
        if sha256 is not None:
            columns_of_records(sha256)


def columns_of(attempt: int, load: int, files: Mapping[str, str]) -> PointColumns | None:
    """Columns of a load given the sha256 of its attempt's files by path; None without a file to read.

    A load that was stored before side-cars were, or whose files have changed since, gets one now.
    """
    sources = _sources(files, load)
    if not sources:
        return None
    kept = _kept(files.get(column_path(load)), sources)
    if kept is not None:
        return kept
    columns = build({name: partial(open_artifact, sha) for name, sha in sources.items()}, sources)
    try:
        store(attempt, load, write_columns(columns))
    except ArtifactError as error:
        logger.warning("side-car of attempt %s, load %s not stored: %s", attempt, load, error)
    return columns


def columns_of_records(sha256: str) -> PointColumns | None:
    """Columns of a client's records that were imported without an attempt; None when they are gone."""
    sources = {RECORDS: sha256}
    kept = read_derived(sha256, _SUFFIX)
    if kept is not None and (columns := _read_kept(kept, sha256, sources)) is not None:
        return columns
    try:
        open_artifact(sha256).close()
    except ArtifactError:
        return None
    columns = build({RECORDS: partial(_unpacked, sha256)}, sources)
    try:
        put_derived(sha256, _SUFFIX, write_columns(columns))
    except ArtifactError as error:
        logger.warning("side-car of records %s not stored: %s", sha256[:12], error)
    return columns


def _unpacked(sha256: str) -> IO[bytes]:
    """People send records compressed too."""
    stream = open_artifact(sha256)
    packed = stream.read(len(_GZIP)) == _GZIP
    stream.seek(0)
    return cast(IO[bytes], gzip.open(stream)) if packed else stream


def _sources(files: Mapping[str, str], load: int) -> dict[str, str]:
    """sha256 of the files a side-car is made of, by name."""
    found = ((path.rpartition("/")[2], path, sha) for path, sha in files.items() if load_of(path) == load)
    return {name: sha for name, path, sha in found if name in _SOURCES and path.count("/") == 2}


def _kept(sha256: str | None, sources: Mapping[str, str]) -> PointColumns | None:
    """The stored side-car, if it is whole, of this version and of these files."""
    if sha256 is None:
        return None
    try:
        return _read_kept(read_artifact(sha256), sha256, sources)
    except ArtifactError as error:
        logger.warning("side-car %s is made anew: %s", sha256[:12], error)
        return None


def _read_kept(content: bytes, sha256: str, sources: Mapping[str, str]) -> PointColumns | None:
    try:
        columns = read_columns(content)
    except ColumnFileError as error:
        logger.warning("side-car %s is made anew: %s", sha256[:12], error)
        return None
    return columns if columns.sources == sources else None


def store(attempt: int, load: int, content: bytes) -> None:
    artifact = put_bytes(content, MEDIA_TYPE)
    AttemptArtifact.objects.update_or_create(
        attempt_id=attempt, path=column_path(load), defaults={"artifact": artifact, "load": load}
    )


def build(files: Mapping[str, Opener], sources: Mapping[str, str]) -> PointColumns:
    """Columns of whatever can be read; a file that cannot says why."""
    unreadable: dict[str, str] = {}
    return PointColumns(
        requests=_read(files, RECORDS, _requests, unreadable),
        engine=_read(files, TELEMETRY, _engine, unreadable),
        gpu=_read(files, GPU, gpu_columns, unreadable),
        sources=dict(sources),
        unreadable=unreadable,
    )


def _read(
    files: Mapping[str, Opener],
    name: str,
    parse: Callable[[Iterable[bytes]], Columns],
    unreadable: dict[str, str],
) -> Columns | None:
    if name not in files:
        return None
    try:
        with files[name]() as lines:
            return parse(lines)
    except (RecordError, TelemetryError, ArtifactError) as error:
        unreadable[name] = str(error)
        return None


def _requests(lines: Iterable[bytes]) -> RequestColumns:
    return request_columns(list(parse_records(lines)))


def _engine(lines: Iterable[bytes]) -> EngineColumns:
    return engine_columns(parse_scrapes(lines))

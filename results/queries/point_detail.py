"""Everything the page of one point shows, but its columns. Five queries, six with a host."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from results.analysis.column_file import PointColumns
from results.documents.export import RECORDS_SHA256
from results.ingest.column_store import columns_of, columns_of_records
from results.models import AttemptArtifact, Point, PointSource
from results.queries.hosts import probe_at
from results.queries.points import RELATED, RESULT, PointRow, point_row, point_values
from results.queries.run_detail import ArtifactRow
from results.storage import is_digest

#: Other points of the same load that are worth a look; a page is no list.
REPEATS = 12
_SOURCES = 50


@dataclass(frozen=True, slots=True)
class SiblingPoint:
    """A point of the same run at another load, or of another run at the same load."""

    id: int
    load: int
    run: uuid.UUID
    label: str
    block: int | None
    attempt: int | None
    validity: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of somebody else that states an imported point; ``size`` in bytes."""

    id: int
    path: str
    format: str
    pointer: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class PointDetail:
    """``files`` are those of its load and of the attempt, ``probe`` what its host could do then, or empty."""

    row: PointRow
    attempt_id: int | None
    document: Mapping[str, Any] | None
    probe: Mapping[str, Any]
    files: tuple[ArtifactRow, ...]
    siblings: tuple[SiblingPoint, ...]
    repeats: tuple[SiblingPoint, ...]
    sources: tuple[SourceFile, ...]

    @property
    def neighbours(self) -> tuple[SiblingPoint | None, SiblingPoint | None]:
        """The points of the next lower and the next higher load of the run."""
        lower = [one for one in self.siblings if one.load < self.row.load]
        higher = [one for one in self.siblings if one.load > self.row.load]
        return (lower[-1] if lower else None, higher[0] if higher else None)


def point_detail(identifier: int) -> PointDetail | None:
    """The point, or None when there is none with this number."""
    point = Point.objects.select_related(*RELATED).filter(id=identifier).first()
    if point is None:
        return None
    host = None if point.attempt is None else point.attempt.host_id
    return PointDetail(
        row=point_row(point),
        attempt_id=point.attempt_id,
        document=point.run.document,
        probe=probe_at(host, point.ended_at or point.created_at),
        files=_files(point),
        siblings=_siblings(point),
        repeats=_repeats(point),
        sources=_sources(point),
    )


def point_columns(identifier: int) -> tuple[PointRow, PointColumns | None] | None:
    """The point and its columns, for figures and tables; None when there is no such point. Two queries."""
    point = Point.objects.select_related(*RELATED).filter(id=identifier).first()
    if point is None:
        return None
    row = point_row(point)
    return row, columns_among(row, point.attempt_id, _files(point))


def columns_among(row: PointRow, attempt: int | None, files: Sequence[ArtifactRow]) -> PointColumns | None:
    """The columns of a point whose files are known; None for one that was imported without its requests."""
    if attempt is None:
        return imported_columns(row.extra)
    return columns_of(attempt, row.load, {file.path: file.sha256 for file in files})


def imported_columns(extra: Mapping[str, Any]) -> PointColumns | None:
    """Those of the records that an imported point names."""
    sha256 = extra.get(RECORDS_SHA256)
    # An export that people wrote may say anything here.
    if not isinstance(sha256, str) or not is_digest(sha256):
        return None
    return columns_of_records(sha256)


def _files(point: Point) -> tuple[ArtifactRow, ...]:
    uses = (
        AttemptArtifact.objects.filter(attempt=point.attempt_id).select_related("artifact").order_by("path")
    )
    return tuple(
        ArtifactRow(use.path, use.artifact_id, use.artifact.size, use.artifact.media_type, use.load)
        for use in uses
        if use.load in (None, point.load)
    )


def _siblings(point: Point) -> tuple[SiblingPoint, ...]:
    """Points of the same run at all its loads, this one among them; of several tries at a load the newest."""
    found = Point.objects.filter(run=point.run_id, current=True).select_related("run", "attempt")
    by_load: dict[int, Point] = {}
    for one in found.order_by("load", "attempt__number", "id"):
        by_load[one.load] = one
    by_load[point.load] = point
    return tuple(_sibling(one) for _load, one in sorted(by_load.items()))


def _repeats(point: Point) -> tuple[SiblingPoint, ...]:
    """The newest points of other runs with the same recipe, scenario and load."""
    same = {"run__recipe": point.run.recipe_id, "run__scenario": point.run.scenario_id, "load": point.load}
    found = Point.objects.filter(RESULT, current=True, **same).exclude(run=point.run_id)
    found = found.select_related("run", "attempt").order_by("-created_at", "-id")[:REPEATS]
    return tuple(_sibling(one) for one in found)


def _sibling(point: Point) -> SiblingPoint:
    return SiblingPoint(
        id=point.id,
        load=point.load,
        run=point.run_id,
        label=point.run.label,
        block=point.run.block,
        attempt=None if point.attempt is None else point.attempt.number,
        validity=point.validity,
        values=point_values(point),
    )


def _sources(point: Point) -> tuple[SourceFile, ...]:
    found = PointSource.objects.filter(point=point).select_related("file__artifact").order_by("file_id", "id")
    return tuple(
        SourceFile(
            id=one.file_id,
            path=one.file.path,
            format=one.file.format,
            pointer=one.pointer,
            sha256=one.file.artifact_id,
            size=one.file.artifact.size,
        )
        for one in found[:_SOURCES]
    )

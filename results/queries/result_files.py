"""One file that somebody brought: what it is, what it left, what it waits for."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Min

from results.models import Point, ResultFile, UploadedFile

#: Runs that are listed with a file; the rest is counted.
RUNS = 50
DELIVERIES = 20


@dataclass(frozen=True, slots=True)
class FileRun:
    """A run in which the file states points."""

    id: uuid.UUID
    label: str
    recipe: str
    points: int


@dataclass(frozen=True, slots=True)
class FileDelivery:
    upload: uuid.UUID
    name: str
    path: str
    received_at: datetime


@dataclass(frozen=True, slots=True)
class FileDetail:
    """``waiting`` counts places in quarantine; ``runs`` are at most ``RUNS``, ``points`` all of them."""

    id: int
    path: str
    sha256: str
    size: int
    format: str
    format_version: str
    parser_version: str
    identity: Mapping[str, Any]
    remarks: tuple[str, ...]
    received_at: datetime
    read_at: datetime | None
    points: int
    waiting: int
    runs: tuple[FileRun, ...]
    deliveries: tuple[FileDelivery, ...]


def file_detail(identifier: int) -> FileDetail | None:
    """A file by its number, or None. Four queries."""
    rows = ResultFile.objects.select_related("artifact").annotate(point_count=Count("points"))
    found: Any = rows.filter(id=identifier).first()
    if found is None:
        return None
    return FileDetail(
        id=found.id,
        path=found.path,
        sha256=found.artifact_id,
        size=found.artifact.size,
        format=found.format,
        format_version=found.format_version,
        parser_version=found.parser_version,
        identity=found.identity,
        remarks=tuple(found.remarks),
        received_at=found.received_at,
        read_at=found.read_at,
        points=found.point_count,
        waiting=found.quarantined.filter(resolved_at=None).count(),
        runs=_runs(identifier),
        deliveries=_deliveries(identifier),
    )


def _runs(file: int) -> tuple[FileRun, ...]:
    points = Point.objects.filter(sources__file=file).order_by()
    groups = points.values("run_id", "run__label").annotate(
        points=Count("id", distinct=True), recipe=Min("run__recipe__fingerprint")
    )
    return tuple(
        FileRun(row["run_id"], row["run__label"], row["recipe"], row["points"])
        for row in groups.order_by("run__label", "run_id")[:RUNS]
    )


def _deliveries(file: int) -> tuple[FileDelivery, ...]:
    uses = UploadedFile.objects.filter(file=file).select_related("upload").defer("upload__report")
    newest = uses.order_by("-upload__received_at", "-id")[:DELIVERIES]
    return tuple(
        FileDelivery(use.upload_id, use.upload.name, use.path, use.upload.received_at) for use in newest
    )

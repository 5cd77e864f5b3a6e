"""Uploads: the list, and what one of them left."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Q

from results.models import Upload
from results.queries.keyset import Cursor

PAGE = 50
NO_TOTALS = {"files": 0, "created": 0, "unchanged": 0, "superseded": 0, "quarantined": 0}


@dataclass(frozen=True, slots=True)
class UploadRow:
    """One delivery; ``totals`` count files and rows. ``complete`` is False when it was interrupted."""

    id: uuid.UUID
    name: str
    handle: str
    uploaded_by: str | None
    received_at: datetime
    complete: bool
    totals: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class UploadPage:
    rows: tuple[UploadRow, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class UploadedRow:
    """A file of an upload: where its bytes and its rows are."""

    path: str
    file: int
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class UploadDetail(UploadRow):
    """``report`` is what was answered, ``archive`` the digest of a single archive that was sent."""

    identity: Mapping[str, Any]
    archive: str | None
    report: Mapping[str, Any] | None
    files: tuple[UploadedRow, ...]


def upload_page(after: Cursor | None = None, size: int = PAGE) -> UploadPage:
    """``size`` uploads newest first, from ``after`` on; one query."""
    # The list of files in a report may be long; the list of uploads needs its totals alone.
    rows = Upload.objects.defer("report", "identity").select_related("uploaded_by")
    rows = rows.annotate(totals=F("report__totals"))
    if after is not None:
        older = Q(received_at__lt=after.created_at) | Q(received_at=after.created_at, id__lt=after.id)
        rows = rows.filter(older)
    found = list(rows.order_by("-received_at", "-id")[: size + 1])
    more, found = len(found) > size, found[:size]
    following = Cursor(found[-1].received_at, found[-1].id).encode() if more else None
    annotated: list[Any] = found
    return UploadPage(tuple(UploadRow(**_columns(upload, upload.totals)) for upload in annotated), following)


def upload_detail(identifier: uuid.UUID) -> UploadDetail | None:
    """One upload with its files; two queries. None when there is none."""
    upload = Upload.objects.select_related("uploaded_by").filter(id=identifier).first()
    if upload is None:
        return None
    report = upload.report
    return UploadDetail(
        **_columns(upload, None if report is None else report["totals"]),
        identity=upload.identity,
        archive=upload.artifact_id,
        report=report,
        files=_files(upload),
    )


def _columns(upload: Upload, totals: Mapping[str, int] | None) -> dict[str, Any]:
    return {
        "id": upload.id,
        "name": upload.name,
        "handle": upload.handle,
        "uploaded_by": None if upload.uploaded_by is None else upload.uploaded_by.name,
        "received_at": upload.received_at,
        "complete": totals is not None,
        "totals": NO_TOTALS if totals is None else totals,
    }


def _files(upload: Upload) -> tuple[UploadedRow, ...]:
    uses = upload.files.select_related("file__artifact").order_by("path")
    return tuple(
        UploadedRow(use.path, use.file_id, use.file.artifact_id, use.file.artifact.size) for use in uses
    )

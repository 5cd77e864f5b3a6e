"""What waits in quarantine, why, and what would release it."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet

from results.models import Quarantine
from results.queries.keyset import RowCursor

PAGE = 50
#: Why an input waits: identity that nobody stated, a value without alias, an unreadable file or load.
CAUSES: Mapping[str, Q] = {
    "missing": Q(file__isnull=False) & ~Q(missing=[]),
    "unknown": Q(file__isnull=False, missing=[]) & ~Q(unknown_kind=""),
    "unreadable": Q(file__isnull=False, missing=[], unknown_kind=""),
    "load": Q(attempt__isnull=False),
}


@dataclass(frozen=True, slots=True)
class QuarantineFilter:
    """``cause`` is a key of CAUSES or empty for all; ``resolved`` None means both."""

    cause: str = ""
    resolved: bool | None = False
    file: int | None = None
    unknown_kind: str = ""
    unknown_value: str = ""


@dataclass(frozen=True, slots=True)
class QuarantineRow:
    """One refused place of a file, or one unreadable load of an attempt.

    ``path`` is the file or the load's folder, ``pointer`` the place in the file, empty for all of it.
    """

    id: int
    cause: str
    file: int | None
    sha256: str | None
    run: uuid.UUID | None
    attempt: int | None
    load: int | None
    path: str
    pointer: str
    format: str
    reason: str
    missing: tuple[str, ...]
    unknown_kind: str
    unknown_value: str
    parser_version: str
    created_at: datetime
    resolved_at: datetime | None


@dataclass(frozen=True, slots=True)
class QuarantinePage:
    rows: tuple[QuarantineRow, ...]
    next: str | None


def quarantine_page(
    filters: QuarantineFilter, after: RowCursor | None = None, size: int = PAGE
) -> QuarantinePage:
    """``size`` entries newest first, from ``after`` on; one query."""
    rows = _chosen(filters).select_related("file", "attempt")
    if after is not None:
        rows = rows.filter(
            Q(created_at__lt=after.created_at) | Q(created_at=after.created_at, id__lt=after.id)
        )
    found = list(rows.order_by("-created_at", "-id")[: size + 1])
    more, found = len(found) > size, found[:size]
    following = RowCursor(found[-1].created_at, found[-1].id).encode() if more else None
    return QuarantinePage(tuple(_row(row) for row in found), following)


def quarantine_counts() -> dict[str, int]:
    """How many entries wait, by cause; one query."""
    waiting = Quarantine.objects.filter(resolved_at=None)
    # A name of its own: "missing" is a column, too.
    counts = waiting.aggregate(**{f"n_{name}": Count("id", filter=cause) for name, cause in CAUSES.items()})
    return {name: int(counts[f"n_{name}"]) for name in CAUSES}


def unknown_values(most: int = 100) -> list[dict[str, Any]]:
    """Spellings without alias, each with how many rows wait for it; most first, one query."""
    waiting = Quarantine.objects.filter(CAUSES["unknown"], resolved_at=None)
    groups = waiting.order_by().values("unknown_kind", "unknown_value").annotate(rows=Count("id"))
    return [dict(group) for group in groups.order_by("-rows", "unknown_kind", "unknown_value")[:most]]


def quarantine_of_run(run: uuid.UUID) -> tuple[QuarantineRow, ...]:
    """Loads of a run's attempts that could not be read and still wait; one query."""
    rows = Quarantine.objects.filter(attempt__run=run, resolved_at=None)
    found = rows.select_related("file", "attempt").order_by("attempt__number", "load")
    return tuple(_row(row) for row in found)


def _chosen(filters: QuarantineFilter) -> QuerySet[Quarantine]:
    rows = Quarantine.objects.all()
    if filters.resolved is not None:
        rows = rows.filter(resolved_at__isnull=not filters.resolved)
    if filters.cause:
        rows = rows.filter(CAUSES[filters.cause])
    if filters.file is not None:
        rows = rows.filter(file=filters.file)
    if filters.unknown_kind:
        rows = rows.filter(unknown_kind=filters.unknown_kind)
    if filters.unknown_value:
        rows = rows.filter(unknown_value=filters.unknown_value)
    return rows


def _row(row: Quarantine) -> QuarantineRow:
    file, attempt = row.file, row.attempt
    return QuarantineRow(
        id=row.id,
        cause=_cause(row),
        file=row.file_id,
        sha256=None if file is None else file.artifact_id,
        run=None if attempt is None else attempt.run_id,
        attempt=None if attempt is None else attempt.number,
        load=row.load,
        path=row.path if file is None else file.path,
        pointer=row.pointer,
        format="" if file is None else file.format,
        reason=row.reason,
        missing=tuple(row.missing),
        unknown_kind=row.unknown_kind,
        unknown_value=row.unknown_value,
        parser_version=row.parser_version,
        created_at=row.created_at,
        resolved_at=row.resolved_at,
    )


def _cause(row: Quarantine) -> str:
    if row.attempt_id is not None:
        return "load"
    if row.missing:
        return "missing"
    return "unknown" if row.unknown_kind else "unreadable"

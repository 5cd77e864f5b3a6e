"""Refused places of a file: kept until a later reading of the same content succeeds."""

from collections.abc import Iterable

from django.db.models import Q

from results import clock
from results.ingest.reports import Refused
from results.models import Evaluation, PointSource, Quarantine, ResultFile

_PORTION = 1000
_COLUMNS = ["reason", "missing", "unknown_kind", "unknown_value", "parser_version", "resolved_at"]


def quarantine_rows(file: ResultFile, refused: Iterable[Refused], *, parser_version: str) -> None:
    """Exactly these places of the file are refused now; others are resolved.

    A place that the same content states under a fuller identity is resolved too, whichever came first.
    """
    now = clock.now()
    rows = {
        row.pointer[:512]: Quarantine(
            file=file,
            pointer=row.pointer[:512],
            reason=row.reason.replace("\x00", "\ufffd")[:2000],
            missing=list(row.missing),
            unknown_kind=row.unknown[0] if row.unknown else "",
            unknown_value=row.unknown[1][:256] if row.unknown else "",
            parser_version=parser_version,
            created_at=now,
        )
        for row in refused
    }
    open_places = Quarantine.objects.filter(file=file, resolved_at=None)
    gone = [pointer for pointer in open_places.values_list("pointer", flat=True) if pointer not in rows]
    open_places.filter(pointer__in=gone).update(resolved_at=now)
    Quarantine.objects.bulk_create(
        rows.values(),
        batch_size=_PORTION,
        update_conflicts=True,
        unique_fields=["file", "pointer"],
        update_fields=_COLUMNS,
    )
    _resolve_stated(file)


def open_quarantine(file: ResultFile) -> list[Refused]:
    """The places of a file that are refused, as they were reported."""
    rows = Quarantine.objects.filter(file=file, resolved_at=None).order_by("id")
    return [
        Refused(
            row.pointer,
            row.reason,
            tuple(row.missing),
            (row.unknown_kind, row.unknown_value) if row.unknown_kind else None,
        )
        for row in rows
    ]


def _resolve_stated(file: ResultFile) -> None:
    """Resolve refused places of this content that any reading of it has stored by now."""
    readings = ResultFile.objects.filter(artifact=file.artifact_id)
    waiting = Quarantine.objects.filter(file__in=readings, resolved_at=None)
    if not waiting.exists():
        return
    points = PointSource.objects.filter(file__in=readings).values("pointer")
    scores = Evaluation.objects.filter(files__in=readings).values("pointer")
    waiting.filter(Q(pointer__in=points) | Q(pointer__in=scores)).update(resolved_at=clock.now())

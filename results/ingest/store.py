"""Writing what was read: files first, in a transaction of their own; points and quarantine after."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from results import clock
from results.ingest.raw_point import RawPoint
from results.metrics import METRICS
from results.models import Attempt, AttemptArtifact, Point, Quarantine
from results.storage import put_file

_MEDIA_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".log": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file on disk; ``path`` is its name inside the bundle, ``sha256`` what the manifest promises."""

    path: str
    source: Path
    load: int | None = None
    sha256: str | None = None


@transaction.atomic
def store_files(attempt: Attempt, files: Iterable[BundleFile]) -> int:
    """Keep the files as artifacts of the attempt; how many were new or had changed.

    Raises StorageFullError or ArtifactCorruptError, and then no row is written.
    """
    known = dict(AttemptArtifact.objects.filter(attempt=attempt).values_list("path", "artifact_id"))
    changed = 0
    for file in files:
        if file.sha256 is not None and known.get(file.path) == file.sha256:
            continue
        artifact = put_file(file.source, _media_type(file.source), sha256=file.sha256)
        if known.get(file.path) == artifact.sha256:
            continue
        AttemptArtifact.objects.update_or_create(
            attempt=attempt, path=file.path, defaults={"artifact": artifact, "load": file.load}
        )
        changed += 1
    return changed


def _media_type(path: Path) -> str:
    return _MEDIA_TYPES.get(path.suffix, "application/octet-stream")


@transaction.atomic
def store_point(attempt: Attempt, raw: RawPoint, path: str) -> Point:
    """The point of one load. The same reading again changes nothing; a newer parser replaces the values."""
    _take_turns(attempt)
    versions = {"parser_version": raw.parser_version, "rules_version": raw.verdict.rules_version}
    present = Point.objects.filter(attempt=attempt, load=raw.load, **versions).first()
    if present is not None:
        return present
    columns = _columns(attempt, raw) | versions
    point, _created = Point.objects.update_or_create(
        attempt=attempt,
        load=raw.load,
        defaults=columns,
        create_defaults=columns | {"run_id": attempt.run_id, "created_at": clock.now()},
    )
    unresolved = Quarantine.objects.filter(attempt=attempt, path=path, resolved_at__isnull=True)
    unresolved.update(resolved_at=clock.now())
    return point


def _columns(attempt: Attempt, raw: RawPoint) -> dict[str, object]:
    values = {**raw.values, **_allocated(attempt)}
    unregistered = {key: value for key, value in values.items() if key not in METRICS}
    return {
        **{key: values.get(key) for key in METRICS},
        "extra": {**raw.extra, **unregistered},
        "validity": raw.verdict.validity.value,
        "reasons": [reason.value for reason in raw.verdict.reasons],
        "started_at": raw.started_at,
        "ended_at": raw.ended_at,
        "planned_window_seconds": raw.planned_window_seconds,
    }


def _allocated(attempt: Attempt) -> dict[str, float]:
    """Host DRAM the recipe gives to KV, in decimal GB; unknown when it does not say how much."""
    offload = attempt.run.recipe.document["kv_offload"]
    if offload["mode"] == "none":
        return {"allocated_host_dram_gb": 0.0}
    size = offload.get("dram_gb")
    return {} if size is None else {"allocated_host_dram_gb": float(size)}


@transaction.atomic
def quarantine(attempt: Attempt, *, load: int | None, path: str, reason: str, parser_version: str) -> None:
    """Keep the reason why ``path`` could not be read where people see it."""
    _take_turns(attempt)
    columns = {
        "load": load,
        "reason": reason.replace("\x00", "\ufffd")[:2000],
        "parser_version": parser_version,
    }
    known = Quarantine.objects.filter(attempt=attempt, path=path, resolved_at__isnull=True, **columns)
    if not known.exists():
        Quarantine.objects.update_or_create(
            attempt=attempt,
            path=path,
            defaults={**columns, "resolved_at": None, "created_at": clock.now()},
        )


def _take_turns(attempt: Attempt) -> None:
    """Two readers of one attempt write one after the other."""
    Attempt.objects.select_for_update(no_key=True, of=("self",)).get(id=attempt.id)

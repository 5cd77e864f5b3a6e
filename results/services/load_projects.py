"""Loads the shipped catalogue of upstream work. What a sync with GitHub wrote is never touched."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

import yaml
from django.db import models, transaction
from pydantic import ValidationError

from results.documents.base import one_line
from results.documents.upstream import (
    ClaimEntry,
    OptimizationEntry,
    ProjectEntry,
    ProjectFile,
    Prose,
    PullRequestEntry,
)
from results.models import Claim, Optimization, Project, PullRequest, PullRequestStatus
from results.services.edit_catalogue import edited_columns
from results.services.load_catalogue import CatalogueError

#: Columns that belong to an operator, by table and row.
Edited = Mapping[tuple[type[models.Model], int], frozenset[str]]
SHIPPED = Path(__file__).resolve().parents[1] / "catalog" / "projects"


@transaction.atomic
def load_projects(*, folder: Path = SHIPPED) -> Counter[str]:
    """Create or update every entry; counts of ``created``, ``updated``, ``unchanged`` and ``kept`` rows.

    A pull request keeps a status that a later sync established, and every row the columns that an operator
    edited: ``kept`` counts rows where these differ from the file. Raises CatalogueError for a bad file.
    """
    counts: Counter[str] = Counter(created=0, updated=0, unchanged=0)
    edited = edited_columns()
    for path in sorted(folder.glob("*.yaml")):
        for change in _load(_read(path), path, edited):
            counts[change] += 1
    return counts


def _read(path: Path) -> ProjectFile:
    try:
        return ProjectFile.model_validate(yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader))
    except ValidationError as error:
        raise CatalogueError(f"{path.name}: {one_line(error)}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise CatalogueError(f"{path.name}: not YAML: {' '.join(str(error).split())}") from None


def _load(file: ProjectFile, path: Path, edited: Edited) -> Iterator[str]:
    key = {"slug": file.project.slug}
    project, change = _upsert(Project, key, _project_columns(file.project, path), edited)
    yield change
    for place, entry in enumerate(file.optimizations, start=1):
        key = {"project": project, "slug": entry.slug}
        optimization, change = _upsert(Optimization, key, _optimization_columns(entry, place), edited)
        yield change
        for number, pull in enumerate(entry.pull_requests, start=1):
            yield from _load_pull(optimization, pull, number, edited)


def _load_pull(
    optimization: Optimization, entry: PullRequestEntry, place: int, edited: Edited
) -> Iterator[str]:
    repository = entry.repository or optimization.project.repository
    key = {"repository": repository, "number": entry.number}
    columns = _pull_columns(entry) | {"optimization": optimization, "position": place}
    known = PullRequest.objects.filter(**key).first()
    if known is not None and known.github_synced_at is not None:
        for name in ("status", "status_as_of", "status_source", "landed_on", "opened_on", "merged_on"):
            columns.pop(name)
    pull, change = _upsert(PullRequest, key, columns, edited)
    yield change
    as_of = datetime.combine(entry.status.as_of, time.min, UTC)
    PullRequestStatus.objects.get_or_create(
        pull_request=pull, status=entry.status.is_, as_of=as_of, source=entry.status.source
    )
    for number, claim in enumerate(entry.claims, start=1):
        key = {"pull_request": pull, "position": number}
        yield _upsert(Claim, key, _claim_columns(claim, entry), edited)[1]
    pull.claims.filter(position__gt=len(entry.claims)).delete()


def _project_columns(entry: ProjectEntry, path: Path) -> dict[str, Any]:
    return {
        "name": entry.name,
        "layer": entry.layer,
        "repository": entry.repository,
        "position": entry.position,
        "added_later": entry.added_later,
        **_both("summary", entry.summary),
        **{f"writeup_{code}": _text(path.with_suffix(f".{code}.md")) for code in ("en", "zh")},
    }


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _optimization_columns(entry: OptimizationEntry, place: int) -> dict[str, Any]:
    names = {"name_en": entry.name.en, "name_zh": entry.name.zh}
    return {"layer": entry.layer, "position": place, **names, **_both("text", entry.text)}


def _pull_columns(entry: PullRequestEntry) -> dict[str, Any]:
    return {
        "kind": entry.kind,
        "title_en": entry.title.en,
        "title_zh": entry.title.zh,
        "status": entry.status.is_,
        "status_as_of": entry.status.as_of,
        "status_source": entry.status.source,
        "landed_on": entry.status.landed_on or "",
        "opened_on": entry.opened_on,
        "merged_on": entry.merged_on,
        "grade": entry.agentx.grade,
        "grade_basis": entry.agentx.basis,
        "listed_by": entry.agentx.listed_by,
        "added_later": entry.added_later,
        "source_url": entry.source,
        **_both("note", entry.note),
    }


def _claim_columns(entry: ClaimEntry, pull: PullRequestEntry) -> dict[str, Any]:
    values = {name: getattr(entry, name) or "" for name in ("before", "after", "change", "unit")}
    names = {"metric_en": entry.metric.en, "metric_zh": entry.metric.zh}
    return {**names, **values, **_both("setup", entry.setup), "source_url": pull.source}


def _both(name: str, words: Prose | None) -> dict[str, str]:
    return {f"{name}_en": words.en if words else "", f"{name}_zh": words.zh if words else ""}


def _upsert(
    table: type[models.Model], key: dict[str, Any], values: dict[str, Any], edited: Edited
) -> tuple[Any, str]:
    row = table._default_manager.filter(**key).first()
    if row is None:
        return table._default_manager.create(**key, **values), "created"
    other = {name: value for name, value in values.items() if getattr(row, name) != value}
    kept = edited.get((table, row.pk), frozenset()) & other.keys()
    changed = {name: value for name, value in other.items() if name not in kept}
    if not changed:
        return row, "kept" if kept else "unchanged"
    for name, value in changed.items():
        setattr(row, name, value)
    row.save(update_fields=list(changed))
    return row, "updated"

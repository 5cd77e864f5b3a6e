"""Loads the shipped catalogue into the database. Rows that results use are changed, never removed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from django.db import models, transaction
from pydantic import ValidationError

from results.documents.base import one_line
from results.documents.catalogue import CatalogueFile
from results.models import AccuracyGate, Alias, Engine, Hardware, LanguageModel
from results.services.accuracy import judge_all

SHIPPED = Path(__file__).resolve().parents[1] / "catalog"
#: Section, table, and the columns that identify an entry.
_SECTIONS: tuple[tuple[str, type[models.Model], tuple[str, ...]], ...] = (
    ("hardware", Hardware, ("slug",)),
    ("engines", Engine, ("slug",)),
    ("models", LanguageModel, ("slug",)),
    ("aliases", Alias, ("kind", "spelling")),
    ("accuracy_gates", AccuracyGate, ("task", "metric", "model", "precision")),
)
_TARGETS = {"hardware": Hardware, "engine": Engine, "model": LanguageModel}


class CatalogueError(ValueError):
    """A bad file: its name, the place in it and the rule, in one line."""


@transaction.atomic
def load_catalogue(*, folder: Path = SHIPPED) -> Counter[str]:
    """Create or update every entry; counts of ``created``, ``updated`` and ``unchanged`` rows."""
    files = [(path.name, _read(path)) for path in sorted(folder.glob("*.yaml"))]
    counts: Counter[str] = Counter(created=0, updated=0, unchanged=0)
    for section, table, identity in _SECTIONS:
        entries = list(_entries(files, section, identity))
        if table is Alias:
            _check_targets(entries)
        done = _upsert(table, identity, [values for _place, values in entries])
        counts += done
        if table is AccuracyGate and done["created"] + done["updated"]:
            judge_all()
    return Counter({verb: counts[verb] for verb in ("created", "updated", "unchanged")})


def _read(path: Path) -> CatalogueFile:
    try:
        return CatalogueFile.model_validate(yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader))
    except ValidationError as error:
        raise CatalogueError(f"{path.name}: {one_line(error)}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise CatalogueError(f"{path.name}: not YAML: {reason}") from None


def _entries(
    files: list[tuple[str, CatalogueFile]], section: str, identity: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, Any]]]:
    seen: dict[tuple[Any, ...], str] = {}
    for name, file in files:
        for index, entry in enumerate(getattr(file, section)):
            place, values = f"{name}: /{section}/{index}", entry.model_dump()
            key = tuple(values[column] for column in identity)
            if key in seen:
                raise CatalogueError(f"{place}: {' '.join(key)} stands already at {seen[key]}")
            seen[key] = place
            yield place, values


def _check_targets(entries: Iterable[tuple[str, dict[str, Any]]]) -> None:
    known = {
        kind: set(table._default_manager.values_list("slug", flat=True)) for kind, table in _TARGETS.items()
    }
    for place, entry in entries:
        kind, canonical = entry["kind"], entry["canonical"]
        if kind in known and canonical not in known[kind]:
            raise CatalogueError(f"{place}/canonical: no {kind} has the slug {canonical}")


def _upsert(
    table: type[models.Model], identity: tuple[str, ...], entries: Iterable[Mapping[str, Any]]
) -> Counter[str]:
    known = {tuple(getattr(row, name) for name in identity): row for row in table._default_manager.all()}
    new: list[models.Model] = []
    counts: Counter[str] = Counter()
    for entry in entries:
        row = known.get(tuple(entry[name] for name in identity))
        if row is None:
            new.append(table(**entry))
            counts["created"] += 1
        elif all(getattr(row, name) == value for name, value in entry.items()):
            counts["unchanged"] += 1
        else:
            table._default_manager.filter(pk=row.pk).update(**entry)
            counts["updated"] += 1
    table._default_manager.bulk_create(new)
    return counts

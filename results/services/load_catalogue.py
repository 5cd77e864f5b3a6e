"""Loads the shipped catalogue into the database. Rows that results use are changed, never removed."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from django.db import models, transaction
from pydantic import ValidationError

from results.documents.base import one_line
from results.documents.catalogue import CatalogueFile
from results.models import Alias, Engine, Hardware, LanguageModel

SHIPPED = Path(__file__).resolve().parents[1] / "catalog"
#: Section, table, and the columns that identify an entry.
_SECTIONS: tuple[tuple[str, type[models.Model], tuple[str, ...]], ...] = (
    ("hardware", Hardware, ("slug",)),
    ("engines", Engine, ("slug",)),
    ("models", LanguageModel, ("slug",)),
    ("aliases", Alias, ("kind", "spelling")),
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
        for place, entry in _entries(files, section, identity):
            if table is Alias:
                _check_target(place, entry)
            key = {name: entry[name] for name in identity}
            counts[_upsert(table, key, {name: entry[name] for name in entry if name not in key})] += 1
    return counts


def _read(path: Path) -> CatalogueFile:
    try:
        return CatalogueFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
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


def _check_target(place: str, entry: Mapping[str, Any]) -> None:
    table = _TARGETS.get(entry["kind"])
    if table is not None and not table._default_manager.filter(slug=entry["canonical"]).exists():
        raise CatalogueError(f"{place}/canonical: no {entry['kind']} has the slug {entry['canonical']}")


def _upsert(table: type[models.Model], key: dict[str, Any], values: dict[str, Any]) -> str:
    rows = table._default_manager.filter(**key)
    if rows.filter(**values).exists():
        return "unchanged"
    if rows.update(**values):
        return "updated"
    table._default_manager.create(**key, **values)
    return "created"

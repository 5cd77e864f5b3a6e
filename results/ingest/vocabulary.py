"""How spellings of files become catalogue names: the alias tables, loaded once per file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from results.models import Alias, Engine, Hardware, LanguageModel

#: Canonical name of "there is none", for kinds whose field a recipe may leave empty.
NONE = "none"


class UnknownSpellingError(ValueError):
    """A value without an alias: an operator adds one, and every waiting row goes in."""

    def __init__(self, kind: str, spelling: str) -> None:
        super().__init__(f"no {kind} is known as {spelling!r}")
        self.kind = kind
        self.spelling = spelling


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """``names`` maps kind and lower-case spelling to the canonical name, ``ids`` kind and slug to the row."""

    names: Mapping[str, Mapping[str, str]]
    ids: Mapping[str, Mapping[str, int]]

    def canonical(self, kind: str, spelling: str) -> str:
        """The canonical name; case and surrounding space say nothing. Raises UnknownSpellingError."""
        found = self.names[kind].get(spelling.strip().lower())
        if found is None:
            raise UnknownSpellingError(kind, spelling)
        return found

    def row(self, kind: str, slug: str) -> int:
        """The catalogue row of a canonical name. Raises UnknownSpellingError."""
        found = self.ids[kind].get(slug)
        if found is None:
            raise UnknownSpellingError(kind, slug)
        return found


def load_vocabulary() -> Vocabulary:
    """Four queries. An alias wins over a name of the catalogue that is spelled the same."""
    names: dict[str, dict[str, str]] = {str(kind): {} for kind in Alias.Kind.values}
    ids: dict[str, dict[str, int]] = {}
    for kind, rows in _catalogue().items():
        ids[kind] = {row["slug"]: row["id"] for row in rows}
        for row in rows:
            for spelling in (row["name"], *row.get("served_names", ()), row["slug"]):
                names[kind][spelling.lower()] = row["slug"]
    aliases = list(Alias.objects.values_list("kind", "spelling", "canonical"))
    for kind, _spelling, canonical in aliases:
        if kind not in ids:
            names[kind][canonical.lower()] = canonical
    for kind, spelling, canonical in aliases:
        names[kind][spelling.strip().lower()] = canonical
    return Vocabulary(names, ids)


def _catalogue() -> Mapping[str, list[dict[str, Any]]]:
    hardware = Hardware.objects.order_by("slug").values("id", "slug", "name")
    engines = Engine.objects.order_by("slug").values("id", "slug", "name")
    models = LanguageModel.objects.order_by("slug").values("id", "slug", "name", "served_names")
    return {
        "hardware": [dict(row) for row in hardware],
        "engine": [dict(row) for row in engines],
        "model": [dict(row) for row in models],
    }

"""What recipe documents say that no column does, worked out once for each in a process."""

from dataclasses import dataclass

import orjson

from results.analysis.families import configuration_family, kind_family
from results.analysis.labels import recipe_label
from results.documents.recipe import Recipe

#: Recipes never change, so a process reads each of their documents once.
_KNOWN: dict[str, "Build"] = {}
_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Build:
    """``parallel`` is parallelism in few characters, ``gpus`` counts by hardware slug.

    Recipes that share a ``configuration`` are one deployment before and after an upgrade; those of one
    ``kind`` have model, hardware, engine, precision and drafting method in common.
    """

    parallel: str
    configuration: str
    kind: str
    gpus: tuple[tuple[str, int], ...]


def build_of(fingerprint: str, text: str) -> Build:
    """``text`` is the recipe's document as JSON; it is read only if the fingerprint is new."""
    found = _KNOWN.get(fingerprint)
    if found is None:
        if len(_KNOWN) >= _MOST:
            _KNOWN.clear()
        found = _KNOWN[fingerprint] = _read(text)
    return found


def _read(text: str) -> Build:
    document = orjson.loads(text)
    recipe = Recipe.model_validate(document)
    gpus: dict[str, int] = {}
    for role in recipe.roles.values():
        gpus[role.hardware] = gpus.get(role.hardware, 0) + role.gpus
    configuration, kind = configuration_family(document), kind_family(document)
    return Build(recipe_label(recipe), configuration, kind, tuple(gpus.items()))

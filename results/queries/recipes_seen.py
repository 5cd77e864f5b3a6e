"""Recipes and runs as reading pages need them: what people filter and group by, and nothing else."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce

from results.analysis.families import configuration_family
from results.analysis.labels import recipe_label
from results.documents.recipe import Recipe
from results.models import LIVE, Origin, Run

#: A run that states no time was measured before all that do.
LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Build:
    """What a recipe document says that its columns do not.

    Recipes that share a ``configuration`` are one deployment before and after an upgrade. ``gpus`` counts by
    hardware slug.
    """

    parallel: str
    configuration: str
    gpus: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class RecipeSeen:
    """A recipe; ``hardware`` is the slug, ``hardware_name`` what people call it."""

    fingerprint: str
    document: Mapping[str, Any]
    vendor: str
    kind: str
    hardware: str
    hardware_name: str
    gpu_count: int
    engine: str
    engine_name: str
    engine_version: str
    model: str
    precision: str
    speculative: str
    offload: str
    disaggregated: bool
    multinode: bool
    accuracy: str

    @property
    def build(self) -> Build:
        return _build(self.fingerprint, self.document)

    @property
    def deployment(self) -> str:
        """``disaggregated``, ``multi`` or ``single``: nodes of one role."""
        return "disaggregated" if self.disaggregated else "multi" if self.multinode else "single"


@dataclass(frozen=True, slots=True)
class RunSeen:
    """A run; ``scenario`` is its name, ``scenario_id`` tells versions of one corpus apart."""

    id: uuid.UUID
    label: str
    block: int | None
    recipe: RecipeSeen
    scenario: str
    scenario_id: int
    agentic: bool
    source_run: str
    measured_at: datetime | None
    created_at: datetime
    live: bool


_RECIPE = {
    "fingerprint": "recipe__fingerprint",
    "document": "recipe__document",
    "vendor": "recipe__hardware__vendor",
    "kind": "recipe__hardware__kind",
    "hardware": "recipe__hardware__slug",
    "hardware_name": "recipe__hardware__name",
    "gpu_count": "recipe__gpu_count",
    "engine": "recipe__engine__slug",
    "engine_name": "recipe__engine__name",
    "engine_version": "recipe__engine_version",
    "model": "recipe__language_model__slug",
    "precision": "recipe__precision",
    "speculative": "recipe__speculative",
    "offload": "recipe__kv_offload",
    "disaggregated": "recipe__disaggregated",
    "multinode": "recipe__multinode",
    "accuracy": "recipe__accuracy",
}
_RUN = ("id", "label", "block", "source_run", "created_at", "origin", "recipe_id", "state")
_SCENARIO = ("scenario_id", "scenario__corpus", "scenario__isl", "scenario__osl")


def runs_seen(runs: QuerySet[Run]) -> dict[uuid.UUID, RunSeen]:
    """These runs in the order in which they became known; one query."""
    rows = runs.annotate(began=Coalesce("started_at", "created_at")).order_by("created_at", "id")
    recipe_columns = {f"r_{name}": F(path) for name, path in _RECIPE.items()}
    columns = rows.values(*_RUN, *_SCENARIO, "began", "measured_at", **recipe_columns)
    recipes: dict[int, RecipeSeen] = {}
    found: dict[uuid.UUID, RunSeen] = {}
    for row in columns:
        recipe = recipes.get(row["recipe_id"])
        if recipe is None:
            recipe = recipes[row["recipe_id"]] = RecipeSeen(**{name: row[f"r_{name}"] for name in _RECIPE})
        found[row["id"]] = _run(row, recipe)
    return found


def _run(row: Mapping[str, Any], recipe: RecipeSeen) -> RunSeen:
    executed = row["origin"] == Origin.EXECUTED
    return RunSeen(
        id=row["id"],
        label=row["label"],
        block=row["block"],
        recipe=recipe,
        scenario=scenario_name(row["scenario__corpus"], row["scenario__isl"], row["scenario__osl"]),
        scenario_id=row["scenario_id"],
        agentic=row["scenario__corpus"] is not None,
        source_run=row["source_run"],
        measured_at=row["began"] if executed else row["measured_at"],
        created_at=row["created_at"],
        live=row["state"] in LIVE,
    )


def scenario_name(corpus: str | None, isl: int | None, osl: int | None) -> str:
    return corpus if corpus is not None else f"{isl}/{osl}"


def recipes_of(runs: Iterable[RunSeen]) -> tuple[RecipeSeen, ...]:
    """Each recipe once, in the order of its first run."""
    return tuple({run.recipe.fingerprint: run.recipe for run in runs}.values())


#: Recipes never change, so a process reads each of their documents once.
_KNOWN: dict[str, Build] = {}
_MOST = 20_000


def _build(identifier: str, document: Mapping[str, Any]) -> Build:
    found = _KNOWN.get(identifier)
    if found is None:
        if len(_KNOWN) >= _MOST:
            _KNOWN.clear()
        found = _KNOWN[identifier] = _read(document)
    return found


def _read(document: Mapping[str, Any]) -> Build:
    recipe = Recipe.model_validate(document)
    gpus: dict[str, int] = {}
    for role in recipe.roles.values():
        gpus[role.hardware] = gpus.get(role.hardware, 0) + role.gpus
    return Build(recipe_label(recipe), configuration_family(document), tuple(gpus.items()))

"""Points with few metrics and recipes beside them, for pages that look at hundreds at once. Two queries."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from results.analysis.labels import recipe_label
from results.documents.recipe import Recipe as RecipeDocument
from results.models import Point, Recipe

_COLUMNS = (
    "id", "run_id", "run__recipe_id", "run__scenario_id", "run__label", "run__source_run",
    "run__published_run", "run__created_at", "attempt_id", "load", "validity", "measured_at", "ended_at",
    "started_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LeanPoint:
    """``at`` is when it was measured, None where nobody says; ``values`` holds only what was measured.

    ``batch`` names what was measured together: a run of ours, or the source run of an import.
    """

    id: int
    run: uuid.UUID
    recipe: int
    scenario: int
    label: str
    batch: str
    load: int
    validity: str
    at: datetime | None
    values: Mapping[str, float]


@dataclass(frozen=True)
class RecipeRow:
    """A recipe as pages name it; ``repository`` is the engine's, as owner/name where it is on GitHub."""

    id: int
    fingerprint: str
    document: Mapping[str, Any]
    hardware: str
    hardware_name: str
    vendor: str
    kind: str
    gpus: int
    engine: str
    engine_name: str
    repository: str
    version: str
    precision: str
    speculative: str
    offload: str
    disaggregated: bool
    accuracy: str

    @cached_property
    def label(self) -> str:
        """Parallelism in few characters."""
        return recipe_label(RecipeDocument.model_validate(self.document))

    @property
    def gpus_by_hardware(self) -> dict[str, int]:
        """Accelerators of each kind; prefill and decode may run on different ones."""
        found: dict[str, int] = {}
        for role in self.document["roles"].values():
            found[role["hardware"]] = found.get(role["hardware"], 0) + role["gpus"]
        return found

    @property
    def title(self) -> str:
        parts = [f"{self.gpus} × {self.hardware_name}", self.engine_name, self.label, self.precision]
        extra = [self.speculative, f"KV {self.offload}" if self.offload != "none" else ""]
        return " · ".join([*parts, *(text for text in extra if text)])


def lean_points(points: QuerySet[Point], keys: Sequence[str], limit: int) -> list[LeanPoint]:
    """At most ``limit`` of the points by identifier, with the metrics of ``keys``; one query."""
    wanted = tuple(dict.fromkeys(keys))
    rows = points.order_by("id").values_list(*_COLUMNS, *wanted)[:limit]
    return [_point(row, wanted) for row in rows]


def recipe_rows(identifiers: Iterable[int]) -> dict[int, RecipeRow]:
    """Recipes by identifier; one query."""
    found = Recipe.objects.select_related("hardware", "engine").in_bulk(list(set(identifiers)))
    return {identifier: recipe_row(recipe) for identifier, recipe in found.items()}


def recipe_row(recipe: Recipe) -> RecipeRow:
    """The row of a recipe that was fetched with hardware and engine; no query."""
    return RecipeRow(
        id=recipe.id,
        fingerprint=recipe.fingerprint,
        document=recipe.document,
        hardware=recipe.hardware.slug,
        hardware_name=recipe.hardware.name,
        vendor=recipe.hardware.vendor,
        kind=recipe.hardware.kind,
        gpus=recipe.gpu_count,
        engine=recipe.engine.slug,
        engine_name=recipe.engine.name,
        repository=recipe.engine.repository.removeprefix("https://github.com/").rstrip("/"),
        version=recipe.engine_version,
        precision=recipe.precision,
        speculative=recipe.speculative,
        offload=recipe.kv_offload,
        disaggregated=recipe.disaggregated,
        accuracy=recipe.accuracy,
    )


def _point(row: tuple[Any, ...], keys: Sequence[str]) -> LeanPoint:
    fixed = dict(zip(_COLUMNS, row, strict=False))
    values = zip(keys, row[len(_COLUMNS) :], strict=True)
    executed = fixed["attempt_id"] is not None
    at = fixed["measured_at"] or fixed["ended_at"] or fixed["started_at"]
    source = fixed["run__source_run"] or fixed["run__published_run"]
    return LeanPoint(
        id=fixed["id"],
        run=fixed["run_id"],
        recipe=fixed["run__recipe_id"],
        scenario=fixed["run__scenario_id"],
        label=fixed["run__label"],
        batch=str(fixed["run_id"]) if executed else source or f"{at or fixed['run_id']}",
        load=fixed["load"],
        validity=fixed["validity"],
        at=at or (fixed["run__created_at"] if executed else None),
        values={key: value for key, value in values if value is not None},
    )

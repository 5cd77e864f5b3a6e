"""Points with few metrics and recipes beside them, for pages that look at hundreds at once. Two queries."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

import orjson
from django.db.models import Case, DateTimeField, F, QuerySet, TextField, When
from django.db.models.functions import Cast, Coalesce

from results.models import Point, Recipe
from results.queries.among import Among
from results.queries.builds import Build, build_of

_COLUMNS = ("id", "run_id", "run__recipe_id", "run__scenario_id", "run__label", "run__source_run",
            "run__published_run", "attempt_id", "load", "validity", "at")  # fmt: skip
#: When a point was measured; one that was executed here was so at the latest when its run was submitted.
_AT = Coalesce(
    "measured_at",
    "ended_at",
    "started_at",
    Case(When(attempt__isnull=False, then=F("run__created_at")), output_field=DateTimeField()),
)
#: The fields of a recipe's row, in their order.
_RECIPE = ("id", "fingerprint", "text", "hardware__slug", "hardware__name", "hardware__vendor",
           "hardware__kind", "gpu_count", "engine__slug", "engine__name", "engine__repository",
           "engine_version", "precision", "speculative", "kv_offload", "disaggregated",
           "accuracy")  # fmt: skip


# A named tuple: pages make thousands of them, and a frozen dataclass takes ten times as long to make.
class LeanPoint(NamedTuple):
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
    """A recipe as pages name it; ``text`` is its document as JSON, ``source`` the engine's repository."""

    id: int
    fingerprint: str
    text: str
    hardware: str
    hardware_name: str
    vendor: str
    kind: str
    gpus: int
    engine: str
    engine_name: str
    source: str
    version: str
    precision: str
    speculative: str
    offload: str
    disaggregated: bool
    accuracy: str

    @cached_property
    def document(self) -> Mapping[str, Any]:
        document: dict[str, Any] = orjson.loads(self.text)
        return document

    @property
    def build(self) -> Build:
        return build_of(self.fingerprint, self.text)

    @property
    def label(self) -> str:
        """Parallelism in few characters."""
        return self.build.parallel

    @property
    def repository(self) -> str:
        """Of the engine, as owner/name where it is on GitHub."""
        return self.source.removeprefix("https://github.com/").rstrip("/")

    @property
    def gpus_by_hardware(self) -> dict[str, int]:
        """Accelerators of each kind; prefill and decode may run on different ones."""
        return dict(self.build.gpus)

    @property
    def title(self) -> str:
        parts = [f"{self.gpus} × {self.hardware_name}", self.engine_name, self.label, self.precision]
        extra = [self.speculative, f"KV {self.offload}" if self.offload != "none" else ""]
        return " · ".join([*parts, *(text for text in extra if text)])


def lean_points(points: QuerySet[Point], keys: Sequence[str], limit: int) -> list[LeanPoint]:
    """At most ``limit`` of the points by identifier, with the metrics of ``keys``; one query."""
    wanted = tuple(dict.fromkeys(keys))
    rows = points.annotate(at=_AT).order_by("id").values_list(*_COLUMNS, *wanted)[:limit]
    return [_point(row[: len(_COLUMNS)], zip(wanted, row[len(_COLUMNS) :], strict=True)) for row in rows]


def recipe_rows(identifiers: Iterable[int]) -> dict[int, RecipeRow]:
    """Recipes by identifier; one query."""
    found = read_recipes(Recipe.objects.filter(Among("id", set(identifiers))))
    return {recipe.id: recipe for recipe, _more in found}


def read_recipes(recipes: QuerySet[Recipe], *more: str) -> Iterator[tuple[RecipeRow, tuple[Any, ...]]]:
    """Rows with the annotations that ``more`` names; one query."""
    columns = recipes.annotate(text=Cast("document", TextField())).values_list(*_RECIPE, *more)
    for row in columns:
        yield RecipeRow(*row[: len(_RECIPE)]), row[len(_RECIPE) :]


def recipe_row(recipe: Recipe) -> RecipeRow:
    """The row of a recipe that was fetched with hardware and engine; no query."""
    return RecipeRow(
        id=recipe.id,
        fingerprint=recipe.fingerprint,
        text=orjson.dumps(recipe.document).decode(),
        hardware=recipe.hardware.slug,
        hardware_name=recipe.hardware.name,
        vendor=recipe.hardware.vendor,
        kind=recipe.hardware.kind,
        gpus=recipe.gpu_count,
        engine=recipe.engine.slug,
        engine_name=recipe.engine.name,
        source=recipe.engine.repository,
        version=recipe.engine_version,
        precision=recipe.precision,
        speculative=recipe.speculative,
        offload=recipe.kv_offload,
        disaggregated=recipe.disaggregated,
        accuracy=recipe.accuracy,
    )


def batch_of(run: uuid.UUID, attempt: int | None, source: str, published: str, at: datetime | None) -> str:
    """What names the points that were measured together."""
    return str(run) if attempt is not None else source or published or f"{at or run}"


def _point(row: tuple[Any, ...], values: Iterable[tuple[str, float | None]]) -> LeanPoint:
    identifier, run, recipe, scenario, label, source, published, attempt, load, validity, at = row
    return LeanPoint(
        id=identifier,
        run=run,
        recipe=recipe,
        scenario=scenario,
        label=label,
        batch=batch_of(run, attempt, source, published, at),
        load=load,
        validity=validity,
        at=at,
        values={key: value for key, value in values if value is not None},
    )

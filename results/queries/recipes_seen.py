"""Recipes and runs as reading pages need them: what people filter and group by, and nothing else."""

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from django.db.models import Case, DateTimeField, F, QuerySet, TextField, When
from django.db.models.functions import Cast, Coalesce

from results.models import LIVE, Origin, Run
from results.queries.builds import Build, build_of


# A named tuple: pages make thousands of them, and a frozen dataclass takes ten times as long to make.
class RecipeSeen(NamedTuple):
    """A recipe; ``hardware`` is the slug, ``hardware_name`` what people call it.

    ``text`` is its document as JSON: a page looks at many recipes and reads few of their documents.
    """

    fingerprint: str
    text: str
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
        return build_of(self.fingerprint, self.text)

    @property
    def document(self) -> Mapping[str, Any]:
        document: dict[str, Any] = orjson.loads(self.text)
        return document

    @property
    def deployment(self) -> str:
        """``disaggregated``, ``multi`` or ``single``: nodes of one role."""
        return "disaggregated" if self.disaggregated else "multi" if self.multinode else "single"


class RunSeen(NamedTuple):
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
    live: bool


#: Where the fields of a recipe after its text stand, in their order.
_RECIPE = (
    "recipe__hardware__vendor", "recipe__hardware__kind", "recipe__hardware__slug", "recipe__hardware__name",
    "recipe__gpu_count", "recipe__engine__slug", "recipe__engine__name", "recipe__engine_version",
    "recipe__language_model__slug", "recipe__precision", "recipe__speculative", "recipe__kv_offload",
    "recipe__disaggregated", "recipe__multinode", "recipe__accuracy",
)  # fmt: skip
_RUN = ("id", "label", "block", "scenario__corpus", "scenario__isl", "scenario__osl", "scenario_id",
        "source_run", "began", "state")  # fmt: skip


def began(run: str = "") -> Case:
    """When a run began to measure; ``run`` is the way to it, such as ``run__``. None where nobody says."""
    started = Coalesce(f"{run}started_at", f"{run}created_at")
    ours = When(**{f"{run}origin": Origin.EXECUTED}, then=started)
    return Case(ours, default=F(f"{run}measured_at"), output_field=DateTimeField())


def runs_seen(runs: QuerySet[Run]) -> dict[uuid.UUID, RunSeen]:
    """These runs in the order in which they became known; one query."""
    text = Cast("recipe__document", TextField())
    rows = runs.annotate(began=began(), text=text).order_by("created_at", "id")
    recipes: dict[str, RecipeSeen] = {}
    found: dict[uuid.UUID, RunSeen] = {}
    for row in rows.values_list(*_RUN, "recipe__fingerprint", "text", *_RECIPE):
        fingerprint = row[len(_RUN)]
        recipe = recipes.get(fingerprint)
        if recipe is None:
            recipe = recipes[fingerprint] = RecipeSeen(*row[len(_RUN) :])
        found[row[0]] = _run(row[: len(_RUN)], recipe)
    return found


def _run(row: tuple[Any, ...], recipe: RecipeSeen) -> RunSeen:
    identifier, label, block, corpus, isl, osl, scenario, source_run, began, state = row
    return RunSeen(
        id=identifier,
        label=label,
        block=block,
        recipe=recipe,
        scenario=scenario_name(corpus, isl, osl),
        scenario_id=scenario,
        agentic=corpus is not None,
        source_run=source_run,
        measured_at=began,
        live=state in LIVE,
    )


def scenario_name(corpus: str | None, isl: int | None, osl: int | None) -> str:
    return corpus if corpus is not None else f"{isl}/{osl}"


def recipes_of(runs: Iterable[RunSeen]) -> tuple[RecipeSeen, ...]:
    """Each recipe once, in the order of its first run."""
    return tuple({run.recipe.fingerprint: run.recipe for run in runs}.values())

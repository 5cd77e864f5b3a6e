"""Comparison plan: baseline against candidate, declared before anything runs."""

from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from results.analysis.gains.plan import FrontierAxes, Plan, PlannedBlock, Purpose, schedule
from results.documents.base import Document
from results.documents.recipe import Recipe
from results.documents.run import AgenticScenario, Client, Name, RunDocument
from results.metrics import METRICS, Direction

Arm = Literal["A", "B"]
Fraction = Annotated[float, Field(gt=0, lt=1, strict=False)]


def _directed(key: str) -> str:
    if key not in METRICS:
        raise ValueError(f"{key} is not a registered metric")
    if METRICS[key].direction is Direction.NEUTRAL:
        raise ValueError(f"{key} has no direction, so it cannot show a gain")
    return key


Directed = Annotated[str, AfterValidator(_directed)]


class DeclaredFrontier(Document):
    """The gain in ``y`` at equal ``x`` is a primary metric of the plan."""

    x: Directed
    y: Directed


class ComparisonPlan(Document):
    """What will be run and judged. A is the baseline, B the candidate.

    ``metrics`` are the primary ones; every declared load of each counts in the family of tests.
    ``extend_once`` doubles the blocks a single time when the first look is inconclusive, at the price of a
    stricter level for both looks. ``client.seed`` is replaced per block, the same for both arms.
    """

    schema_: Literal["northstar.comparison/1"] = Field("northstar.comparison/1", alias="schema")
    title: Annotated[str, Field(min_length=1, max_length=200)]
    baseline: Recipe
    candidate: Recipe
    scenario: AgenticScenario
    loads: Annotated[list[Annotated[int, Field(ge=1, le=65536)]], Field(min_length=1, max_length=16)]
    metrics: Annotated[list[str], Field(min_length=1, max_length=3)]
    frontier: DeclaredFrontier | None = None
    sesoi: dict[str, Fraction] = Field(default_factory=dict, max_length=3)
    blocks: Annotated[int, Field(ge=3, le=32)] = 5
    extend_once: bool = False
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 1
    client: Client = Client(window_seconds=3600)
    host: Name | None = None
    hard_limit_seconds: Annotated[int, Field(ge=30, le=172_800)] = 14_400

    @field_validator("loads")
    @classmethod
    def _loads_increase(cls, loads: list[int]) -> list[int]:
        if any(later <= earlier for earlier, later in pairwise(loads)):
            raise ValueError("loads must be strictly increasing")
        return loads

    @field_validator("metrics")
    @classmethod
    def _metrics_have_a_direction(cls, metrics: list[str]) -> list[str]:
        for key in metrics:
            _directed(key)
        if len(set(metrics)) != len(metrics):
            raise ValueError("a metric is named twice")
        return metrics

    @model_validator(mode="after")
    def _sesoi_of_metrics(self) -> Self:
        if set(self.sesoi) - set(self.metrics):
            raise ValueError("sesoi names a metric that the plan does not declare")
        return self

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)

    def analysis(self) -> Plan:
        """The same plan as the statistics know it: what differs between the arms' arguments is declared."""
        before, after = self.baseline, self.candidate
        keys = before.arguments.keys() | after.arguments.keys()
        changed = {key for key in keys if before.arguments.get(key) != after.arguments.get(key)}
        same = before.engine.name == after.engine.name and before.roles == after.roles
        return Plan(
            metrics=tuple(self.metrics),
            loads=tuple(self.loads),
            blocks=self.blocks,
            seed=self.seed,
            extend_once=self.extend_once,
            sesoi=self.sesoi,
            frontier=FrontierAxes(self.frontier.x, self.frontier.y) if self.frontier else None,
            declared_changes=frozenset(changed),
            purpose=Purpose.PULL_REQUEST if same else Purpose.COMPARISON,
        )

    def order(self, *, extension: bool = False) -> list[tuple[PlannedBlock, Arm]]:
        """Blocks with their arms in the order of running: the planned ones, or those of the extension."""
        planned = schedule(self.analysis(), extended=extension)
        blocks = planned[self.blocks :] if extension else planned
        return [(block, arm) for block in blocks for arm in _arms(block)]

    def run_document(self, block: PlannedBlock, arm: Arm, host: str) -> RunDocument:
        """One arm of one block: traces and client seed of the other arm, a new seed per block."""
        return RunDocument.model_validate({
            "label": "baseline" if arm == "A" else "candidate",
            "block": block.number,
            "recipe": (self.baseline if arm == "A" else self.candidate).model_dump(mode="json"),
            "scenario": self.scenario.model_dump(mode="json"),
            "loads": self.loads,
            "client": {**self.client.model_dump(mode="json"), "seed": block.seed},
            "host": host,
            "hard_limit_seconds": self.hard_limit_seconds,
        })  # fmt: skip


def _arms(block: PlannedBlock) -> tuple[Arm, Arm]:
    return ("A", "B") if block.first == "baseline" else ("B", "A")


class RunSets(Document):
    """Two sets of runs that exist already; nothing was declared, so the verdict is at most indicative."""

    schema_: Literal["northstar.run-sets/1"] = Field("northstar.run-sets/1", alias="schema")
    title: Annotated[str, Field(min_length=1, max_length=200)]
    baseline_runs: Annotated[list[str], Field(min_length=1, max_length=64)]
    candidate_runs: Annotated[list[str], Field(min_length=1, max_length=64)]
    metrics: Annotated[list[str], Field(min_length=1, max_length=3)]
    sesoi: dict[str, Fraction] = Field(default_factory=dict, max_length=3)

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)


class EvidenceRequest(Document):
    """What to attach to a pull request: a plan that is to be run, or sets of runs that exist."""

    plan: ComparisonPlan | None = None
    runs: RunSets | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if (self.plan is None) == (self.runs is None):
            raise ValueError("state either plan or runs")
        return self

    @property
    def basis(self) -> ComparisonPlan | RunSets:
        found = self.plan or self.runs
        assert found is not None, "the validator let exactly one pass"  # noqa: S101
        return found

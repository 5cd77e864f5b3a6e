"""Comparison plan: baseline against candidate, declared before anything runs."""

import hashlib
import random
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from results.documents.base import Document
from results.documents.recipe import Recipe
from results.documents.run import AgenticScenario, Client, Name, RunDocument
from results.metrics import METRICS, Direction

Arm = Literal["A", "B"]
#: Smallest effect of interest where the plan names none, by the beginning of the metric's key: throughput
#: 1 %, median latency 3 %, P90 5 %, P99 10 % (fractions).
_BY_SUFFIX = (("_p999", 0.10), ("_p99", 0.10), ("_p95", 0.05), ("_p90", 0.05))
_LATENCIES = ("ttft", "e2e_latency", "itl", "tpot", "full_response_itl")
Fraction = Annotated[float, Field(gt=0, lt=1, strict=False)]


def default_sesoi(metric: str) -> float:
    """Smallest effect size of interest of a registered metric, as a fraction."""
    for suffix, size in _BY_SUFFIX:
        if metric.endswith(suffix):
            return size
    return 0.03 if metric.startswith(_LATENCIES) else 0.01


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
            if key not in METRICS:
                raise ValueError(f"{key} is not a registered metric")
            if METRICS[key].direction is Direction.NEUTRAL:
                raise ValueError(f"{key} has no direction, so it cannot show a gain")
        if len(set(metrics)) != len(metrics):
            raise ValueError("a metric is named twice")
        return metrics

    @model_validator(mode="after")
    def _sesoi_of_metrics(self) -> Self:
        if set(self.sesoi) - set(self.metrics):
            raise ValueError("sesoi names a metric that the plan does not declare")
        return self

    def sesoi_of(self, metric: str) -> float:
        return self.sesoi.get(metric, default_sesoi(metric))

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)

    def order(self, first: int, blocks: int) -> list[tuple[int, Arm]]:
        """Blocks ``first`` to ``first + blocks - 1`` with their arms in the order of running.

        Which arm goes first is drawn per block from the plan's seed, whatever was drawn before.
        """
        result: list[tuple[int, Arm]] = []
        for block in range(first, first + blocks):
            arms: list[Arm] = ["A", "B"]
            random.Random(f"{self.seed}/{block}").shuffle(arms)  # noqa: S311
            result += [(block, arm) for arm in arms]
        return result

    def run_document(self, block: int, arm: Arm, host: str) -> RunDocument:
        """One arm of one block: traces and client seed of the other arm, a new seed per block."""
        digest = hashlib.sha256(f"{self.seed}/{block}".encode()).digest()
        client = self.client.model_copy(update={"seed": int.from_bytes(digest[:4]) % 2**31})
        return RunDocument.model_validate({
            "label": "baseline" if arm == "A" else "candidate",
            "block": block,
            "recipe": (self.baseline if arm == "A" else self.candidate).model_dump(mode="json"),
            "scenario": self.scenario.model_dump(mode="json"),
            "loads": self.loads,
            "client": client.model_dump(mode="json"),
            "host": host,
            "hard_limit_seconds": self.hard_limit_seconds,
        })  # fmt: skip


class RunSets(Document):
    """Two sets of runs that exist already; nothing was declared, so the verdict is at most indicative."""

    schema_: Literal["northstar.run-sets/1"] = Field("northstar.run-sets/1", alias="schema")
    title: Annotated[str, Field(min_length=1, max_length=200)]
    baseline_runs: Annotated[list[str], Field(min_length=1, max_length=64)]
    candidate_runs: Annotated[list[str], Field(min_length=1, max_length=64)]
    metrics: Annotated[list[str], Field(min_length=1, max_length=3)]
    sesoi: dict[str, Fraction] = Field(default_factory=dict, max_length=3)

"""The plan of a comparison, declared and stored before its first run."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from results.analysis.gains.blocks import Side
from results.metrics import METRICS, Direction, Metric

#: Two-sided error of one look at the data.
ALPHA = 0.05
#: Error of each of two looks, at n and at 2n blocks, that together make 5 % (Pocock).
ALPHA_OF_TWO_LOOKS = 0.029
#: Fewer launches per side never give a verdict.
MINIMUM_LAUNCHES = 3
MOST_METRICS = 3

#: Smallest effect of interest where the plan names none: by statistic, else ``DEFAULT_SESOI``.
SESOI_BY_STAT: Mapping[str, float] = {
    "mean": 0.03, "p50": 0.03, "p75": 0.05, "p90": 0.05, "p95": 0.10, "p99": 0.10, "p999": 0.10,
}  # fmt: skip
DEFAULT_SESOI = 0.01


class Purpose(StrEnum):
    """A pull request is judged on one machine with one change; other comparisons may cross engines."""

    PULL_REQUEST = "pull_request"
    COMPARISON = "comparison"


@dataclass(frozen=True, slots=True)
class FrontierAxes:
    """Metric keys of a frontier: what is held equal (x), and what is gained (y)."""

    x: str
    y: str

    def __post_init__(self) -> None:
        for name, key in (("frontier.x", self.x), ("frontier.y", self.y)):
            directed_metric(name, key)


@dataclass(frozen=True, slots=True)
class Plan:
    """At most three primary metrics at declared loads, and when to stop.

    ``sesoi``: smallest effect of interest as a fraction by metric key, overriding the defaults.
    ``blocks``: number of blocks; ``extend_once`` allows as many again if the first look is inconclusive, at
    the price of a smaller error per look. ``declared_changes``: engine arguments that may differ.
    Raises ValueError that names the field and its rule.
    """

    metrics: tuple[str, ...]
    loads: tuple[int, ...]
    blocks: int = 5
    seed: int = 0
    extend_once: bool = False
    sesoi: Mapping[str, float] = field(default_factory=dict)
    frontier: FrontierAxes | None = None
    declared_changes: frozenset[str] = frozenset()
    purpose: Purpose = Purpose.PULL_REQUEST

    def __post_init__(self) -> None:
        _check_metrics(self.metrics)
        if not self.loads or list(self.loads) != sorted(set(self.loads)) or self.loads[0] < 1:
            raise ValueError("loads: positive and strictly increasing, at least one")
        if self.blocks < MINIMUM_LAUNCHES:
            raise ValueError(f"blocks: at least {MINIMUM_LAUNCHES}")
        for key, value in self.sesoi.items():
            directed_metric("sesoi", key)
            if not 0 < value < 1:
                raise ValueError(f"sesoi: {key} must lie between 0 and 1")

    @property
    def alpha(self) -> float:
        return ALPHA_OF_TWO_LOOKS if self.extend_once else ALPHA

    def smallest_effect(self, key: str) -> float:
        """Smallest effect of interest of a metric, as a fraction."""
        return self.sesoi.get(key, default_sesoi(METRICS[key]))


@dataclass(frozen=True, slots=True)
class PlannedBlock:
    """Both sides of a block replay the same requests with ``seed``; ``first`` is launched first."""

    number: int
    first: Side
    seed: int


def directed_metric(name: str, key: str) -> Metric:
    """The registered metric; ValueError where ``key`` has no entry or no direction."""
    metric = METRICS.get(key)
    if metric is None:
        raise ValueError(f"{name}: {key} is not a registered metric")
    if metric.direction is Direction.NEUTRAL:
        raise ValueError(f"{name}: {key} has no better direction")
    return metric


def default_sesoi(metric: Metric) -> float:
    return DEFAULT_SESOI if metric.stat is None else SESOI_BY_STAT.get(metric.stat, DEFAULT_SESOI)


def default_blocks(sesoi: float) -> int:
    """Five blocks, eight where less than 3 % is to be shown."""
    return 8 if sesoi < 0.03 else 5


def schedule(plan: Plan, *, extended: bool = False) -> tuple[PlannedBlock, ...]:
    """Blocks with a random order of sides that is balanced over each two blocks.

    The first blocks of an extended schedule are those of the schedule itself.
    """
    count = 2 * plan.blocks if extended else plan.blocks
    return tuple(_planned_block(plan.seed, number) for number in range(1, count + 1))


def _planned_block(seed: int, number: int) -> PlannedBlock:
    pair, second_of_pair = divmod(number - 1, 2)
    heads = _draw(seed, "order", pair) % 2 == 0
    first = Side.BASELINE if heads != bool(second_of_pair) else Side.CANDIDATE
    return PlannedBlock(number, first, _draw(seed, "requests", number) % 2**31)


def _draw(seed: int, purpose: str, number: int) -> int:
    """Hashing instead of a generator: the same plan gives the same schedule on every platform."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{purpose}/{number}".encode()).digest()[:8])


def _check_metrics(keys: tuple[str, ...]) -> None:
    if not 1 <= len(keys) <= MOST_METRICS or len(set(keys)) != len(keys):
        raise ValueError(f"metrics: 1 to {MOST_METRICS} different ones")
    for key in keys:
        directed_metric("metrics", key)

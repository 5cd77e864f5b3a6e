"""Blocks for the tests of gains."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from results.analysis.gains.blocks import Block, Conditions, Observation, Side, Values
from results.analysis.gains.plan import Plan

START = datetime(2026, 11, 1, tzinfo=UTC)
THROUGHPUT = "output_throughput_per_gpu"
TTFT = "ttft_p50"
LOAD = 32
#: Everything known and alike, so that no guard has anything to say.
ALIKE = Conditions(
    engine="llamacpp", model="tiny@1", precision="fp16", dataset="a", lengths="agentic", request_seed="1",
    hardware="cpu", gpus=1, parallelism="tp1", arguments={"context": 8192}, client="aiperf 0.13",
    fixed_output=True, accuracy_passed=True, driver="1", clock_mhz=2000.0, throttled=False,
    temperature_celsius=60.0, acceptance_rate=0.7,
)  # fmt: skip
#: Deviations of log-ratios with mean 0 and standard deviation 1 %, five and eight blocks.
FIVE = (-0.0129, -0.0032, 0.0, 0.0066, 0.0095)
EIGHT = (-0.0148, -0.0091, -0.0049, -0.0011, 0.0018, 0.0052, 0.0090, 0.0139)


def observation(
    side: Side,
    number: int,
    values: Values,
    *,
    conditions: Conditions = ALIKE,
    launch: str | None = None,
    started_at: datetime | None = None,
    withdrawn: bool = False,
) -> Observation:
    """The candidate starts first in even blocks; each launch takes an hour."""
    second = (side is Side.CANDIDATE) != (number % 2 == 0)
    at = started_at or START + timedelta(hours=2 * number + second)
    return Observation(side, launch or f"{side}-{number}", values, at, "host", conditions, withdrawn)


def block(number: int, baseline: Values, candidate: Values) -> Block:
    sides = ((Side.BASELINE, baseline), (Side.CANDIDATE, candidate))
    return Block(number, tuple(observation(side, number, values) for side, values in sides))


def blocks_of(
    baseline: Sequence[float | None], candidate: Sequence[float | None], key: str = THROUGHPUT
) -> list[Block]:
    """One metric at one load."""
    return [
        block(number, {LOAD: {key: before}}, {LOAD: {key: after}})
        for number, (before, after) in enumerate(zip(baseline, candidate, strict=True), start=1)
    ]


def ratio_blocks(factors: Sequence[float], key: str = THROUGHPUT, level: float = 100.0) -> list[Block]:
    """Candidate / baseline by block, on a level that wanders as hosts do."""
    levels = [level * (1 + 0.03 * (number % 3)) for number in range(len(factors))]
    return blocks_of(levels, [one * factor for one, factor in zip(levels, factors, strict=True)], key)


def plan(*keys: str, blocks: int = 5, sesoi: Mapping[str, float] | None = None, **changed: object) -> Plan:
    return Plan(keys or (THROUGHPUT,), (LOAD,), blocks, sesoi=sesoi or {}, **changed)  # type: ignore[arg-type]


def swapped(blocks: Sequence[Block]) -> list[Block]:
    """Baseline and candidate exchanged."""
    other = {Side.BASELINE: Side.CANDIDATE, Side.CANDIDATE: Side.BASELINE}
    return [
        Block(
            one.number,
            tuple(
                Observation(other[run.side], run.launch, run.values, run.started_at, run.host, run.conditions)
                for run in one.observations
            ),
        )
        for one in blocks
    ]

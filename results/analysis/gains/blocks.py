"""What was measured: one observation per server launch and side, grouped in blocks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple


class Side(StrEnum):
    BASELINE = "baseline"
    CANDIDATE = "candidate"


#: Metric values of one pass by load and metric key; None or no entry where nothing was measured.
Values = Mapping[int, Mapping[str, float | None]]
Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under what a run was measured; None where it is not known, which no guard takes for equal.

    ``lengths``: input and output length specification. ``fixed_output``: output lengths are forced by the
    client. ``clock_mhz`` and ``temperature_celsius`` are means over the run. Rates are fractions.
    """

    engine: str | None = None
    model: str | None = None
    precision: str | None = None
    dataset: str | None = None
    lengths: str | None = None
    request_seed: str | None = None
    hardware: str | None = None
    gpus: int | None = None
    parallelism: str | None = None
    arguments: Mapping[str, Scalar] | None = None
    client: str | None = None
    fixed_output: bool | None = None
    accuracy_passed: bool | None = None
    driver: str | None = None
    clock_mhz: float | None = None
    throttled: bool | None = None
    temperature_celsius: float | None = None
    acceptance_rate: float | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """One measured pass over the loads. Several passes of one launch share ``launch`` and count once."""

    side: Side
    launch: str
    values: Values
    started_at: datetime | None = None
    host: str | None = None
    conditions: Conditions = field(default_factory=Conditions)
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Launches of both sides next to each other in time on one host, replaying the same requests."""

    number: int
    observations: tuple[Observation, ...]

    def of(self, side: Side) -> tuple[Observation, ...]:
        return tuple(one for one in self.observations if one.side is side)


class Independent(NamedTuple):
    """Blocks whose launches all occur once, and whether others had to be left out."""

    blocks: tuple[Block, ...]
    repeated: bool


def independent(blocks: Sequence[Block]) -> Independent:
    """Leave out blocks that use a launch of an earlier block, or one launch for both sides.

    Requests of one launch share its memory layout, its cache and its neighbours. Passed off as
    replicates they make equal recipes "differ" in four of ten comparisons.
    """
    seen: set[str] = set()
    kept = []
    for block in sorted(blocks, key=lambda block: block.number):
        sides = [{one.launch for one in block.of(side)} for side in Side]
        if sides[0] & sides[1] or (sides[0] | sides[1]) & seen:
            continue
        seen |= sides[0] | sides[1]
        kept.append(block)
    return Independent(tuple(kept), len(kept) < len(blocks))


def launches(observations: Iterable[Observation]) -> dict[str, list[Observation]]:
    """Passes by launch."""
    found: dict[str, list[Observation]] = {}
    for one in observations:
        found.setdefault(one.launch, []).append(one)
    return found


def is_interleaved(blocks: Sequence[Block]) -> bool:
    """Whether the launches of each block follow each other without one of another block between them.

    False where a start time is unknown or a block spans two hosts: what is not shown is not assumed.
    """
    runs = [(one, block.number) for block in blocks for one in block.observations]
    timed = sorted((one.started_at, number) for one, number in runs if one.started_at is not None)
    if len(timed) < len(runs) or any(len({one.host for one in block.observations}) > 1 for block in blocks):
        return False
    numbers = [number for _at, number in timed]
    changes = sum(before != after for before, after in pairwise(numbers))
    return changes == max(len(set(numbers)) - 1, 0)


def is_balanced(blocks: Sequence[Block]) -> bool:
    """Whether each side started first in at least one block; True where that cannot be known."""
    firsts = {
        min(timed)[1]
        for block in blocks
        if (timed := [(one.started_at, one.side) for one in block.observations if one.started_at is not None])
    }
    return len(blocks) < 3 or len(firsts) != 1

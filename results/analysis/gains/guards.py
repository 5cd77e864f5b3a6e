"""Is the comparison fair? Every guard is a row with its outcome, shown whether it passed or not."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from results.analysis.gains.blocks import Block, Conditions, Side, is_balanced, is_interleaved
from results.analysis.gains.plan import Plan, Purpose
from results.analysis.gains.vocabulary import Reason
from results.analysis.natural_order import natural


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Guard:
    """One checked condition. A failed one that ``blocks`` allows no verdict, at ``load`` or, if None, at all.

    ``baseline`` and ``candidate`` are what was compared, as text; None where nothing is known.
    """

    reason: Reason
    blocks: bool
    outcome: Outcome
    baseline: str | None = None
    candidate: str | None = None
    load: int | None = None

    @property
    def stops(self) -> bool:
        return self.blocks and self.outcome is Outcome.FAILED

    @property
    def warns(self) -> bool:
        """Not stopping, but said. Unknown prefix hits can hide a warm cache, so they warn as well."""
        hidden = self.reason is Reason.PREFIX_HITS and self.outcome is Outcome.UNKNOWN
        return hidden or (self.outcome is Outcome.FAILED and not self.blocks)


#: Facts that must be one and the same in all runs, and whether a difference blocks.
_SAME: tuple[tuple[Reason, str, bool], ...] = (
    (Reason.ENGINE_DIFFERS, "engine", True),
    (Reason.MODEL_DIFFERS, "model", True),
    (Reason.PRECISION_DIFFERS, "precision", True),
    (Reason.DATASET_DIFFERS, "dataset", True),
    (Reason.LENGTHS_DIFFER, "lengths", True),
    (Reason.HARDWARE_DIFFERS, "hardware", True),
    (Reason.GPU_COUNT_DIFFERS, "gpus", True),
    (Reason.PARALLELISM_DIFFERS, "parallelism", True),
    (Reason.CLIENT_DIFFERS, "client", True),
    (Reason.DRIVER_DIFFERS, "driver", False),
)
#: What may differ between engines and machines once nobody claims the gain of a pull request.
_CROSSED = frozenset(
    {
        Reason.ENGINE_DIFFERS,
        Reason.HARDWARE_DIFFERS,
        Reason.GPU_COUNT_DIFFERS,
        Reason.PARALLELISM_DIFFERS,
        Reason.ARGUMENTS_DIFFER,
    }
)
#: Largest difference of the sides' means: field, limit, and whether it is relative.
_CLOSE: tuple[tuple[Reason, str, float, bool], ...] = (
    (Reason.CLOCK_DIFFERS, "clock_mhz", 0.03, True),
    (Reason.TEMPERATURE_DIFFERS, "temperature_celsius", 10.0, False),
    (Reason.ACCEPTANCE, "acceptance_rate", 0.01, False),
)
FARTHEST = timedelta(days=14)
FEW_BLOCKS = 5


def guards_of_runs(blocks: Sequence[Block], plan: Plan) -> tuple[Guard, ...]:
    """Guards on whole runs; those on single points are in ``point_guards``."""
    found = (*_same(blocks), _arguments(blocks, plan), _seeds(blocks), _accuracy(blocks), *_soft(blocks))
    if plan.purpose is Purpose.PULL_REQUEST:
        return found
    return tuple(_demoted(guard) for guard in found)


def conditions(blocks: Iterable[Block], side: Side) -> list[Conditions]:
    return [one.conditions for block in blocks for one in block.of(side)]


def mean(values: Sequence[float | None]) -> float | None:
    """Arithmetic mean of what is known; None for nothing."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _demoted(guard: Guard) -> Guard:
    if guard.reason not in _CROSSED:
        return guard
    return Guard(guard.reason, False, guard.outcome, guard.baseline, guard.candidate, guard.load)


def _same(blocks: Sequence[Block]) -> Iterator[Guard]:
    for reason, name, blocking in _SAME:
        sides = [[getattr(one, name) for one in conditions(blocks, side)] for side in Side]
        yield _equality(reason, blocking, sides[0], sides[1])


def _equality(
    reason: Reason, blocking: bool, baseline: Sequence[object], candidate: Sequence[object]
) -> Guard:
    """Known values that differ fail; an unknown one among equal ones leaves the guard open."""
    everything = [*baseline, *candidate]
    known = {value for value in everything if value is not None}
    outcome = Outcome.PASSED if known and None not in everything else Outcome.UNKNOWN
    if len(known) > 1:
        outcome = Outcome.FAILED
    return Guard(reason, blocking, outcome, _listed(baseline), _listed(candidate))


def _listed(values: Iterable[object]) -> str | None:
    texts = {str(value) for value in values if value is not None}
    return ", ".join(sorted(texts, key=natural)) or None


def _arguments(blocks: Sequence[Block], plan: Plan) -> Guard:
    sides = [[one.arguments for one in conditions(blocks, side)] for side in Side]
    everything = [*sides[0], *sides[1]]
    known = [arguments for arguments in everything if arguments is not None]
    names = sorted({name for arguments in known for name in arguments} - plan.declared_changes)
    # The text keeps 1, 1.0 and true apart.
    differing = [name for name in names if len({repr(one.get(name)) for one in known}) > 1]
    outcome = Outcome.PASSED if known and len(known) == len(everything) else Outcome.UNKNOWN
    if differing:
        outcome = Outcome.FAILED
    texts = [
        [f"{name}={_listed(one.get(name) for one in side if one) or '–'}" for name in differing]
        for side in sides
    ]
    shown = ["; ".join(parts) or None for parts in texts]
    return Guard(Reason.ARGUMENTS_DIFFER, True, outcome, shown[0], shown[1])


def _seeds(blocks: Sequence[Block]) -> Guard:
    """Both sides of a block replay the same requests; the seed itself changes from block to block."""
    outcomes = set()
    for block in blocks:
        before, after = ({one.conditions.request_seed for one in block.of(side)} for side in Side)
        unknown = None in before | after
        outcomes.add(Outcome.UNKNOWN if unknown else Outcome.PASSED if before == after else Outcome.FAILED)
    worst = next((one for one in (Outcome.FAILED, Outcome.UNKNOWN, Outcome.PASSED) if one in outcomes), None)
    shown = [_listed(one.request_seed for one in conditions(blocks, side)) for side in Side]
    return Guard(Reason.SEED_DIFFERS, True, worst or Outcome.UNKNOWN, shown[0], shown[1])


def _accuracy(blocks: Sequence[Block]) -> Guard:
    """A faster wrong answer is no gain."""
    sides = [[one.accuracy_passed for one in conditions(blocks, side)] for side in Side]
    outcome = _all_or_unknown([*sides[0], *sides[1]])
    return Guard(Reason.ACCURACY, True, outcome, _listed(sides[0]), _listed(sides[1]))


def _all_or_unknown(values: Sequence[bool | None]) -> Outcome:
    if False in values:
        return Outcome.FAILED
    return Outcome.UNKNOWN if None in values or not values else Outcome.PASSED


def _soft(blocks: Sequence[Block]) -> Iterator[Guard]:
    for reason, name, limit, relative in _CLOSE:
        yield _closeness(blocks, reason, name, limit, relative)
    throttled = [[one.throttled for one in conditions(blocks, side)] for side in Side]
    cool = [None if value is None else not value for value in (*throttled[0], *throttled[1])]
    yield Guard(Reason.THROTTLED, False, _all_or_unknown(cool), _listed(throttled[0]), _listed(throttled[1]))
    yield _verdict_on(Reason.NOT_INTERLEAVED, is_interleaved(blocks))
    yield _verdict_on(Reason.ORDER_UNBALANCED, is_balanced(blocks))
    yield _verdict_on(Reason.FEW_BLOCKS, len(blocks) >= FEW_BLOCKS)
    yield _far_apart(blocks)


def _closeness(blocks: Sequence[Block], reason: Reason, name: str, limit: float, relative: bool) -> Guard:
    before, after = (mean([getattr(one, name) for one in conditions(blocks, side)]) for side in Side)
    if before is None or after is None:
        return Guard(reason, False, Outcome.UNKNOWN, _shown(before), _shown(after))
    distance = abs(after - before) / (abs(before) if relative and before else 1)
    outcome = Outcome.FAILED if distance > limit else Outcome.PASSED
    return Guard(reason, False, outcome, _shown(before), _shown(after))


def _shown(value: float | None) -> str | None:
    return None if value is None else f"{value:.6g}"


def _verdict_on(reason: Reason, holds: bool) -> Guard:
    return Guard(reason, False, Outcome.PASSED if holds else Outcome.FAILED)


def _far_apart(blocks: Sequence[Block]) -> Guard:
    spans = []
    for block in blocks:
        times = [[one.started_at for one in block.of(side) if one.started_at is not None] for side in Side]
        spans += [abs(after - before) for before, after in itertools.product(*times)]
    if not spans:
        return Guard(Reason.FAR_APART, False, Outcome.UNKNOWN)
    return _verdict_on(Reason.FAR_APART, max(spans) <= FARTHEST)

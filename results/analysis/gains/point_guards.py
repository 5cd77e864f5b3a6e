"""Guards on single points: the sides must have done the same work, at each load."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from results.analysis.gains import modes
from results.analysis.gains.blocks import Block, Side, Values
from results.analysis.gains.guards import Guard, Outcome, mean
from results.analysis.gains.plan import Plan
from results.analysis.gains.vocabulary import Reason
from results.metrics import METRICS

LOWEST_SUCCESS = 0.99
#: Differences of rates in fractions; the last digit of a double is not a difference.
_SUCCESS_SPREAD = 0.005
_HITS_SPREAD = 0.01
_OUTPUT_SPREAD = 0.01
_ROUNDING = 1e-12
TAIL_REQUESTS = 3000
_TAILS = ("p99", "p999")
_HIT_RATES = ("client_cache_hit_rate", "overall_cache_hit_rate")


def guards_of_points(blocks: Sequence[Block], plan: Plan, loads: Sequence[int]) -> tuple[Guard, ...]:
    """Success rate and output length (blocking), prefix hits and tail samples (warning) at each load."""
    sides = [[one.values for block in blocks for one in block.of(side)] for side in Side]
    fixed = all(one.conditions.fixed_output for block in blocks for one in block.observations)
    found = []
    for load in loads:
        found += [_success(sides, load), _output(sides, load, fixed), _hits(sides, load)]
        found += _tails(sides, load, plan)
        if load in plan.loads:
            found.append(_modes(sides, load, plan))
    return tuple(found)


def _mean(side: Sequence[Values], load: int, key: str) -> float | None:
    return mean([values[load].get(key) for values in side if load in values])


def _guard(
    reason: Reason, blocks: bool, load: int, holds: bool, before: float | None, after: float | None
) -> Guard:
    outcome = Outcome.UNKNOWN
    if before is not None and after is not None:
        outcome = Outcome.PASSED if holds else Outcome.FAILED
    texts = [None if value is None else f"{value:.6g}" for value in (before, after)]
    return Guard(reason, blocks, outcome, texts[0], texts[1], load)


def _success(sides: Sequence[Sequence[Values]], load: int) -> Guard:
    errors = [_mean(side, load, "error_rate") for side in sides]
    before, after = (None if error is None else 1 - error for error in errors)
    holds = False
    if before is not None and after is not None:
        lowest = min(before, after) >= LOWEST_SUCCESS - _ROUNDING
        holds = lowest and abs(after - before) <= _SUCCESS_SPREAD + _ROUNDING
    return _guard(Reason.SUCCESS_RATE, True, load, holds, before, after)


def _output(sides: Sequence[Sequence[Values]], load: int, fixed: bool) -> Guard:
    """Mean output tokens per request; where the client forces the length there is nothing to differ."""
    before, after = (_mean(side, load, "output_tokens_mean") for side in sides)
    if fixed:
        return Guard(Reason.OUTPUT_TOKENS, True, Outcome.PASSED, None, None, load)
    holds = before is not None and after is not None and abs(after - before) <= _OUTPUT_SPREAD * before
    return _guard(Reason.OUTPUT_TOKENS, True, load, holds, before, after)


def _hits(sides: Sequence[Sequence[Values]], load: int) -> Guard:
    """A warm prefix cache on one side alone is worth more than most pull requests."""
    before, after = (
        next((rate for key in _HIT_RATES if (rate := _mean(side, load, key)) is not None), None)
        for side in sides
    )
    holds = before is not None and after is not None and abs(after - before) <= _HITS_SPREAD + _ROUNDING
    return _guard(Reason.PREFIX_HITS, False, load, holds, before, after)


def _tails(sides: Sequence[Sequence[Values]], load: int, plan: Plan) -> Iterator[Guard]:
    if any(METRICS[key].stat in _TAILS for key in plan.metrics):
        before, after = (_mean(side, load, "requests_successful") for side in sides)
        holds = before is not None and after is not None and min(before, after) >= TAIL_REQUESTS
        yield _guard(Reason.TAIL_UNDERSAMPLED, False, load, holds, before, after)


def _modes(sides: Sequence[Sequence[Values]], load: int, plan: Plan) -> Guard:
    """Primary metrics whose single runs form one cloud on one side and two on the other."""
    verdicts = [modes.differ(*(_logarithms(side, load, key) for side in sides)) for key in plan.metrics]
    known = [verdict for verdict in verdicts if verdict is not None]
    outcome = Outcome.FAILED if True in known else Outcome.PASSED if known else Outcome.UNKNOWN
    return Guard(Reason.MODES_DIFFER, False, outcome, load=load)


def _logarithms(side: Sequence[Values], load: int, key: str) -> NDArray[np.float64]:
    measured = (values.get(load, {}).get(key) for values in side)
    return np.log([one for one in measured if one is not None and math.isfinite(one) and one > 0])

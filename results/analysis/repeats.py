"""How sure a measured value is, from repeats of the same configuration. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """Of the geometric mean of ``n`` independent runs; ``bounds`` in the unit of the values.

    None where the values do not tell: one is not positive, or all are equal, which says nothing about noise.
    """

    n: int
    bounds: tuple[float, float] | None


def interval(values: Sequence[float]) -> Interval | None:
    """95 % t interval on logarithms; None for fewer than two values.

    Run-to-run noise of throughput and latency multiplies, and of the intervals for few repeats this is the
    one whose coverage holds.
    """
    if len(values) < 2:
        return None
    if min(values) <= 0 or min(values) == max(values):
        return Interval(len(values), None)
    logs = np.log(np.asarray(values, dtype=np.float64))
    half = float(stats.t.isf((1 - LEVEL) / 2, len(logs) - 1) * logs.std(ddof=1) / math.sqrt(len(logs)))
    middle = float(logs.mean())
    try:
        return Interval(len(values), (math.exp(middle - half), math.exp(middle + half)))
    except OverflowError:
        return Interval(len(values), None)

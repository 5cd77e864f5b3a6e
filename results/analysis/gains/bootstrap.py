"""The displayed spread of a ratio of medians. A picture, never a verdict."""

import hashlib
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import bootstrap

from results.metrics import Direction

#: Resampling fewer values than this shows the values and nothing else.
MINIMUM = 5
RESAMPLES = 9999


class Spread(NamedTuple):
    """Gain of the median with its 95 % percentile interval, as fractions."""

    gain: float
    low: float
    high: float


def display_spread(
    baseline: Sequence[float], candidate: Sequence[float], direction: Direction, comparison: str
) -> Spread | None:
    """Ratio of medians over blocks, resampled in pairs; None below five blocks.

    The seed comes from the name of the comparison, so that a page shows the same after every reload.
    ValueError for a neutral direction and for values that have no ratio.
    """
    if len(baseline) != len(candidate):
        raise ValueError("baseline and candidate: one value per block each")
    if direction is Direction.NEUTRAL:
        raise ValueError("a gain needs a direction")
    if any(not (math.isfinite(value) and value > 0) for value in (*baseline, *candidate)):
        raise ValueError("values: positive and finite")
    if len(baseline) < MINIMUM:
        return None
    sides = (np.asarray(baseline), np.asarray(candidate))
    better, worse = sides if direction is Direction.LOWER else sides[::-1]
    seed = int.from_bytes(hashlib.sha256(comparison.encode()).digest()[:8])
    # The percentile method: BCa gives NaN where few values tie.
    found = bootstrap(
        (better, worse),
        _ratio_of_medians,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    middle = _ratio_of_medians(better, worse)
    return Spread(float(middle) - 1, float(found.low) - 1, float(found.high) - 1)


def _ratio_of_medians(over: np.ndarray, under: np.ndarray, axis: int = -1) -> np.ndarray:
    ratio: np.ndarray = np.median(over, axis=axis) / np.median(under, axis=axis)
    return ratio

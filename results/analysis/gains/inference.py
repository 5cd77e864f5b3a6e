"""Means of log-ratios with their t intervals, many rows at once."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from results.analysis.gains.ranks import MINIMUM_PAIRS, pseudo_median

Array = NDArray[np.float64]

#: Below this a standard deviation of log-ratios is rounding, not noise.
RESOLUTION = 1e-9


#: The largest logarithm that is shown as a factor; beyond lie values that no machine measures.
_LARGEST = 700.0


def fraction(logarithm: float) -> float:
    """A log-ratio as a gain: 0.0392 is 0.04, 4 % better."""
    return math.expm1(_LARGEST if logarithm > _LARGEST else logarithm)


class Estimate(NamedTuple):
    """One row of ``Estimates``."""

    mean: float
    deviation: float
    p: float
    low: float
    high: float
    inner_low: float
    inner_high: float
    robust: float


@dataclass(frozen=True, slots=True)
class Estimates:
    """One entry per row, in log units, positive better.

    ``low`` and ``high`` bound the 1 - alpha interval, ``inner_low`` and ``inner_high`` the 1 - 2 alpha one,
    which lies inside an equivalence margin if and only if both one-sided tests reject at alpha.
    ``deviation`` is that of block differences (paired) or of one run, pooled (unpaired); 0 where the values
    do not vary, and then p is NaN and both intervals have no width. ``robust`` is the Hodges-Lehmann
    estimate, NaN where there are too few launches.
    """

    mean: Array
    deviation: Array
    p: Array
    low: Array
    high: Array
    inner_low: Array
    inner_high: Array
    robust: Array

    def rows(self) -> Iterator[Estimate]:
        columns = (getattr(self, name).tolist() for name in Estimate._fields)
        return (Estimate(*row) for row in zip(*columns, strict=True))


def paired(differences: Array, alpha: float, floor: Array | None = None) -> Estimates:
    """One-sample t of (rows, n) block differences, n >= 2.

    ``floor``: (rows,) standard deviation that the resolution of a metric alone explains. It replaces a
    smaller sample deviation, so that a metric that only counts cannot be infinitely significant.
    """
    # Sorted, so that the order of blocks cannot change the last digit.
    ordered = np.sort(differences, axis=1)
    n = ordered.shape[1]
    deviation = ordered.std(axis=1, ddof=1)
    if floor is not None:
        deviation = np.maximum(deviation, floor)
    mean = ordered.mean(axis=1)
    robust = pseudo_median(ordered) if n >= MINIMUM_PAIRS else np.full(len(mean), np.nan)
    return _estimates(mean, deviation, deviation / np.sqrt(n), np.full(len(mean), n - 1.0), alpha, robust)


def welch(baseline: Array, candidate: Array, alpha: float) -> Estimates:
    """Two-sample t of log values, (rows, n_a) and (rows, n_b), variances not assumed equal; n >= 2 each."""
    before, after = np.sort(baseline, axis=1), np.sort(candidate, axis=1)
    n_before, n_after = before.shape[1], after.shape[1]
    share_before = before.var(axis=1, ddof=1) / n_before
    share_after = after.var(axis=1, ddof=1) / n_after
    error = np.sqrt(share_before + share_after)
    # Satterthwaite's degrees of freedom; without variation they do not matter.
    weights = share_before**2 / (n_before - 1) + share_after**2 / (n_after - 1)
    freedom = np.divide(error**4, weights, out=np.ones_like(error), where=weights > 0)
    pooled = error / np.sqrt(1 / n_before + 1 / n_after)
    robust = _shifts(before, after)
    return _estimates(after.mean(axis=1) - before.mean(axis=1), pooled, error, freedom, alpha, robust)


def _estimates(
    mean: Array, deviation: Array, error: Array, freedom: Array, alpha: float, robust: Array
) -> Estimates:
    varies = deviation > RESOLUTION
    error = np.where(varies, error, 0.0)
    statistic = np.divide(np.abs(mean), error, out=np.full_like(mean, np.nan), where=varies)
    outer = stats.t.isf(alpha / 2, freedom) * error
    inner = stats.t.isf(alpha, freedom) * error
    p = 2 * stats.t.sf(statistic, freedom)
    deviation = np.where(varies, deviation, 0.0)
    return Estimates(mean, deviation, p, mean - outer, mean + outer, mean - inner, mean + inner, robust)


def _shifts(before: Array, after: Array) -> Array:
    """Hodges-Lehmann shift by row: median of all candidate minus baseline differences."""
    if min(before.shape[1], after.shape[1]) < MINIMUM_PAIRS:
        return np.full(len(before), np.nan)
    differences = (after[:, :, None] - before[:, None, :]).reshape(len(before), -1)
    medians: Array = np.median(differences, axis=1)
    return medians

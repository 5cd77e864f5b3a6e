"""Rank statistics: what the t interval is checked against, because outliers move them less."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[np.float64]

#: With fewer pairs no two-sided rank test can reach 5 %.
MINIMUM_PAIRS = 6
#: Above this the exact distribution costs more than it tells.
_EXACT = 50
_EXACT_TIED = 12


class RankShift(NamedTuple):
    """``shift``: Mann-Whitney. ``superiority``: chance that a candidate run beats a baseline run, ties half.

    ``delta``: Cliff's delta, 2 * superiority - 1. ``p``: two-sided.
    """

    shift: float
    superiority: float
    delta: float
    p: float


def pseudo_median(differences: Array) -> Array:
    """Hodges-Lehmann estimate by row: median of the Walsh averages (d_i + d_j) / 2, i <= j.

    ``differences``: (rows, n). Returns (rows,).
    """
    first, second = np.triu_indices(differences.shape[1])
    medians: Array = np.median((differences[:, first] + differences[:, second]) / 2, axis=1)
    return medians


def signed_rank_p(differences: Array) -> float:
    """Two-sided p of Wilcoxon's signed-rank test of (n,) differences; zeros are dropped, all zeros give 1.

    Exact up to 50 pairs; with ties the exact distribution is that of all sign patterns of the midranks.
    """
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    if len(np.unique(np.abs(moved))) == len(moved):
        return float(stats.wilcoxon(moved, method="exact" if len(moved) <= _EXACT else "approx").pvalue)
    if len(moved) > _EXACT_TIED:
        return float(stats.wilcoxon(moved, method="approx").pvalue)
    ranks = np.sign(moved) * stats.rankdata(np.abs(moved))
    flips = stats.permutation_test((ranks,), np.sum, permutation_type="samples", n_resamples=np.inf)
    return float(flips.pvalue)


def rank_shift(baseline: Array, candidate: Array) -> RankShift:
    """Compare two independent samples, each (n,), by Hodges-Lehmann shift, CLES and Cliff's delta."""
    statistic, p = stats.mannwhitneyu(candidate, baseline, method=_method(baseline, candidate))
    superiority = float(statistic) / (len(baseline) * len(candidate))
    shift = float(np.median(np.subtract.outer(candidate, baseline)))
    return RankShift(shift, superiority, 2 * superiority - 1, float(p))


def _method(baseline: Array, candidate: Array) -> str:
    """The exact distribution holds without ties only."""
    together = np.concatenate([baseline, candidate])
    return "exact" if len(np.unique(together)) == len(together) else "asymptotic"

"""The smallest p a rank test can give: with few runs even complete separation proves little."""

import math


def signed_rank_floor(n: int) -> float:
    """Smallest two-sided p of Wilcoxon's test over ``n`` pairs: 2 of the 2^n sign patterns."""
    return min(1.0, 2.0 ** (1 - n))


def rank_sum_floor(n_baseline: int, n_candidate: int) -> float:
    """Smallest two-sided p of the Mann-Whitney test: 2 of all ways to share out the ranks."""
    return min(1.0, 2 / math.comb(n_baseline + n_candidate, n_baseline))

"""How small an effect a comparison can find, and how many blocks a smaller one needs."""

import math
from functools import lru_cache

from scipy.stats import norm
from statsmodels.stats.power import TTestIndPower, TTestPower

#: Chance to find an effect of the stated size.
POWER = 0.8
#: Up to here block counts are exact; beyond, the normal approximation is within one block.
_EXACT = 40
#: More than this is no plan any more.
MOST_BLOCKS = 1000


@lru_cache(maxsize=1024)
def paired_effect(n: int, alpha: float) -> float:
    """Smallest true mean, in standard deviations of the block differences, found with power 0.8.

    Solves the noncentral t of the two-sided one-sample test; ValueError for n < 2.
    """
    if n < 2:
        raise ValueError("n: at least 2")
    return float(TTestPower().solve_power(power=POWER, nobs=n, alpha=alpha))


@lru_cache(maxsize=1024)
def unpaired_effect(n_baseline: int, n_candidate: int, alpha: float) -> float:
    """The same for two independent samples, in standard deviations of one run; ValueError for n < 2."""
    if min(n_baseline, n_candidate) < 2:
        raise ValueError("n: at least 2 on each side")
    ratio = n_candidate / n_baseline
    return float(TTestIndPower().solve_power(power=POWER, nobs1=n_baseline, ratio=ratio, alpha=alpha))


def needed_blocks(deviation: float, effect: float, alpha: float) -> int | None:
    """Blocks after which a true mean of ``effect`` is found with power 0.8; both arguments in log units.

    None for more than ``MOST_BLOCKS``. The effect is what one wants to see, never the effect observed.
    """
    size = effect / deviation
    low, high = 2, _EXACT
    if paired_effect(high, alpha) > size:
        n = _approximate_blocks(size, alpha)
        return n if n <= MOST_BLOCKS else None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if paired_effect(middle, alpha) <= size else (middle + 1, high)
    return low


def _approximate_blocks(size: float, alpha: float) -> int:
    """Normal quantiles with Guenther's correction for the t distribution (1981)."""
    quantile = _quantile(1 - alpha / 2)
    return math.ceil(((quantile + _quantile(POWER)) / size) ** 2 + quantile**2 / 2)


@lru_cache(maxsize=64)
def _quantile(share: float) -> float:
    return float(norm.ppf(share))

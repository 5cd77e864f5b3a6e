"""Order statistics, defined once so that every number of the product means the same."""

import math
from collections.abc import Iterable, Sequence

#: Percentile statistics and their percent.
PERCENTILES: dict[str, float] = {
    "p50": 50.0,
    "p75": 75.0,
    "p90": 90.0,
    "p95": 95.0,
    "p99": 99.0,
    "p999": 99.9,
}


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Linear interpolation at rank ``k = (n - 1) * percent / 100`` of ascending values.

    Raises ValueError for no values and for a percent outside [0, 100].
    """
    if not ordered:
        raise ValueError("percentile of no values")
    if not 0 <= percent <= 100:
        raise ValueError("percent must be between 0 and 100")
    rank = (len(ordered) - 1) * percent / 100
    below = math.floor(rank)
    above = min(below + 1, len(ordered) - 1)
    low, high = ordered[below], ordered[above]
    # Rounding must not push the result out of the interval it interpolates.
    return min(max(low + (high - low) * (rank - below), low), high)


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean; raises ValueError for no values."""
    if not values:
        raise ValueError("mean of no values")
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """Population standard deviation (divisor n); 0 for one value, ValueError for none."""
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) * (value - centre) for value in values) / len(values))


def describe(values: Iterable[float]) -> dict[str, float]:
    """Mean, percentiles and population standard deviation by statistic; empty for no values."""
    ordered = sorted(values)
    if not ordered:
        return {}
    described = {name: percentile(ordered, percent) for name, percent in PERCENTILES.items()}
    return {"mean": mean(ordered), **described, "std": deviation(ordered)}

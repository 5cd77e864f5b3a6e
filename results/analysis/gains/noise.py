"""What a host finds between equal recipes: its noise floor and its false positives."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from results.analysis.gains.plan import ALPHA
from results.analysis.gains.vocabulary import Basis

#: Fewer comparisons of equal recipes give neither a floor nor a rate.
MINIMUM_COMPARISONS = 20
#: After this many newer ones a comparison counts half: half a year of weekly blocks.
HALF_LIFE = 26
_QUANTILE = 0.95

#: What a floor belongs to within one host class and model: metric, basis, load.
FloorKey = tuple[str, Basis, int | None]


@dataclass(frozen=True, slots=True)
class EqualComparison:
    """One quantity of one comparison of a recipe with itself (A/A). ``log_gain``: mean d, p: unadjusted.

    ``comparison`` names it: its quantities come from the same runs and are not independent.
    """

    comparison: str
    host_class: str
    model: str
    metric: str
    basis: Basis
    load: int | None
    n: int
    at: datetime
    log_gain: float
    p: float


@dataclass(frozen=True, slots=True)
class FalsePositives:
    """Share of tests between equal recipes that were "significant", with a 95 % Wilson interval.

    The interval counts each comparison once, however many quantities were tested in it: they share its runs.
    """

    rejected: int
    tests: int
    comparisons: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        return self.rejected / self.tests

    @property
    def is_enough(self) -> bool:
        """Below twenty comparisons a rate is chance itself and decides nothing."""
        return self.comparisons >= MINIMUM_COMPARISONS

    @property
    def is_trusted(self) -> bool:
        """At most twice the nominal rate."""
        return self.rate <= 2 * ALPHA


@dataclass(frozen=True, slots=True)
class Noise:
    """What is known about the host of a comparison. ``floors`` are in log units."""

    floors: Mapping[FloorKey, float] = field(default_factory=dict)
    false_positives: FalsePositives | None = None


def noise(history: Iterable[EqualComparison], host_class: str, model: str, n: int) -> Noise:
    """Floors for comparisons of ``n`` blocks and the false positives of the host class, all models."""
    on_host = [one for one in history if one.host_class == host_class]
    fitting: dict[FloorKey, list[EqualComparison]] = {}
    for one in on_host:
        if one.model == model and one.n == n:
            fitting.setdefault((one.metric, one.basis, one.load), []).append(one)
    found = {key: noise_floor(same) for key, same in fitting.items()}
    return Noise({key: floor for key, floor in found.items() if floor is not None}, false_positives(on_host))


def noise_floor(comparisons: Sequence[EqualComparison]) -> float | None:
    """95th percentile of |mean d|, newer comparisons weighing exponentially more; None below twenty.

    The percentile is one of the values seen: the smallest with 95 % of all weight at or below it.
    """
    if len(comparisons) < MINIMUM_COMPARISONS:
        return None
    newest_first = sorted(comparisons, key=lambda one: one.at, reverse=True)
    sizes = [abs(one.log_gain) for one in newest_first]
    weights = 0.5 ** (np.arange(len(sizes)) / HALF_LIFE)
    return float(np.quantile(sizes, _QUANTILE, weights=weights, method="inverted_cdf"))


def false_positives(comparisons: Sequence[EqualComparison], alpha: float = ALPHA) -> FalsePositives | None:
    """None below twenty comparisons, where a rate would be chance itself."""
    found = rejection_rate(comparisons, alpha)
    return found if found is not None and found.is_enough else None


def rejection_rate(tests: Sequence[EqualComparison], alpha: float = ALPHA) -> FalsePositives | None:
    """However few they are; None for none."""
    if not tests:
        return None
    independent = len({one.comparison for one in tests})
    rejected = sum(one.p < alpha for one in tests)
    low, high = proportion_confint(rejected / len(tests) * independent, independent, method="wilson")
    return FalsePositives(rejected, len(tests), independent, float(low), float(high))

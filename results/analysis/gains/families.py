"""Adjusting p values for the number of tests made together."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import false_discovery_control


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p values, in the order given; controls any false positive in the family.

    Holm (1979). Written out because the usual library function collects garbage on every call, which costs
    more than all statistics of a comparison.
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(factors * values[order]))
    return [float(value) for value in adjusted]


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Adjusted p values of Benjamini and Hochberg: the share of false finds among those called."""
    return [float(value) for value in false_discovery_control(p, method="bh")] if len(p) else []

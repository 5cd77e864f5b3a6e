"""Do both sides have the same number of modes? A second clock state hides behind every mean."""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: With fewer values an estimated density says more about its bandwidth than about them.
MINIMUM = 8
_PLACES = 128
_VALLEY = 0.85


def modes(values: Array) -> int:
    """Modes of the Gaussian kernel density (Scott's bandwidth) of (n,) values; 1 without spread.

    Two peaks are two modes if the density between them falls below 85 % of the lower one: shallow
    dips are in every fourth sample of one normal distribution.
    """
    if len(values) < 2 or np.ptp(values) <= 1e-12 * np.abs(values).max():
        return 1
    margin = np.ptp(values) / 2
    density = kernel_density(values, np.linspace(values.min() - margin, values.max() + margin, _PLACES))
    rising = np.diff(density) > 0
    peaks = np.flatnonzero(rising[:-1] & ~rising[1:]) + 1
    count, last = 1, peaks[0]
    for peak in peaks[1:]:
        if density[last:peak].min() < _VALLEY * min(density[last], density[peak]):
            count, last = count + 1, peak
        elif density[peak] > density[last]:
            last = peak
    return count


def kernel_density(values: Array, places: Array) -> Array:
    """Gaussian kernel density of (n,) values at (m,) places, bandwidth by Scott's rule.

    For one dimension and a handful of values; a general library solves a linear system for each.
    """
    width = values.std(ddof=1) * len(values) ** -0.2
    steps = (places[:, None] - values[None, :]) / width
    density: Array = np.exp(-(steps**2) / 2).mean(axis=1) / (width * math.sqrt(2 * math.pi))
    return density


def differ(baseline: Array, candidate: Array) -> bool | None:
    """None where a side has too few values to tell."""
    if min(len(baseline), len(candidate)) < MINIMUM:
        return None
    return modes(baseline) != modes(candidate)

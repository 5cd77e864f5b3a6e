"""Do both sides have the same number of modes? A second clock state hides behind every mean."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import gaussian_kde

#: With fewer values an estimated density says more about its bandwidth than about them.
MINIMUM = 8
_PLACES = 128
_VALLEY = 0.85


def modes(values: NDArray[np.float64]) -> int:
    """Modes of the Gaussian kernel density (Scott's bandwidth) of (n,) values; 1 without spread.

    Two peaks are two modes if the density between them falls below 85 % of the lower one: shallow
    dips are in every fourth sample of one normal distribution.
    """
    if len(values) < 2 or np.ptp(values) <= 1e-12 * np.abs(values).max():
        return 1
    margin = np.ptp(values) / 2
    density = gaussian_kde(values)(np.linspace(values.min() - margin, values.max() + margin, _PLACES))
    rising = np.diff(density) > 0
    peaks = np.flatnonzero(rising[:-1] & ~rising[1:]) + 1
    count, last = 1, peaks[0]
    for peak in peaks[1:]:
        if density[last:peak].min() < _VALLEY * min(density[last], density[peak]):
            count, last = count + 1, peak
        elif density[peak] > density[last]:
            last = peak
    return count


def differ(baseline: NDArray[np.float64], candidate: NDArray[np.float64]) -> bool | None:
    """None where a side has too few values to tell."""
    if min(len(baseline), len(candidate)) < MINIMUM:
        return None
    return modes(baseline) != modes(candidate)

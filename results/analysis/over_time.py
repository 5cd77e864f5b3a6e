"""What requests and counters did over time, reduced to a few hundred places for drawing. Pure."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

#: Requests in a rolling percentile.
ROLLING = 50
#: Places a line is drawn through; more than a chart has pixels across is waste.
PLACES = 300


def every(count: int, limit: int) -> int:
    """The smallest k with at most ``limit`` of every k-th of ``count``; 1 when nothing is left out."""
    return max(1, -(-count // limit))


def spread(count: int, limit: int = PLACES) -> Array:
    """At most ``limit`` places from 0 to ``count`` - 1, even, with the first and the last."""
    if count <= limit:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, limit).round().astype(np.int64))


def thinned(order: Array, sizes: Array, limit: int, tail: int) -> tuple[Array, int]:
    """Places of every k-th request of ``order`` and of the ``tail`` with the largest ``sizes``; and k.

    A tail of one in a hundred thousand stays visible whatever k is.
    """
    k = every(len(order), limit)
    if k == 1:
        return order, 1
    largest = order[np.argsort(sizes[order])[-tail:]]
    return np.union1d(order[::k], largest), k


def rolling(values: Array, percents: tuple[float, ...], *, width: int = ROLLING) -> tuple[Array, Array]:
    """Centres (places in ``values``) and percentiles of ``width`` neighbours around each, a row per percent.

    ``values`` are in the order of time and have no NaN. Fewer values than ``width`` make one window of all.
    """
    if not len(values):
        return np.zeros(0, dtype=np.int64), np.zeros((len(percents), 0))
    width = min(width, len(values))
    windows = np.lib.stride_tricks.sliding_window_view(values, width)
    starts = spread(len(windows))
    return starts + (width - 1) // 2, np.percentile(windows[starts], percents, axis=1)


def in_flight(starts: Array, ends: Array, at: Array) -> Array:
    """How many spans [start, end) hold each time of ``at``."""
    begun = np.searchsorted(np.sort(starts), at, side="right")
    return begun - np.searchsorted(np.sort(ends), at, side="right")


def increases(counter: Array) -> Array:
    """Growth since the value before; NaN at the first place and where the counter was reset."""
    grown = np.diff(counter, prepend=np.nan)
    return np.where(grown >= 0, grown, np.nan)


def around(values: Array, width: int) -> Array:
    """Sum of the ``width`` values centred on each place (fewer at the ends); NaN counts as nothing."""
    padded = np.concatenate([[0.0], np.cumsum(np.nan_to_num(values))])
    places = np.arange(len(values))
    low = np.maximum(0, places - (width - 1) // 2)
    high = np.minimum(len(values), places + width // 2 + 1)
    found: Array = padded[high] - padded[low]
    return found


def share(part: Array, whole: Array, width: int) -> Array:
    """Increases of ``part`` / those of ``whole``, each summed over ``width`` centred samples; NaN without."""
    return _quotient(around(increases(part), width), around(increases(whole), width))


def rate(counter: Array, at: Array, width: int) -> Array:
    """Increase per second over ``width`` centred samples; NaN without time."""
    seconds = around(np.diff(at, prepend=np.nan), width)
    return _quotient(around(increases(counter), width), seconds)


def _quotient(above: Array, below: Array) -> Array:
    found: Array = np.divide(above, below, out=np.full(len(below), np.nan), where=below > 0)
    return found


def medians_by(x: Array, y: Array, bins: int = 12) -> tuple[Array, Array, Array]:
    """Median x, median y and P90 of y of at most ``bins`` groups of equally many values, ascending in x."""
    order = np.argsort(x, kind="stable")
    groups = [group for group in np.array_split(order, min(bins, len(order))) if len(group)] if len(x) else []
    found = [(np.median(x[group]), np.median(y[group]), np.percentile(y[group], 90)) for group in groups]
    table = np.array(found, dtype=np.float64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]

"""Empirical distribution of per-request numbers, thinned for drawing without bending it."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Steps a curve is thinned to; more than a chart has pixels across is waste.
STEPS = 400


@dataclass(frozen=True, slots=True)
class Ecdf:
    """``steps`` are (value, share of requests at or below it), ascending in both; the last share is 1.

    Every step is one of the exact distribution of all ``n`` values; the exact curve lies at most
    ``largest_gap`` in share from the drawn one. ``missing`` values were absent and count nowhere.
    """

    n: int
    missing: int
    steps: tuple[tuple[float, float], ...]
    largest_gap: float


def ecdf(values: Iterable[float | None], *, steps: int = STEPS) -> Ecdf:
    """Distribution of finite numbers; ValueError for NaN, infinities and fewer than two steps.

    Half of the steps are even in share, the others halve the distance to 1 again and again, so that a
    tail of one request in a hundred thousand is still drawn. First and last value are always kept.
    """
    if steps < 2:
        raise ValueError("a distribution is drawn with at least two steps")
    given = list(values)
    numbers = np.array([value for value in given if value is not None], dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError("a distribution is made of finite numbers")
    if not numbers.size:
        return Ecdf(0, len(given), (), 0.0)
    places, counts = np.unique(numbers, return_counts=True)
    below = np.cumsum(counts)
    kept = _kept(below, steps)
    shares = below[kept] / numbers.size
    gaps = np.diff(below[kept]) - counts[kept][1:]
    pairs = zip(places[kept].tolist(), shares.tolist(), strict=True)
    return Ecdf(
        n=int(numbers.size),
        missing=len(given) - int(numbers.size),
        steps=tuple(pairs),
        largest_gap=float(gaps.max(initial=0)) / numbers.size,
    )


def _kept(below: NDArray[np.int64], steps: int) -> NDArray[np.int64]:
    """Indices of distinct values to keep, given how many numbers are at or below each."""
    if len(below) <= steps:
        return np.arange(len(below))
    n = int(below[-1])
    even = np.linspace(1, n, max(2, steps // 2))
    tail = n + 1 - np.geomspace(1, n, steps - len(even))
    wanted = np.concatenate([even, tail]).astype(np.int64)
    return np.unique(np.searchsorted(below, wanted, side="left"))

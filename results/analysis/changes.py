"""Watching a series of nightly values: two detectors vote, a confirming run decides. Not for pull requests.

A change is an observation about history. Its rows are edited by people and carry the version of the rules
that found them, so that new rules never rewrite old decisions. Pure: no Django.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from results.metrics import Direction

ALGORITHM_VERSION = "changes-1"
Array = NDArray[np.float64]


class Detector(StrEnum):
    ENERGY = "energy"
    ROBUST_Z = "robust_z"


@dataclass(frozen=True, slots=True)
class Night:
    """One value of the series, None where the night gave none; nothing is filled in.

    ``rerun``: value of a second run of the same commit, made to confirm or refute a change here.
    """

    run: str
    value: float | None
    rerun: float | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A level shift that starts with ``run``, at ``index`` of the series given.

    ``gain``: signed so that positive is better, as a fraction of the level before. ``opens_alert`` when it
    is a regression that both detectors see, or that one sees and a confirming run repeats.
    """

    run: str
    index: int
    gain: float
    before: float
    votes: frozenset[Detector]
    confirmed: bool
    algorithm_version: str = ALGORITHM_VERSION

    @property
    def opens_alert(self) -> bool:
        return self.gain < 0 and (len(self.votes) == len(Detector) or self.confirmed)

    def identity(self, series: str) -> str:
        """One alert per series and first run, however many detector tasks find it."""
        return f"{series}:{self.run}"


#: Significance of a split, which is the best of many and therefore tested strictly.
SPLIT_ALPHA = 0.001
#: Values that a segment must have on each side of a split.
SEGMENT = 5
#: Longest stretch that is searched at once.
WINDOW = 50
#: Values after a change, and values before it, that the robust score compares.
RECENT = 3
SHORTEST_HISTORY, LONGEST_HISTORY = 12, 30
#: Robust standard deviations that the recent median must lie off.
ROBUST_LIMIT = 4.0
#: Standard deviation of a normal distribution by its median absolute deviation.
_NORMAL_MAD = 1.4826
#: Detectors that point this close mean one change.
NEARBY = 3


def changes(nights: Sequence[Night], direction: Direction, floor: float) -> tuple[Change, ...]:
    """Changes larger than ``floor`` (log units, the noise floor of the host), in order of time.

    ValueError for a neutral direction, a floor that is not positive, and values that have no logarithm.
    """
    if direction is Direction.NEUTRAL:
        raise ValueError("a change needs a direction")
    if not floor > 0:
        raise ValueError("floor: positive")
    measured = [index for index, night in enumerate(nights) if night.value is not None]
    series = np.array([_logarithm(nights[index].value) for index in measured])
    found = _voted(_energy_changes(series, floor), _robust_changes(series, floor))
    signed = 1.0 if direction is Direction.HIGHER else -1.0
    starts = [0, *(place for place, _votes in found)]
    made = []
    for (place, votes), start in zip(found, starts, strict=False):
        before = float(np.median(series[max(start, place - LONGEST_HISTORY) : place]))
        shift = float(np.median(series[place : place + RECENT])) - before
        night = nights[measured[place]]
        confirmed = _repeats(night, before, shift, floor)
        made.append(
            Change(night.run, measured[place], math.expm1(signed * shift), math.exp(before), votes, confirmed)
        )
    return tuple(made)


def is_resolved(change: Change, later: Sequence[Night], floor: float) -> bool:
    """Whether the last three measured values are back within the floor. Missing nights resolve nothing."""
    values = [math.log(night.value) for night in later if night.value is not None]
    level = math.log(change.before)
    return len(values) >= RECENT and all(abs(value - level) <= floor for value in values[-RECENT:])


def _logarithm(value: float | None) -> float:
    if value is None or not (math.isfinite(value) and value > 0):
        raise ValueError("values: positive and finite, or None")
    return math.log(value)


def _energy_changes(series: Array, floor: float) -> list[int]:
    """Places where a new segment starts, by recursive best splits inside half-overlapping windows."""
    found: set[int] = set()
    for start in range(0, max(len(series) - WINDOW // 2, 1), WINDOW // 2):
        found.update(_splits(series, start, min(start + WINDOW, len(series)), floor))
    merged: list[int] = []
    for place in sorted(found):
        # Two windows may place one change a night apart.
        if not merged or place - merged[-1] > NEARBY:
            merged.append(place)
    return merged


def _splits(series: Array, start: int, end: int, floor: float) -> Iterator[int]:
    place = _best_split(series[start:end])
    if place is None:
        return
    left, right = series[start : start + place], series[start + place : end]
    # The test takes longer than all before it, so it is asked only about changes that would count.
    large = abs(right.mean() - left.mean()) > floor
    if large and stats.ttest_ind(left, right, equal_var=False).pvalue < SPLIT_ALPHA:
        yield start + place
        yield from _splits(series, start, start + place, floor)
        yield from _splits(series, start + place, end, floor)


def _best_split(values: Array) -> int | None:
    """Split with the largest energy distance between the parts (Matteson and James, 2014).

    None where the parts would be too short or nothing varies.
    """
    n = len(values)
    if n < 2 * SEGMENT or np.ptp(values) == 0:
        return None
    distances = np.abs(np.subtract.outer(values, values))
    places = range(SEGMENT, n - SEGMENT + 1)
    return max(places, key=lambda place: _energy(distances, place))


def _energy(distances: Array, place: int) -> float:
    """Scaled energy statistic from all pairwise distances, pairs within a part counted once."""
    left, right = place, len(distances) - place
    between = distances[:place, place:].mean()
    within_left = distances[:place, :place].sum() / (left * (left - 1))
    within_right = distances[place:, place:].sum() / (right * (right - 1))
    return float(left * right / (left + right) * (2 * between - within_left - within_right))


def _robust_changes(series: Array, floor: float) -> list[int]:
    """First places of stretches whose next three values lie off the median of the values before."""
    found: list[int] = []
    for place in range(SHORTEST_HISTORY, len(series) - RECENT + 1):
        if _stands_off(series, place, floor) and not (found and place - found[-1] <= NEARBY):
            found.append(place)
    return found


def _stands_off(series: Array, place: int, floor: float) -> bool:
    history = series[max(0, place - LONGEST_HISTORY) : place]
    level = np.median(history)
    shift = float(np.median(series[place : place + RECENT]) - level)
    if abs(shift) <= floor:
        return False
    # The value before has not moved yet and the first one has, or the change starts elsewhere.
    last, first = ((series[index] - level) / shift for index in (place - 1, place))
    spread = _NORMAL_MAD * float(np.median(np.abs(history - level)))
    return bool(last <= 0.5 < first and abs(shift) > ROBUST_LIMIT * spread)


def _voted(energy: Sequence[int], robust: Sequence[int]) -> list[tuple[int, frozenset[Detector]]]:
    """Places with the detectors that see them; where both do, the place is the segmentation's."""
    left = list(robust)
    found: list[tuple[int, frozenset[Detector]]] = []
    for place in energy:
        partner = min(left, key=lambda other: abs(other - place), default=None)
        if partner is not None and abs(partner - place) <= NEARBY:
            left.remove(partner)
            found.append((place, frozenset(Detector)))
        else:
            found.append((place, frozenset({Detector.ENERGY})))
    found += [(place, frozenset({Detector.ROBUST_Z})) for place in left]
    return sorted(found, key=lambda one: one[0])


def _repeats(night: Night, before: float, shift: float, floor: float) -> bool:
    """Whether the second run of the same commit lies off to the same side by more than the floor."""
    if night.rerun is None:
        return False
    again = _logarithm(night.rerun) - before
    return again * shift > 0 and abs(again) > floor

"""How to spend time: more launches, or more passes inside one launch? (Kalibera and Jones, ISMM 2013.)"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Variance:
    """Variances of log values: between launches, and between passes of one launch."""

    between_launches: float
    within_launch: float

    def of_mean(self, launches: int, passes: int) -> float:
        """Variance of the mean of ``launches`` x ``passes`` values: sigma_L^2 / n + sigma_W^2 / (n m)."""
        return self.between_launches / launches + self.within_launch / (launches * passes)

    def best_passes(self, launch_seconds: float, pass_seconds: float) -> int:
        """Passes per launch that give the smallest variance for a given time, at least one.

        The optimum sqrt(c_launch / c_pass * sigma_W^2 / sigma_L^2) is no whole number; of its neighbours
        the one with the smaller product of time and variance is taken. Where launches do not differ, one
        launch with all passes would do, and ValueError says so.
        """
        if launch_seconds <= 0 or pass_seconds <= 0:
            raise ValueError("seconds: positive")
        if self.between_launches == 0:
            raise ValueError("launches do not differ, so there is no best number of passes")
        exact = math.sqrt(launch_seconds / pass_seconds * self.within_launch / self.between_launches)
        whole = {max(math.floor(exact), 1), max(math.ceil(exact), 1)}
        return min(whole, key=lambda m: (launch_seconds + m * pass_seconds) * self.of_mean(1, m))


def variance(launches: Sequence[Sequence[float]]) -> Variance | None:
    """Both variances of positive values, one sequence of passes per launch; one-way random effects.

    Unbiased for equally many passes (the usual mean squares); an estimate below zero is zero. None
    unless there are two launches and one of them has two passes. ValueError for values without logarithm.
    """
    groups = [np.log(_checked(passes)) for passes in launches if len(passes)]
    total = sum(map(len, groups))
    if len(groups) < 2 or total == len(groups):
        return None
    within = sum(float(((group - group.mean()) ** 2).sum()) for group in groups) / (total - len(groups))
    centre = float(np.concatenate(groups).mean())
    between = sum(len(group) * (float(group.mean()) - centre) ** 2 for group in groups) / (len(groups) - 1)
    # The number of passes per launch that makes the mean squares comparable.
    passes = (total - sum(len(group) ** 2 for group in groups) / total) / (len(groups) - 1)
    return Variance(max(0.0, (between - within) / passes), within)


def _checked(values: Sequence[float]) -> Sequence[float]:
    if any(not (math.isfinite(value) and value > 0) for value in values):
        raise ValueError("values: positive and finite")
    return values

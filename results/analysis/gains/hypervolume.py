"""Hypervolume of a frontier: secondary, for rankings; its unit means nothing to a reader."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from results.analysis.gains.inference import paired
from results.metrics import Direction

Point = tuple[float, float]
Directions = tuple[Direction, Direction]


@dataclass(frozen=True, slots=True)
class Reference:
    """The worst place that still counts, positive in both axes and fixed for one version of a benchmark."""

    x: float
    y: float
    version: str

    def __post_init__(self) -> None:
        if not (self.x > 0 and self.y > 0 and math.isfinite(self.x) and math.isfinite(self.y)):
            raise ValueError("reference: positive and finite on both axes")


@dataclass(frozen=True, slots=True)
class HypervolumeChange:
    """Mean of candidate - baseline over blocks with its t interval, in squared log units."""

    n: int
    change: float
    ci_low: float
    ci_high: float
    p: float
    reference: Reference


def hypervolume(points: Iterable[Point], reference: Reference, directions: Directions) -> float:
    """Area between the points and the reference on logarithmic axes; 0 where no point beats it.

    ValueError for a point that is not positive and for a neutral direction.
    """
    corners = sorted((_corner(point, reference, directions) for point in points), reverse=True)
    area = height = 0.0
    for width, top in corners:
        if width > 0 and top > height:
            area += width * (top - height)
            height = top
    return area


def hypervolume_change(
    baseline: Sequence[Iterable[Point]],
    candidate: Sequence[Iterable[Point]],
    reference: Reference,
    directions: Directions,
    alpha: float = 0.05,
) -> HypervolumeChange | None:
    """Blocks in order; None for fewer than three blocks or where nothing varies."""
    changes = np.array(
        [
            hypervolume(after, reference, directions) - hypervolume(before, reference, directions)
            for before, after in zip(baseline, candidate, strict=True)
        ]
    )
    if len(changes) < 3:
        return None
    found = paired(changes[None, :], alpha)
    if found.deviation[0] == 0:
        return None
    mean, low, high, p = (float(one[0]) for one in (found.mean, found.low, found.high, found.p))
    return HypervolumeChange(len(changes), mean, low, high, p, reference)


def _corner(point: Point, reference: Reference, directions: Directions) -> Point:
    """Distance beyond the reference on both axes, larger better."""
    if Direction.NEUTRAL in directions:
        raise ValueError("a hypervolume needs a direction on both axes")
    if min(point) <= 0:
        raise ValueError("points: positive on both axes")
    x, y = math.log(point[0] / reference.x), math.log(point[1] / reference.y)
    return (
        x if directions[0] is Direction.HIGHER else -x,
        y if directions[1] is Direction.HIGHER else -y,
    )

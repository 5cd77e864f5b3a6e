"""A question to the frontier as plain values, and its answer as plain data."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import product
from typing import Any

from results.analysis.axis_names import UnknownAxisError, axis_metric
from results.documents.prices import Tier
from results.metrics import Metric
from results.queries.explore import Selection
from results.queries.filters import FIELDS
from results.queries.plane import AUTO, Plane, PlanePoint, View, group_values, look

#: Planes of one question: every x with every y and so on.
MOST_PLANES = 12
#: What the answer's points are described by, as far as a selection can ask for it.
DEFAULT_X, DEFAULT_Y, DEFAULT_PERCENTILE = "interactivity", "output_throughput_per_gpu", "p50"
SCENARIO = re.compile(r"agentic|[1-9][0-9]{0,6}/[1-9][0-9]{0,6}|[A-Za-z][A-Za-z0-9._-]{0,63}")


class TooManyPlanesError(ValueError):
    """More combinations of axes, days and prices than one answer holds."""


@dataclass(frozen=True, slots=True)
class Question:
    """Every value may be there several times; the planes are all combinations of the last six.

    ``chosen`` maps keys of ``FIELDS``; empty means the default of that question.
    """

    models: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    validity: str = "auto"
    every_build: bool = False
    group_by: tuple[str, ...] = (AUTO,)
    x: tuple[str, ...] = (DEFAULT_X,)
    y: tuple[str, ...] = (DEFAULT_Y,)
    percentile: tuple[str, ...] = (DEFAULT_PERCENTILE,)
    as_of: tuple[date | None, ...] = (None,)
    price_version: tuple[str | None, ...] = (None,)
    tier: tuple[Tier, ...] = (Tier.RENTAL,)

    def views(self) -> list[View]:
        """UnknownAxisError for a family that lacks a percentile, TooManyPlanesError."""
        planes = list(product(self.x, self.y, self.percentile, self.as_of, self.price_version, self.tier))
        if len(planes) > MOST_PLANES:
            raise TooManyPlanesError(f"{len(planes)} combinations, and one answer holds {MOST_PLANES}")
        return [
            View(
                selection=Selection(
                    models=self.models,
                    scenarios=self.scenarios,
                    chosen=self.chosen,
                    validity=self.validity,
                    as_of=day,
                    every_build=self.every_build,
                ),
                x=axis_metric(x, percentile),
                y=axis_metric(y, percentile),
                group_by=self.group_by,
                price_version=version,
                tier=tier,
            )
            for x, y, percentile, day, version, tier in planes
        ]


def answer(question: Question) -> dict[str, Any]:
    """The first plane's answer; with several planes all of them under ``planes`` besides."""
    answers = [plane_answer(look(view)) for view in question.views()]
    return answers[0] if len(answers) == 1 else {**answers[0], "planes": answers}


def plane_answer(plane: Plane) -> dict[str, Any]:
    """``points`` best y first as on the page; ``frontier`` holds ids of points."""
    points = sorted(plane.points, key=ranking(plane.view.x, plane.view.y))
    return {
        "x": _axis(plane.view.x),
        "y": _axis(plane.view.y),
        "group_by": plane.group_by,
        "models": sorted({place.model for place in plane.explored.places}),
        "scenarios": sorted({place.scenario for place in plane.explored.places}),
        "validity": plane.explored.validity,
        "as_of": plane.view.selection.as_of,
        "points": [point_answer(plane, point) for point in points],
        "frontier": [point.seen.id for point in points if point.on_frontier],
        "canonical_frontier": _canonical(points),
        "dropped": dropped(plane),
        "versions": plane.versions,
    }


def ranking(x: Metric, y: Metric) -> Callable[[PlanePoint], tuple[float, float, int, int]]:
    """The key to sort by for the best y first; the same y by x, then load, then identifier."""
    y_sign = 1 if y.direction.value == "lower" else -1
    x_sign = 1 if x.direction.value == "lower" else -1
    return lambda point: (y_sign * point.y, x_sign * point.x, point.seen.load, point.seen.id)


def dropped(plane: Plane) -> dict[str, int]:
    """Points that can win nothing, by reason: filtered, without a number, or not eligible."""
    found = dict(plane.left_out)
    for reason, count in plane.groups.excluded.items():
        found[reason] = found.get(reason, 0) + count
    return found


def _canonical(points: Iterable[PlanePoint]) -> list[int] | None:
    ruled = [point for point in points if point.canonical is not None]
    return [point.seen.id for point in ruled if point.canonical] if ruled else None


def _axis(metric: Metric) -> dict[str, str]:
    return {"metric": metric.key, "unit": metric.unit, "direction": metric.direction.value}


def point_answer(plane: Plane, point: PlanePoint) -> dict[str, Any]:
    seen, recipe = point.seen, point.seen.of.recipe
    return {
        "id": seen.id,
        "x": point.x,
        "y": point.y,
        "on_frontier": point.on_frontier,
        "on_canonical_frontier": point.canonical,
        "group": {
            "key": point.series,
            **dict(zip(plane.group_by, group_values(seen, plane.group_by), strict=False)),
        },
        "model": recipe.model,
        "scenario": seen.of.scenario,
        **{name: read(seen) for name, read in FIELDS.items() if name not in ("gpus", "block", "host")},
        "gpus": recipe.gpu_count,
        "parallel": recipe.build.parallel,
        "engine_version": recipe.engine_version,
        "load": seen.load,
        "validity": seen.validity,
        "measured_at": seen.measured_at,
        "run": str(seen.run),
        "recipe": recipe.fingerprint,
    }


__all__ = [
    "Question",
    "TooManyPlanesError",
    "UnknownAxisError",
    "answer",
    "dropped",
    "plane_answer",
    "ranking",
]

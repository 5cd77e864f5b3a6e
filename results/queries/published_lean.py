"""Every published point of a model on a scenario, as lean points.

What a run says of its points is read once for each run, not once for each point, and without joining points
to runs: for thousands of points PostgreSQL would read all runs that there are.
"""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models.functions import Coalesce

from results.models import Curve
from results.queries.lean_points import LeanPoint, batch_of
from results.queries.places import Place, of_scenario
from results.queries.seen_points import current_results

_RUN = ("recipe_id", "scenario_id", "run__label", "run__source_run", "run__published_run", "run__created_at")
_POINT = ("id", "run_id", "attempt_id", "load", "validity", "at")


class _Run(NamedTuple):
    recipe: int
    scenario: int
    label: str
    source: str
    published: str
    created_at: datetime


def published_lean(place: Place, keys: Sequence[str], limit: int) -> list[LeanPoint]:
    """At most ``limit`` by identifier, with the metrics of ``keys``: what ``latest`` finds. Two queries."""
    curves = Curve.objects.filter(of_scenario(place.scenario), language_model__slug=place.model).order_by()
    runs = {run: _Run(*rest) for run, *rest in curves.values_list("run_id", *_RUN)}
    points = current_results(runs).order_by("id")
    dated = points.annotate(at=Coalesce("measured_at", "ended_at", "started_at"))
    wanted = tuple(dict.fromkeys(keys))
    return [_point(row, runs, wanted) for row in dated.values_list(*_POINT, *wanted)[:limit]]


def _point(row: tuple[Any, ...], runs: Mapping[uuid.UUID, _Run], keys: tuple[str, ...]) -> LeanPoint:
    identifier, run, attempt, load, validity, at, *values = row
    of = runs[run]
    # What was executed here was measured at the latest when its run was submitted.
    at = of.created_at if at is None and attempt is not None else at
    return LeanPoint(
        id=identifier,
        run=run,
        recipe=of.recipe,
        scenario=of.scenario,
        label=of.label,
        batch=batch_of(run, attempt, of.source, of.published, at),
        load=load,
        validity=validity,
        at=at,
        values={key: value for key, value in zip(keys, values, strict=True) if value is not None},
    )

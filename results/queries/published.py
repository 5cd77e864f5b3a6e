"""Which runs speak for their recipes: now, on a past day, or because somebody names them."""

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import Any

from django.db import connection
from django.db.models import Exists, Max, OuterRef, QuerySet

from results.analysis.curves import CurveRun, published
from results.models import LIVE, Curve, Point, Run
from results.queries.points import RESULT
from results.queries.recipes_seen import scenario_name

#: Runs of recipes for which no run speaks yet: still measuring, or given up before any spoke. One that
#: succeeded speaks.
_OPEN = """
SELECT run.id FROM results_run run WHERE run.state = ANY(%s) AND NOT EXISTS (
  SELECT 1 FROM results_curve curve
  WHERE curve.recipe_id = run.recipe_id AND curve.scenario_id = run.scenario_id)
UNION ALL
SELECT run.id FROM results_run run WHERE run.state IN ('failed', 'cancelled') AND NOT EXISTS (
  SELECT 1 FROM results_curve curve WHERE curve.recipe_id = run.recipe_id)
"""
#: The same fold as that of publishing, over what was measured before a moment. The recipes are an array, and
#: each run asks for its own points: joined, PostgreSQL would read the runs of all models and sort all points.
_UNTIL = """
SELECT run.recipe_id, run.scenario_id, run.id, seen.valid, seen.usable,
  EXISTS (SELECT 1 FROM results_curveacceptance WHERE run_id = run.id)
FROM results_run run
CROSS JOIN LATERAL (
  SELECT count(*) AS points, array_agg(point.load) FILTER (WHERE point.validity = 'valid') AS valid,
    array_agg(point.load) FILTER (WHERE point.validity IN ('valid', 'diagnostic')) AS usable
  FROM results_point point LEFT JOIN results_attempt attempt ON attempt.id = point.attempt_id
  WHERE point.run_id = run.id AND (attempt.id IS NULL OR attempt.state NOT IN ('failed', 'cancelled'))
) seen
WHERE run.state = 'succeeded' AND seen.points > 0 AND run.recipe_id = ANY (ARRAY(
    SELECT recipe.id FROM results_recipe recipe
    JOIN results_languagemodel model ON model.id = recipe.language_model_id WHERE model.slug = ANY(%s)))
  AND run.scenario_id = ANY(%s) AND {measured} < %s
ORDER BY run.recipe_id, run.scenario_id, {measured}, run.id
"""
#: From place to place through the index of curves, however many curves lie between two.
_SPOKEN = """
WITH RECURSIVE place AS (
  (SELECT language_model_id, scenario_id, published_at FROM results_curve
    ORDER BY language_model_id DESC, scenario_id DESC, published_at DESC LIMIT 1)
  UNION ALL
  SELECT next.* FROM place, LATERAL (
    SELECT language_model_id, scenario_id, published_at FROM results_curve
    WHERE (language_model_id, scenario_id) < (place.language_model_id, place.scenario_id)
    ORDER BY language_model_id DESC, scenario_id DESC, published_at DESC LIMIT 1) next
)
SELECT model.slug, model.name, scenario.corpus, scenario.isl, scenario.osl, scenario.id, place.published_at
FROM place
JOIN results_languagemodel model ON model.id = place.language_model_id
JOIN results_scenario scenario ON scenario.id = place.scenario_id
"""
_MEASURED = """CASE WHEN run.origin = 'executed' THEN COALESCE(run.started_at, run.created_at)
  ELSE COALESCE(run.measured_at, '-infinity') END"""


@dataclass(frozen=True, slots=True)
class Place:
    """Something that was measured: a model on a scenario. ``newest`` is when a run last began to speak.

    ``rows`` are the scenario's versions.
    """

    model: str
    model_name: str
    scenario: str
    agentic: bool
    newest: datetime
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """Model slugs and scenario rows; nothing outside is looked at."""

    models: tuple[str, ...]
    scenarios: tuple[int, ...]


_PLACE = ("recipe__language_model__slug", "recipe__language_model__name", "scenario__corpus",
          "scenario__isl", "scenario__osl", "scenario_id")  # fmt: skip


def open_runs() -> list[uuid.UUID]:
    """Runs of recipes for which no run speaks yet."""
    with connection.cursor() as cursor:
        cursor.execute(_OPEN, [[str(state) for state in LIVE]])
        return [row[0] for row in cursor.fetchall()]


def places(opened: Collection[uuid.UUID]) -> list[Place]:
    """What published curves and the ``opened`` runs measured, newest first; a query for each of both."""
    with connection.cursor() as cursor:
        cursor.execute(_SPOKEN)
        spoken = cursor.fetchall()
    measured = Exists(Point.objects.filter(RESULT, run=OuterRef("pk")))
    found: dict[tuple[str, str], Place] = {}
    begun = _begun(Run.objects.filter(measured, id__in=opened)) if opened else ()
    for row in (*spoken, *begun):
        _add(found, _place(row))
    return sorted(found.values(), key=lambda place: (place.newest, place.model, place.scenario), reverse=True)


def places_of(runs: Collection[uuid.UUID]) -> list[Place]:
    """Where these runs measured, published or not; one query."""
    found: dict[tuple[str, str], Place] = {}
    for row in _begun(Run.objects.filter(id__in=runs)):
        _add(found, _place(row))
    return list(found.values())


def _begun(runs: QuerySet[Run]) -> Iterable[tuple[Any, ...]]:
    return runs.order_by().values_list(*_PLACE).annotate(newest=Max("created_at"))


def _add(found: dict[tuple[str, str], Place], place: Place) -> None:
    known = found.get((place.model, place.scenario))
    found[place.model, place.scenario] = place if known is None else _both(known, place)


def _place(row: tuple[Any, ...]) -> Place:
    slug, name, corpus, isl, osl, scenario, newest = row
    return Place(slug, name, scenario_name(corpus, isl, osl), corpus is not None, newest, (scenario,))


def _both(one: Place, other: Place) -> Place:
    newest, rows = max(one.newest, other.newest), tuple(sorted({*one.rows, *other.rows}))
    return replace(one, newest=newest, rows=rows)


def published_curves(scope: Scope) -> QuerySet[Curve]:
    """The curves of a scope, in no order."""
    inside = {"language_model__slug__in": scope.models, "scenario__in": scope.scenarios}
    return Curve.objects.filter(**inside).order_by()


def published_until(scope: Scope, day: date) -> list[uuid.UUID]:
    """The runs that spoke at the end of a UTC day; one query."""
    end = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)
    with connection.cursor() as cursor:
        cursor.execute(_UNTIL.format(measured=_MEASURED), [list(scope.models), list(scope.scenarios), end])
        rows = cursor.fetchall()
    return [_standing(list(group)) for _curve, group in groupby(rows, key=lambda row: row[:2])]


def _standing(rows: Iterable[tuple[Any, ...]]) -> uuid.UUID:
    runs = [CurveRun(row[2], frozenset(row[3] or ()), frozenset(row[4] or ()), row[5]) for row in rows]
    return runs[published(runs)].id


def runs_of(scope: Scope) -> QuerySet[Run]:
    """Every run of a scope, published or not."""
    inside = {"recipe__language_model__slug__in": scope.models, "scenario__in": scope.scenarios}
    return Run.objects.filter(**inside).order_by()

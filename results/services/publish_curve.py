"""Published curves: which run Explore shows for a recipe on a scenario. Replaced runs stay reachable."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction

from results import clock
from results.analysis.curves import CurveRun, missing_loads, new_loads, published
from results.analysis.families import configuration_family
from results.models import CurveAcceptance, Recipe, Run
from results.queries.among import Among
from results.services.older_builds import Place, judge_builds

_PORTION = 1000

#: Runs of the curves in question in measured order. An executed run was measured when it started; an
#: imported one that states no time is older than all that do, whenever it was imported.
_RUNS = """
SELECT run.recipe_id, run.scenario_id, recipe.language_model_id, run.id,
  array_agg(DISTINCT point.load) FILTER (WHERE point.validity = 'valid'),
  array_agg(DISTINCT point.load) FILTER (WHERE point.validity IN ('valid', 'diagnostic')),
  EXISTS (SELECT 1 FROM results_curveacceptance WHERE run_id = run.id),
  {told}
FROM ({curves}) curve
JOIN results_run run USING (recipe_id, scenario_id)
JOIN results_recipe recipe ON recipe.id = run.recipe_id
JOIN results_point point ON point.run_id = run.id
LEFT JOIN results_attempt attempt ON attempt.id = point.attempt_id
WHERE run.state = 'succeeded' AND (attempt.id IS NULL OR attempt.state NOT IN ('failed', 'cancelled'))
GROUP BY run.recipe_id, run.scenario_id, recipe.language_model_id, run.id
ORDER BY run.recipe_id, run.scenario_id, CASE
  WHEN run.origin = 'executed' THEN COALESCE(run.started_at, run.created_at)
  ELSE COALESCE(run.measured_at, '-infinity') END, run.id
"""
_TOUCHED = "SELECT DISTINCT recipe_id, scenario_id FROM results_run JOIN touched_run ON run_id = id"
_TOLD = "EXISTS (SELECT 1 FROM touched_run WHERE run_id = run.id)"
_ONE = "SELECT %s::bigint AS recipe_id, %s::bigint AS scenario_id"
#: Builds of one configuration are judged together, so nobody else publishes one of them meanwhile.
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('results.curves'))"
_WRITE = """
INSERT INTO results_curve
  (recipe_id, scenario_id, language_model_id, run_id, configuration, published_at, points, superseded)
SELECT recipe_id, scenario_id, language_model_id, run_id, configuration, %s, 0, false
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::uuid[], %s::varchar[])
  AS folded(recipe_id, scenario_id, language_model_id, run_id, configuration)
ON CONFLICT (recipe_id, scenario_id) DO UPDATE
  SET run_id = EXCLUDED.run_id, published_at = EXCLUDED.published_at
  WHERE results_curve.run_id <> EXCLUDED.run_id
"""
_EMPTY = """
DELETE FROM results_curve USING ({curves}) curve
WHERE results_curve.recipe_id = curve.recipe_id AND results_curve.scenario_id = curve.scenario_id
  AND NOT EXISTS (SELECT 1 FROM results_point WHERE run_id = results_curve.run_id)
RETURNING results_curve.configuration, results_curve.scenario_id
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """``newer`` covers less than ``standing``, which therefore stays published."""

    recipe_id: int
    scenario_id: int
    standing: CurveRun
    newer: CurveRun

    @property
    def missing_loads(self) -> tuple[int, ...]:
        return missing_loads(self.newer, self.standing)

    @property
    def new_loads(self) -> tuple[int, ...]:
        return new_loads(self.newer, self.standing)


class _Folded(NamedTuple):
    recipe: int
    scenario: int
    language_model: int
    run: UUID


def publish_curve(*, run: UUID) -> None:
    """Fold the curve that an executed run belongs to; only runs that succeeded take part."""
    with transaction.atomic():
        place = Run.objects.values_list("recipe_id", "scenario_id").get(id=run)
        _fold(_ONE, place, told="false")


def publish_touched_curves() -> list[Kept]:
    """Fold the curves of the runs in the table ``touched_run``; which of them did not replace."""
    return _fold(_TOUCHED, [], told=_TOLD)


def accept_runs(kept: Iterable[Kept], *, by: str) -> list[Kept]:
    """Let these runs replace what is published, and fold again; which runs still do not replace."""
    now = clock.now()
    rows = [CurveAcceptance(run_id=one.newer.id, accepted_at=now, accepted_by=by[:128]) for one in kept]
    CurveAcceptance.objects.bulk_create(rows, ignore_conflicts=True)
    return publish_touched_curves()


def _fold(curves: str, parameters: Sequence[Any], *, told: str) -> list[Kept]:
    kept: list[Kept] = []
    places: set[Place] = set()
    folded: list[_Folded] = []
    _execute(_LOCK, [])
    with connection.chunked_cursor() as cursor:
        cursor.execute(_RUNS.format(curves=curves, told=told), parameters)
        for (recipe, scenario, model), rows in groupby(_rows(cursor), key=lambda row: row[:3]):
            found = [(CurveRun(row[3], _loads(row[4]), _loads(row[5]), row[6]), row[7]) for row in rows]
            runs = [run for run, _told in found]
            place = published(runs)
            folded.append(_Folded(recipe, scenario, model, runs[place].id))
            kept += [Kept(recipe, scenario, runs[place], newer) for newer, tell in found[place + 1 :] if tell]
            if len(folded) >= _PORTION:
                places |= _write(folded)
                folded.clear()
    places |= _write(folded)
    places.update(_execute(_EMPTY.format(curves=curves), parameters))
    judge_builds(places)
    return kept


def _execute(statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []


def _rows(cursor: Any) -> Iterator[tuple[Any, ...]]:
    while portion := cursor.fetchmany(_PORTION):
        yield from portion


def _loads(found: list[int] | None) -> frozenset[int]:
    return frozenset(found or ())


def _write(folded: Sequence[_Folded]) -> set[Place]:
    """Point the curves at their runs; what points there already stays untouched. Where they all lie."""
    if not folded:
        return set()
    recipes = Recipe.objects.filter(Among("id", {one.recipe for one in folded}))
    documents = recipes.values_list("id", "document")
    families = {recipe: configuration_family(document) for recipe, document in documents}
    columns = [list(column) for column in zip(*folded, strict=True)]
    _execute(_WRITE, [clock.now(), *columns, [families[one.recipe] for one in folded]])
    return {(families[one.recipe], one.scenario) for one in folded}

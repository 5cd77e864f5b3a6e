"""Runs that could stand beside a chosen one: same model and scenario, the newest first."""

import uuid
from collections.abc import Sequence

from django.db.models import QuerySet

from results.models import Recipe, Run, State

MOST = 40


def pickable_runs(runs: Sequence[uuid.UUID], recipes: Sequence[str]) -> list[Run]:
    """At most forty, chosen ones first; without a choice the newest runs with results. Two queries."""
    related = ("recipe__hardware", "recipe__engine", "recipe__language_model", "scenario")
    rows = Run.objects.filter(state=State.SUCCEEDED).select_related(*related)
    chosen = list(rows.filter(id__in=list(runs)))
    fitting = _fitting(rows, chosen, recipes).exclude(id__in=[run.id for run in chosen])
    return [*chosen, *fitting.order_by("-created_at", "-id")[: MOST - len(chosen)]]


def _fitting(rows: QuerySet[Run], chosen: Sequence[Run], recipes: Sequence[str]) -> QuerySet[Run]:
    if chosen:
        model = chosen[0].recipe.language_model
        return rows.filter(scenario=chosen[0].scenario_id, recipe__language_model=model)
    if recipes:
        models = Recipe.objects.filter(fingerprint__startswith=recipes[0]).values("language_model")
        return rows.filter(recipe__language_model__in=models)
    return rows

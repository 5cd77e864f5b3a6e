"""The published points of recipes, hardware and engines at one place, and which of them builds replaced."""

import uuid
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.db.models import Q, QuerySet

from results.analysis.newest_builds import BuildRun, outdated
from results.models import Curve, Point, Recipe
from results.queries.among import Among
from results.queries.lean_points import LeanPoint, RecipeRow, lean_points, read_recipes
from results.queries.places import Place, of_scenario
from results.queries.published import Scope, published_until
from results.queries.recipes_seen import began
from results.queries.seen_points import current_results, points_of

#: Points of all sides together; a page that wants more says that it does not show them.
LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Choice:
    """Which published points. ``sides`` is a condition on recipes.

    ``as_of`` is a UTC day at whose end they were published, None now. What a newer build measured again is
    left out unless ``every_build``, but for the recipes of ``whole``.
    """

    place: Place
    sides: Q
    whole: Collection[int]
    as_of: date | None
    every_build: bool


@dataclass(frozen=True, slots=True)
class Speaking:
    """A run that speaks for its recipe on a scenario, and when it began to measure."""

    recipe: RecipeRow
    run: uuid.UUID
    scenario: int
    began: datetime | None


@dataclass(frozen=True, slots=True)
class Published:
    """``replaced`` are points that a newer build of the same configuration measured again; ``older`` counts
    them by recipe.
    """

    points: Sequence[LeanPoint] = ()
    recipes: Mapping[int, RecipeRow] = field(default_factory=dict)
    replaced: Collection[int] = ()
    older: Mapping[int, int] = field(default_factory=dict)


def published_points(choice: Choice, keys: Sequence[str]) -> Published:
    """At most ``LIMIT`` points with the metrics of ``keys``. Three queries, two more as of a day."""
    runs = list(_speaking(choice))
    recipes = {one.recipe.id: one.recipe for one in runs}
    if choice.every_build or recipes.keys() <= set(choice.whole):
        return Published(lean_points(current_results(one.run for one in runs), keys, LIMIT), recipes)
    measured = _measured(runs)
    replaced = outdated(
        BuildRun(one.recipe.build.configuration, one.scenario, one.began, bool(one.recipe.version), points)
        for one, points in measured
    )
    owners = {number: one.recipe.id for one, points in measured for number, _load, _validity in points}
    shown = [number for number, recipe in owners.items() if number not in replaced or recipe in choice.whole]
    points = lean_points(Point.objects.filter(Among("id", shown)), keys, LIMIT)
    return Published(points, recipes, replaced, Counter(owners[number] for number in replaced))


def _speaking(choice: Choice) -> Iterator[Speaking]:
    place = choice.place
    runs = _published(place) if choice.as_of is None else _published_until(place, choice.as_of)
    recipes = Recipe.objects.filter(choice.sides, runs__in=runs).annotate(began=began("runs__"))
    for recipe, (run, scenario, moment) in read_recipes(recipes, "runs__id", "runs__scenario_id", "began"):
        yield Speaking(recipe, run, scenario, moment)


def _published(place: Place) -> QuerySet[Any]:
    curves = Curve.objects.filter(of_scenario(place.scenario), language_model__slug=place.model)
    return curves.values("run")


def _published_until(place: Place, day: date) -> list[uuid.UUID]:
    versions = Curve.objects.filter(of_scenario(place.scenario)).order_by().values_list("scenario", flat=True)
    return published_until(Scope((place.model,), tuple(versions.distinct())), day)


def _measured(runs: Sequence[Speaking]) -> list[tuple[Speaking, list[tuple[int, int, str]]]]:
    """What each run measured, as ``(id, load, validity)``; one query."""
    points = points_of(one.run for one in runs)
    return [(one, points[one.run]) for one in runs if one.run in points]

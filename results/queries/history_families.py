"""Families of recipes whose numbers are watched over time, and what tells their members apart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Max, OuterRef, Subquery, Sum

from results.models import Curve, Recipe, Run
from results.queries.among import Among
from results.queries.lean_points import RecipeRow, recipe_rows
from results.queries.places import Place, of_scenario


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """``title`` is what all its recipes have in common, ``recipe`` the newest of them.

    ``recipes`` are all by identifier, ``builds`` counts the versions of the engine.
    """

    key: str
    title: str
    recipe: RecipeRow
    recipes: tuple[int, ...]
    builds: int
    runs: int


class Member(NamedTuple):
    """What of a recipe may differ inside a family."""

    version: str
    accuracy: str


class _Builds(NamedTuple):
    """One configuration, whatever its build; two versions of a scenario name a recipe twice."""

    configuration: str
    newest: int
    recipes: list[int]
    versions: list[str]
    runs: int


def families(place: Place, basis: str) -> tuple[FamilyRow, ...]:
    """Families of the place, those with most runs first; two queries. ``basis`` as of ``Series``."""
    curves = Curve.objects.filter(of_scenario(place.scenario), language_model__slug=place.model)
    rows = (
        curves.order_by()
        .values_list("configuration")
        .annotate(
            newest=Max("recipe"),
            recipes=ArrayAgg("recipe", distinct=True),
            versions=ArrayAgg("recipe__engine_version", distinct=True),
            n=Count("recipe__runs", distinct=True),
        )
    )
    found = [_Builds(*row) for row in rows]
    newest = recipe_rows(one.newest for one in found)
    groups: dict[str, list[_Builds]] = {}
    for one in sorted(found, key=lambda one: one.newest):
        key = one.configuration if basis == "load" else newest[one.newest].build.kind
        groups.setdefault(key, []).append(one)
    seen = (_family(key, own, [newest[one.newest] for one in own]) for key, own in groups.items())
    return tuple(sorted(seen, key=lambda one: (-one.runs, one.recipe.hardware, one.title, one.key)))


def _builds(place: Place) -> list[_Builds]:
    curves = Curve.objects.filter(of_scenario(place.scenario), language_model__slug=place.model).order_by()
    own = Run.objects.filter(recipe=OuterRef("recipe"), scenario=OuterRef("scenario")).order_by()
    measured = curves.annotate(n=Subquery(own.values("scenario").annotate(n=Count("*")).values("n")))
    rows = measured.values_list("configuration").annotate(
        newest=Max("recipe"),
        recipes=ArrayAgg("recipe"),
        versions=ArrayAgg("recipe__engine_version"),
        runs=Sum("n"),
    )
    return [_Builds(*row) for row in rows]


def _family(key: str, own: Sequence[_Builds], newest: Sequence[RecipeRow]) -> FamilyRow:
    return FamilyRow(
        key=key,
        title=_title(newest),
        recipe=newest[-1],
        recipes=tuple(sorted({recipe for one in own for recipe in one.recipes})),
        builds=len({version for one in own for version in one.versions}),
        runs=sum(one.runs for one in own),
    )


def _title(members: Sequence[RecipeRow]) -> str:
    titles = {recipe.title for recipe in members}
    if len(titles) == 1:
        return titles.pop()
    one = members[-1]
    split = "P/D" if one.disaggregated else ""
    parts = (one.hardware_name, one.engine_name, one.precision, one.speculative, split)
    return " · ".join(part for part in parts if part)


def members(recipes: Iterable[int]) -> dict[int, Member]:
    """By identifier; one query."""
    rows = Recipe.objects.filter(Among("id", recipes)).order_by()
    return {number: Member(*row) for number, *row in rows.values_list("id", "engine_version", "accuracy")}

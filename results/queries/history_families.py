"""Families of recipes whose numbers are watched over time, and what tells their members apart."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Max, OuterRef, Subquery, Sum

from results.models import Curve, Run
from results.queries.lean_points import RecipeRow, recipe_rows
from results.queries.places import Place, of_scenario


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """``title`` is what all its recipes have in common, ``recipe`` the newest of them.

    ``members`` are all by identifier.
    """

    key: str
    title: str
    recipe: RecipeRow
    members: Mapping[int, "Member"]
    runs: int

    @property
    def builds(self) -> int:
        """How many versions of the engine there are."""
        return len({one.version for one in self.members.values()})


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
    accuracies: list[str]
    runs: int

    def members(self) -> Iterator[tuple[int, Member]]:
        for recipe, *member in zip(self.recipes, self.versions, self.accuracies, strict=True):
            yield recipe, Member(*member)


def families(place: Place, basis: str) -> tuple[FamilyRow, ...]:
    """Families of the place, those with most runs first; two queries. ``basis`` as of ``Series``."""
    found = _builds(place)
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
        accuracies=ArrayAgg("recipe__accuracy"),
        runs=Sum("n"),
    )
    return [_Builds(*row) for row in rows]


def _family(key: str, own: Sequence[_Builds], newest: Sequence[RecipeRow]) -> FamilyRow:
    return FamilyRow(
        key=key,
        title=_title(newest),
        recipe=newest[-1],
        members={recipe: member for one in own for recipe, member in one.members()},
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

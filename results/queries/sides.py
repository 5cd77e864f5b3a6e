"""What is put side by side: runs, recipes, all published configurations of one hardware or of one engine."""

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Q, QuerySet

from results.models import Engine, Hardware, Point, Recipe, Run
from results.queries.lean_points import LeanPoint, RecipeRow, lean_points, recipe_row
from results.queries.places import Place, places
from results.queries.points import RESULT
from results.queries.side_place import Group, meeting_place, of_sides
from results.queries.side_points import LIMIT, Choice, Published, published_points

FEWEST, MOST = 2, 20
ALL = "all"
#: Which builds of a configuration count, the usual answer first.
BUILDS = ("newest", "all")


class UnknownSideError(LookupError):
    """A side that does not exist; ``name`` is its parameter, the message says what is wrong."""

    def __init__(self, name: str, rule: str) -> None:
        super().__init__(f"{name}: {rule}")
        self.name = name
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Asked:
    """Which sides, in the order shown. Recipes are fingerprints or their beginnings, the others slugs.

    ``model`` and ``scenario`` place recipes, hardware and engines; None chooses the place where all of them
    are published. ``precision`` narrows hardware and engines: None takes the one of which all sides have most
    points, ``all`` takes every one. Of hardware and engines only what the newest build of each configuration
    measured is shown, unless ``every_build``; ``as_of`` is a UTC day at whose end it was published, None now.
    """

    runs: tuple[uuid.UUID, ...] = ()
    recipes: tuple[str, ...] = ()
    hardware: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    model: str | None = None
    scenario: str | None = None
    precision: str | None = None
    as_of: date | None = None
    every_build: bool = False

    @property
    def builds(self) -> str:
        return BUILDS[self.every_build]

    @property
    def count(self) -> int:
        return len(self.runs) + len(self.recipes) + len(self.hardware) + len(self.engines)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The points of one side and what they were measured on; ``kind`` is run, recipe, hardware or engine.

    ``older`` counts points that are left out because a newer build measured them again.
    """

    kind: str
    key: str
    name: str
    points: tuple[LeanPoint, ...]
    recipes: tuple[RecipeRow, ...]
    older: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """All sides with the place that was chosen, what else could be, and the precision in force."""

    sides: tuple[Gathered, ...]
    place: Place | None
    places: tuple[Place, ...]
    precisions: tuple[str, ...]
    precision: str
    cut: bool


def gather(asked: Asked, keys: Sequence[str]) -> Table:
    """The sides with the metrics of ``keys``. At most ten queries. UnknownSideError for what is unknown."""
    found = places()
    runs, chosen = _runs(asked.runs), _recipes(asked.recipes)
    names = _names(Hardware, "hardware", asked.hardware) | _names(Engine, "engine", asked.engines)
    groups = [*(("hardware", slug) for slug in asked.hardware), *(("engine", slug) for slug in asked.engines)]
    model, scenario = asked.model, asked.scenario
    if runs:
        model, scenario = model or runs[0].recipe.language_model.slug, scenario or str(runs[0].scenario)
    place = meeting_place(found, chosen, groups, model, scenario)
    of_runs = lean_points(_of_runs(asked.runs), keys, LIMIT) if asked.runs else []
    published = _published(asked, place, chosen, groups, keys)
    precisions, precision = _precision(asked, groups, published)
    sides = [_run_side(run, of_runs) for run in runs]
    sides += [_recipe_side(one, published.points) for one in chosen]
    sides += [_group_side(kind, slug, names[kind, slug], precision, published) for kind, slug in groups]
    return Table(
        sides=tuple(sides),
        place=place,
        places=found,
        precisions=precisions,
        precision=precision,
        cut=LIMIT in (len(of_runs), len(published.points)),
    )


def _runs(identifiers: Sequence[uuid.UUID]) -> list[Run]:
    if not identifiers:
        return []
    related = ("recipe__hardware", "recipe__engine", "recipe__language_model", "scenario")
    found = Run.objects.select_related(*related).in_bulk(identifiers)
    for identifier in identifiers:
        if identifier not in found:
            raise UnknownSideError("run", f"there is no run {identifier}")
    return [found[identifier] for identifier in identifiers]


def _recipes(prefixes: Sequence[str]) -> list[RecipeRow]:
    """One recipe for each beginning of a fingerprint; DISTINCT ones."""
    if not prefixes:
        return []
    asked = Q()
    for prefix in prefixes:
        asked |= Q(fingerprint__startswith=prefix)
    rows = Recipe.objects.filter(asked).select_related("hardware", "engine")[: 2 * MOST]
    found = [recipe_row(recipe) for recipe in rows]
    return [
        _only(prefix, [row for row in found if row.fingerprint.startswith(prefix)]) for prefix in prefixes
    ]


def _only(prefix: str, rows: Sequence[RecipeRow]) -> RecipeRow:
    if len(rows) != 1:
        number = "no recipe" if not rows else "more than one recipe"
        raise UnknownSideError("recipe", f"{number} has a fingerprint that begins with {prefix}")
    return rows[0]


def _names(
    table: type[Hardware] | type[Engine], kind: str, slugs: Sequence[str]
) -> dict[tuple[str, str], str]:
    if not slugs:
        return {}
    rows: dict[str, str] = dict(table._default_manager.filter(slug__in=slugs).values_list("slug", "name"))
    for slug in slugs:
        if slug not in rows:
            raise UnknownSideError(kind, f"the catalogue has no {kind} called {slug}")
    return {(kind, slug): name for slug, name in rows.items()}


def _of_runs(runs: Iterable[uuid.UUID]) -> QuerySet[Point]:
    return Point.objects.filter(RESULT, current=True, run__in=list(runs))


def _published(
    asked: Asked,
    place: Place | None,
    chosen: Sequence[RecipeRow],
    groups: Sequence[Group],
    keys: Sequence[str],
) -> Published:
    if place is None:
        return Published()
    whole = [one.id for one in chosen]
    choice = Choice(place, of_sides(chosen, groups), whole, asked.as_of, asked.every_build)
    return published_points(choice, keys)


def _run_side(run: Run, points: Iterable[LeanPoint]) -> Gathered:
    block = f" #{run.block}" if run.block else ""
    name = f"{run.label}{block} · {str(run.id)[:8]}"
    mine = tuple(point for point in points if point.run == run.id)
    return Gathered("run", str(run.id), name, mine, (recipe_row(run.recipe),))


def _recipe_side(recipe: RecipeRow, points: Iterable[LeanPoint]) -> Gathered:
    mine = tuple(point for point in points if point.recipe == recipe.id)
    return Gathered("recipe", recipe.fingerprint, recipe.title, mine, (recipe,))


def _group_side(kind: str, slug: str, name: str, precision: str, published: Published) -> Gathered:
    """Everything that is published of one hardware or engine at one precision."""
    rows = published.recipes
    inside = {
        row.id for row in rows.values() if getattr(row, kind) == slug and precision in (ALL, row.precision)
    }
    kept = tuple(
        point for point in published.points if point.recipe in inside and point.id not in published.replaced
    )
    recipes = tuple(rows[number] for number in dict.fromkeys(point.recipe for point in kept))
    return Gathered(kind, slug, name, kept, recipes, sum(published.older.get(number, 0) for number in inside))


def _precision(asked: Asked, groups: Sequence[Group], published: Published) -> tuple[tuple[str, ...], str]:
    """What groups could be narrowed to, and to what they are."""
    rows = published.recipes
    counts = [
        Counter(
            rows[point.recipe].precision
            for point in published.points
            if getattr(rows[point.recipe], kind) == slug and point.id not in published.replaced
        )
        for kind, slug in groups
    ]
    offered = tuple(sorted({name for count in counts for name in count}))
    if asked.precision is not None or not groups:
        return offered, asked.precision or ALL
    shared = [(min(count[name] for count in counts), name) for name in offered]
    least, best = max(shared, default=(0, ALL))
    return offered, best if least else ALL

"""What is put side by side: runs, recipes, all published configurations of one hardware or of one engine."""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from results.models import Curve, Engine, Hardware, Point, Recipe, Run
from results.queries.curves import latest
from results.queries.lean_points import LeanPoint, RecipeRow, lean_points, recipe_row, recipe_rows
from results.queries.places import Place, choose, places
from results.queries.points import RESULT

FEWEST, MOST = 2, 20
#: Points of all sides together; a page that wants more says that it does not show them.
LIMIT = 10_000
ALL = "all"


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
    points, ``all`` takes every one.
    """

    runs: tuple[uuid.UUID, ...] = ()
    recipes: tuple[str, ...] = ()
    hardware: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    model: str | None = None
    scenario: str | None = None
    precision: str | None = None

    @property
    def count(self) -> int:
        return len(self.runs) + len(self.recipes) + len(self.hardware) + len(self.engines)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The points of one side and what they were measured on; ``kind`` is run, recipe, hardware or engine."""

    kind: str
    key: str
    name: str
    points: tuple[LeanPoint, ...]
    recipes: tuple[RecipeRow, ...]


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
    place = _place(asked, found, runs, chosen, groups)
    of_runs = lean_points(_of_runs(asked.runs), keys, LIMIT) if asked.runs else []
    published = _published(place, chosen, groups)
    of_groups = [] if published is None else lean_points(published, keys, LIMIT)
    rows = {recipe.id: recipe for recipe in (*chosen, *(recipe_row(run.recipe) for run in runs))}
    rows |= recipe_rows({point.recipe for point in of_groups} - rows.keys())
    sides = [_run_side(run, of_runs, rows) for run in runs]
    for one in chosen:
        mine = _where(of_groups, rows, "id", one.id)
        sides.append(_side("recipe", one.fingerprint, one.title, mine, rows))
    for kind, slug in groups:
        sides.append(_side(kind, slug, names[kind, slug], _where(of_groups, rows, kind, slug), rows))
    precisions, precision = _precision(asked, sides)
    return Table(
        sides=tuple(_narrowed(side, precision) for side in sides),
        place=place,
        places=found,
        precisions=precisions,
        precision=precision,
        cut=LIMIT in (len(of_runs), len(of_groups)),
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


def _place(
    asked: Asked,
    found: Sequence[Place],
    runs: Sequence[Run],
    chosen: Sequence[RecipeRow],
    groups: Sequence[tuple[str, str]],
) -> Place | None:
    """Where recipes and groups are looked at: as asked, else where the runs are, else where most meet."""
    model, scenario = asked.model, asked.scenario
    if not chosen and not groups:
        return None
    if runs:
        model, scenario = model or runs[0].recipe.language_model.slug, scenario or str(runs[0].scenario)
    if model is not None and scenario is not None:
        return choose(found, model, scenario)
    shared = _meeting(chosen, groups)
    meeting = [place for place in found if (place.model, place.scenario) in shared]
    ranked = sorted(meeting, key=lambda place: -shared[place.model, place.scenario])
    return choose(ranked, model, scenario) or choose(found, model, scenario)


def _meeting(chosen: Sequence[RecipeRow], groups: Sequence[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """Model and scenario that every side has published, with the fewest curves of any side."""
    columns = ("language_model__slug", "scenario__corpus", "scenario__isl", "scenario__osl",
               "recipe_id", "recipe__hardware__slug", "recipe__engine__slug")  # fmt: skip
    wanted = _of_sides(chosen, groups)
    counts: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    rows = Curve.objects.filter(wanted).values_list(*columns)
    for model, corpus, isl, osl, recipe, hardware, engine in rows:
        here = counts.setdefault((model, corpus or f"{isl}/{osl}"), Counter())
        here.update([("recipe", str(recipe)), ("hardware", hardware), ("engine", engine)])
    sides = [*(("recipe", str(one.id)) for one in chosen), *groups]
    least = {where: min(here[one] for one in sides) for where, here in counts.items()}
    return Counter({where: count for where, count in least.items() if count})


def _of_sides(chosen: Sequence[RecipeRow], groups: Sequence[tuple[str, str]]) -> Q:
    """Curves of the chosen recipes, hardware and engines."""
    wanted = Q(recipe__in=[one.id for one in chosen])
    wanted |= Q(recipe__hardware__slug__in=[slug for kind, slug in groups if kind == "hardware"])
    return wanted | Q(recipe__engine__slug__in=[slug for kind, slug in groups if kind == "engine"])


def _of_runs(runs: Iterable[uuid.UUID]) -> QuerySet[Point]:
    return Point.objects.filter(RESULT, current=True, run__in=list(runs))


def _published(
    place: Place | None, chosen: Sequence[RecipeRow], groups: Sequence[tuple[str, str]]
) -> QuerySet[Point] | None:
    if place is None:
        return None
    return latest(place.model, scenario=place.scenario, curves=_of_sides(chosen, groups))


def _where(
    points: Sequence[LeanPoint], rows: Mapping[int, RecipeRow], field: str, value: object
) -> Iterator[LeanPoint]:
    return (point for point in points if getattr(rows[point.recipe], field) == value)


def _run_side(run: Run, points: Sequence[LeanPoint], rows: Mapping[int, RecipeRow]) -> Gathered:
    block = f" #{run.block}" if run.block else ""
    mine = [point for point in points if point.run == run.id]
    side = _side("run", str(run.id), f"{run.label}{block} · {str(run.id)[:8]}", mine, rows)
    return Gathered(side.kind, side.key, side.name, side.points, (rows[run.recipe_id],))


def _side(
    kind: str, key: str, name: str, points: Iterable[LeanPoint], rows: Mapping[int, RecipeRow]
) -> Gathered:
    kept = tuple(points)
    recipes = {point.recipe: rows[point.recipe] for point in kept}
    if kind == "recipe" and not recipes:
        recipes = {row.id: row for row in rows.values() if row.fingerprint == key}
    return Gathered(kind, key, name, kept, tuple(recipes.values()))


def _precision(asked: Asked, sides: Sequence[Gathered]) -> tuple[tuple[str, ...], str]:
    """What groups could be narrowed to, and to what they are."""
    groups = [side for side in sides if side.kind in ("hardware", "engine")]
    names = {recipe.id: recipe.precision for side in groups for recipe in side.recipes}
    counts = [Counter(names[point.recipe] for point in side.points) for side in groups]
    offered = tuple(sorted({name for count in counts for name in count}))
    if asked.precision is not None or not groups:
        return offered, asked.precision or ALL
    shared = [(min(count[name] for count in counts), name) for name in offered]
    least, best = max(shared, default=(0, ALL))
    return offered, best if least else ALL


def _narrowed(side: Gathered, precision: str) -> Gathered:
    if precision == ALL or side.kind not in ("hardware", "engine"):
        return side
    recipes = tuple(recipe for recipe in side.recipes if recipe.precision == precision)
    kept = {recipe.id for recipe in recipes}
    points = tuple(point for point in side.points if point.recipe in kept)
    return Gathered(side.kind, side.key, side.name, points, recipes)

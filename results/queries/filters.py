"""What Explore can be filtered by, and how many points there are of each value."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from operator import attrgetter

from results.analysis.natural_order import natural
from results.queries.recipes_seen import RecipeSeen
from results.queries.replaced import Replaced
from results.queries.seen_points import Found, Located

#: What recipes can be filtered by, in the order in which the filter rail shows it.
OF_RECIPES: Mapping[str, Callable[[RecipeSeen], str]] = {
    "hardware": attrgetter("hardware"),
    "vendor": attrgetter("vendor"),
    "engine": attrgetter("engine"),
    "precision": attrgetter("precision"),
    "deployment": attrgetter("deployment"),
    "speculative": lambda recipe: recipe.speculative or "none",
    "offload": attrgetter("offload"),
    "gpus": lambda recipe: str(recipe.gpu_count),
    "accuracy": attrgetter("accuracy"),
}
#: Who chooses by one of these asks for certain runs, published or not.
OF_RUNS: Mapping[str, Callable[[Located], str]] = {
    "label": attrgetter("of.label"),
    "host": lambda point: point.host or "none",
    "block": lambda point: "none" if point.of.block is None else str(point.of.block),
}


def _of_recipe(read: Callable[[RecipeSeen], str]) -> Callable[[Located], str]:
    return lambda point: read(point.of.recipe)


#: All filters, and where a point has what they ask for.
FIELDS: Mapping[str, Callable[[Located], str]] = {
    **{name: _of_recipe(read) for name, read in OF_RECIPES.items()},
    **OF_RUNS,
}


def facets(
    known: Collection[Found], replaced: Iterable[Replaced], older: Collection[int]
) -> Mapping[str, Mapping[str, int]]:
    """Points by value of each filter, numbers by size and before words.

    What only a run can say is counted of what is shown; ``older`` are points of ``known`` that are not.
    """
    recipes = Counter[RecipeSeen]()
    for found in known:
        recipes[found.of.recipe] += len(found.points)
    for gone in replaced:
        recipes[gone.recipe] += gone.points
    counts = {name: Counter[str]() for name in FIELDS}
    for name, read in OF_RECIPES.items():
        for recipe, count in recipes.items():
            counts[name][read(recipe)] += count
    for one in known:
        shown = sum(number not in older for number, _load, _validity in one.points)
        for name, find in OF_RUNS.items() if shown else ():
            counts[name][find(one)] += shown
    return {name: dict(sorted(of.items(), key=lambda item: natural(item[0]))) for name, of in counts.items()}

"""Which series gets which colour: the same one whatever is filtered or switched off."""

from collections.abc import Callable, Iterable, Mapping

from dashboard.figures.colour import Pair, family, ramp
from results.queries.plane import RECIPE, Plane, SeriesSeen
from results.queries.recipes_seen import RecipeSeen

#: What a colour can tell of a recipe; marker and dash tell its precision and engine.
_TOLD: Mapping[str, Callable[[RecipeSeen], str]] = {
    "vendor": lambda recipe: recipe.vendor,
    "hardware": lambda recipe: recipe.hardware,
    "speculative": lambda recipe: recipe.speculative,
    "deployment": lambda recipe: recipe.deployment,
}


def shades(plane: Plane) -> dict[str, Pair]:
    """A colour by key of each series, by its place among everything in the scope."""
    if plane.group_by == (RECIPE,):
        colours = _ramps(plane.explored.recipes, lambda recipe: recipe.fingerprint)
        return {one.key: colours[one.first.fingerprint] for one in plane.series}
    told = [name for name in _TOLD if name in plane.group_by]
    if told:
        return _told(plane, told)
    return dict(zip((one.key for one in plane.series), ramp("other", len(plane.series)), strict=True))


def _told(plane: Plane, names: list[str]) -> dict[str, Pair]:
    def shade(recipe: RecipeSeen) -> str:
        return " ".join(_TOLD[name](recipe) for name in names)

    # Hundreds of recipes differ in nothing that a colour can tell.
    told = {(shade(one), one.vendor, one.kind): one for one in plane.explored.recipes}
    colours = _ramps(sorted(told.values(), key=shade), shade, mixed=_mixed(plane.series))
    return {one.key: colours[shade(one.first)] for one in plane.series}


def _mixed(series: Iterable[SeriesSeen]) -> bool:
    """Whether some series runs on parts of several vendors, so that no vendor's hue fits."""
    return any(len({recipe.vendor for recipe in one.recipes}) > 1 for one in series)


def _ramps(
    recipes: Iterable[RecipeSeen], shade: Callable[[RecipeSeen], str], *, mixed: bool = False
) -> dict[str, Pair]:
    families: dict[str, dict[str, None]] = {}
    for recipe in recipes:
        hue = "other" if mixed else family(recipe.vendor, recipe.kind)
        families.setdefault(hue, {})[shade(recipe)] = None
    return {
        name: colour
        for hue, members in families.items()
        for name, colour in zip(members, ramp(hue, len(members)), strict=True)
    }

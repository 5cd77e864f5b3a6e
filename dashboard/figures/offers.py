"""Every measured point against an objective: filled marks meet it, hollow ones do not. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.figures.colour import Pair, family, ramp
from dashboard.figures.frame import framed
from dashboard.figures.marks import dash, symbol
from dashboard.figures.pareto import Axis, Mark, Series, figure
from dashboard.figures.ticks import along, clear
from results.queries.lean_points import RecipeRow

#: Loads closer than this, as a share of each axis, would cover each other.
_ROOM = (0.06, 0.06)


@dataclass(frozen=True, slots=True)
class Place:
    """One point in the plane; ``lines`` is its hover text."""

    id: int
    load: int
    recipe: RecipeRow
    x: float
    y: float
    meets: bool
    lines: tuple[str, ...]


def offers_figure(places: Sequence[Place], x: Axis, y: Axis, limits: Mapping[str, float]) -> dict[str, Any]:
    """One series per hardware and precision; ``limits`` draws a line at a value of axis x or y."""
    groups: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        groups.setdefault((place.recipe.hardware, place.recipe.precision), []).append(place)
    colours = _colours([members[0].recipe for _key, members in sorted(groups.items())])
    named = _apart(places, x, y)
    series = [_series(members, colours[name[0]], named) for name, members in sorted(groups.items())]
    drawn = figure(series, x, y)
    drawn["layout"] |= {"annotations": [], "meta": [], "shapes": [_limit(*one) for one in limits.items()]}
    # Limits are seen even where no point comes near them.
    return framed(drawn)


def _apart(places: Sequence[Place], x: Axis, y: Axis) -> frozenset[int]:
    """Points whose load is written above them: what meets the objective first, then the fastest."""
    if not places:
        return frozenset()
    where = {one.id: (along(one.x, log=x.log), along(one.y, log=y.log)) for one in places}
    wide, high = (max(ends) - min(ends) or 1.0 for ends in zip(*where.values(), strict=True))
    ordered = sorted(places, key=lambda one: (not one.meets, -one.x))
    free = clear([where[one.id] for one in ordered], (wide, high), _ROOM)

    def covered(a: float, b: float) -> bool:
        """Another mark stands where the text would."""
        return any(abs(x - a) < 0.03 * wide and 0.01 * high < y - b < 0.09 * high for x, y in where.values())

    named = (one.id for one, alone in zip(ordered, free, strict=True) if alone)
    return frozenset(one for one in named if not covered(*where[one]))


def _colours(recipes: Sequence[RecipeRow]) -> dict[str, Pair]:
    families: dict[str, list[str]] = {}
    for recipe in recipes:
        members = families.setdefault(family(recipe.vendor, recipe.kind), [])
        if recipe.hardware not in members:
            members.append(recipe.hardware)
    return {
        hardware: colour
        for name, members in families.items()
        for hardware, colour in zip(members, ramp(name, len(members)), strict=True)
    }


def _series(members: Sequence[Place], colour: Pair, named: frozenset[int]) -> Series:
    recipe = members[0].recipe
    return Series(
        key=f"{recipe.hardware} {recipe.precision}",
        name=f"{recipe.hardware_name} {recipe.precision}",
        colour=colour,
        symbol=symbol(recipe.precision),
        dash=dash(recipe.engine),
        halo=False,
        marks=tuple(
            Mark(
                place.id,
                place.load,
                place.x,
                place.y,
                place.meets,
                place.meets,
                place.lines,
                label=None if place.id in named else "",
            )
            for place in members
        ),
        line=(),
    )


def _limit(axis: str, value: float) -> dict[str, Any]:
    other = "y" if axis == "x" else "x"
    ends = {f"{axis}0": value, f"{axis}1": value, f"{other}0": 0, f"{other}1": 1}
    return {"type": "line", "xref": "x" if axis == "x" else "paper", "yref": "y" if axis == "y" else "paper",
            "line": {"dash": "dot", "width": 1}, **ends}  # fmt: skip

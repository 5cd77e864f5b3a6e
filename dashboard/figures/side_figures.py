"""Figures of a comparison: frontiers over each other, and distributions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.figures.colour import Pair, family, ramp
from dashboard.figures.escaping import escape
from dashboard.figures.marks import dash, symbol
from dashboard.figures.numbers import percent, with_unit
from dashboard.figures.pareto import Axis, Mark, Series, figure
from dashboard.figures.ticks import log_ticks
from results.analysis.ecdf import Ecdf
from results.analysis.side_by_side import Side
from results.queries.lean_points import RecipeRow
from results.queries.sides import Gathered

_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down")


@dataclass(frozen=True, slots=True)
class Look:
    """How one side is drawn everywhere; has what the template tag of a legend key reads."""

    name: str
    colour: Pair
    symbol: str
    dash: str
    halo: bool = False


def looks(sides: Sequence[Gathered]) -> tuple[Look, ...]:
    """Vendor gives the hue; where engine or precision do not tell sides apart, dash and shape count them."""
    families: dict[str, list[int]] = {}
    for place, side in enumerate(sides):
        families.setdefault(_family(side.recipes), []).append(place)
    colours = {
        place: colour
        for name, places in families.items()
        for place, colour in zip(places, ramp(name, len(places)), strict=True)
    }
    styles = [_style(side.recipes) for side in sides]
    if len(set(styles)) < len(styles):
        styles = [(_SYMBOLS[n % len(_SYMBOLS)], _DASHES[n % len(_DASHES)]) for n in range(len(sides))]
    return tuple(Look(side.name, colours[place], *styles[place]) for place, side in enumerate(sides))


def overlay(
    looked: Sequence[Look],
    sides: Sequence[Gathered],
    planes: Sequence[Side],
    axes: tuple[Axis, Axis],
    hover: Mapping[int, tuple[str, ...]],
) -> dict[str, Any]:
    """The line of each side is the one that is interpolated; ``hover`` holds the lines of text by point."""
    series = []
    for look, side, plane in zip(looked, sides, planes, strict=True):
        members = plane.frontier.ids
        marks = tuple(
            Mark(one.id, one.load, one.x, one.y, one.id in members, plane.kind == "valid", hover[one.id])
            for one in plane.candidates
            if one.x is not None and one.y is not None
        )
        line = plane.line.places() if plane.line is not None else ()
        series.append(Series(side.key, look.name, look.colour, look.symbol, look.dash, False, marks, line))
    drawn = figure(series, *axes)
    # The right ends of frontiers lie on the axis, so the names stand above them.
    for note in drawn["layout"]["annotations"]:
        note |= {"yanchor": "bottom", "yshift": 10}
    return drawn


def ecdf_figure(
    curves: Sequence[tuple[Look, Ecdf]], title: str, unit: str, share: str, *, log: bool
) -> dict[str, Any]:
    """Share of requests at or below each value, in steps, as it was measured."""
    values = [value for _look, curve in curves for value, _share in curve.steps if value > 0]
    places = f"%{{x:.4g}} {unit}<br>{percent('%{y:.1f}')}<extra></extra>"
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "lines",
                "name": escape(look.name),
                "x": [value for value, _share in curve.steps],
                "y": [round(100 * share, 4) for _value, share in curve.steps],
                "line": {"dash": look.dash, "width": 2, "shape": "hv"},
                "hovertemplate": f"{escape(look.name)}<br>{places}",
                "meta": {"light": look.colour.light, "dark": look.colour.dark},
            }
            for look, curve in curves
            if curve.steps
        ],
        "layout": {
            "xaxis": {
                "title": {"text": escape(with_unit(title, unit)), "standoff": 12},
                "type": "log" if log else "linear",
                "automargin": True,
                **(log_ticks(values) if log and values else {}),
            },
            "yaxis": {
                "title": {"text": escape(share), "standoff": 12},
                "range": [0, 102],
                "ticksuffix": percent(""),
                "automargin": True,
            },
        },
    }


def _family(recipes: Sequence[RecipeRow]) -> str:
    names = {family(recipe.vendor, recipe.kind) for recipe in recipes}
    return names.pop() if len(names) == 1 else "other"


def _style(recipes: Sequence[RecipeRow]) -> tuple[str, str]:
    shapes = {symbol(recipe.precision) for recipe in recipes}
    dashes = {dash(recipe.engine) for recipe in recipes}
    return (shapes.pop() if len(shapes) == 1 else "circle", dashes.pop() if len(dashes) == 1 else "solid")

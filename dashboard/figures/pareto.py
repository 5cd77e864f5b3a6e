"""The Explore scatter as a Plotly figure: one series per recipe, its frontier as a line. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

from dashboard.figures.colour import Pair

#: More texts than this cover each other.
_LABELLED = 60
_FADED = 0.4
#: More names than this beside their lines hide the lines.
_NAMED = 8


@dataclass(frozen=True, slots=True)
class Mark:
    """One point; ``lines`` is the hover text, already translated but not escaped."""

    id: int
    load: int
    x: float
    y: float
    on_frontier: bool
    eligible: bool
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one recipe; ``line`` holds the frontier's places in x order."""

    key: str
    name: str
    colour: Pair
    symbol: str
    dash: str
    halo: bool
    marks: tuple[Mark, ...]
    line: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Axis:
    title: str
    unit: str
    log: bool
    better: str


def figure(series: Sequence[Series], x: Axis, y: Axis) -> dict[str, Any]:
    """``{"data", "layout"}`` for Plotly. Colours are pairs for a light and a dark page: each trace's in its
    ``meta``, those of the annotations in the layout's.
    """
    shown = sum(len(one.marks) for one in series)
    lines = [_line(one) for one in series if len(one.line) > 1]
    halos = [_halo(one) for one in series if one.halo and one.marks]
    dots = [_dots(one, shown <= _LABELLED) for one in series if one.marks]
    named = [one for one in series if one.line] if len(series) <= _NAMED else []
    return {
        "data": [*halos, *lines, *dots],
        "layout": {
            "xaxis": _axis(x) | _ticks(x, [mark.x for one in series for mark in one.marks]),
            "yaxis": _axis(y) | _ticks(y, [mark.y for one in series for mark in one.marks]),
            "annotations": [_name(one, x, y) for one in named],
            "meta": [_colours(one) for one in named],
        },
    }


def escape(text: str) -> str:
    """Text that Plotly's own markup shows literally."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _colours(one: Series) -> dict[str, str]:
    return {"light": one.colour.light, "dark": one.colour.dark}


def _name(one: Series, x: Axis, y: Axis) -> dict[str, Any]:
    """The recipe's name below the right end of its line, so that nobody has to match colours."""
    place = max(one.line)
    return {
        # Annotations on a logarithmic axis take the exponent.
        "x": log10(place[0]) if x.log else place[0],
        "y": log10(place[1]) if y.log else place[1],
        "text": escape(one.name),
        "showarrow": False,
        "xanchor": "right",
        "yanchor": "top",
        "yshift": -8,
    }


def _line(one: Series) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [place[0] for place in one.line],
        "y": [place[1] for place in one.line],
        "line": {"dash": one.dash, "width": 2},
        "hoverinfo": "skip",
        "meta": _colours(one),
    }


def _halo(one: Series) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [mark.x for mark in one.marks],
        "y": [mark.y for mark in one.marks],
        "marker": {"symbol": "circle", "size": 24, "opacity": 0.22},
        "hoverinfo": "skip",
        "meta": _colours(one),
    }


def _dots(one: Series, labelled: bool) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text" if labelled else "markers",
        "name": escape(one.name),
        "x": [mark.x for mark in one.marks],
        "y": [mark.y for mark in one.marks],
        "text": [str(mark.load) for mark in one.marks],
        "textposition": "top center",
        "textfont": {"size": 12},
        "customdata": [mark.id for mark in one.marks],
        "hovertext": ["<br>".join(escape(line) for line in mark.lines) for mark in one.marks],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {
            "symbol": [one.symbol if mark.eligible else f"{one.symbol}-open" for mark in one.marks],
            "size": 11,
            "line": {"width": 2},
            "opacity": [1 if mark.on_frontier or not one.line else _FADED for mark in one.marks],
        },
        "meta": _colours(one),
    }


def _axis(axis: Axis) -> dict[str, Any]:
    title = f"{escape(axis.title)} ({escape(axis.unit)})"
    if axis.better:
        title = f"{title} · {escape(axis.better)}"
    return {
        "title": {"text": title, "standoff": 12},
        "type": "log" if axis.log else "linear",
        "rangemode": "normal" if axis.log else "tozero",
        "automargin": True,
    }


def _ticks(axis: Axis, values: Sequence[float]) -> dict[str, Any]:
    """Full numbers at 1, 2 and 5 of every decade of a logarithmic axis; at 1 alone over many decades."""
    if not axis.log or not values:
        return {}
    decades = range(floor(log10(min(values))) - 1, ceil(log10(max(values))) + 2)
    steps = (1, 2, 5) if len(decades) <= 6 else (1,)
    places = [float(f"{step}e{decade}") for decade in decades for step in steps]
    texts = [f"{place:,.0f}" if place >= 1 else f"{place:.{-floor(log10(place))}f}" for place in places]
    return {"tickmode": "array", "tickvals": places, "ticktext": texts}

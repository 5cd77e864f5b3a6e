"""Hit rates of one configuration against load, the cliff of device memory marked."""

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

from dashboard.figures.colour import Pair, family, oklch, ramp
from dashboard.figures.escaping import escape
from dashboard.figures.numbers import percent
from results.queries.cache_rates import Family, LoadRates

#: Trace, dash, symbol; the order is that of the legend.
TRACES = (
    ("theoretical", "dot", "triangle-up"),
    ("overall", "dash", "diamond"),
    ("device", "solid", "circle"),
)
_THEORY = Pair(oklch(0.45, 0.0, 0), oklch(0.75, 0.0, 0))


def rates_figure(found: Family, words: Mapping[str, str], load: str, share: str) -> dict[str, Any]:
    """``words`` names each trace and offload. A line joins loads of one offload, which its marks tell.

    The unlimited cache is the same with and without offload.
    """
    colours = ramp(family(found.recipe.vendor, found.recipe.kind), 3)
    pairs = {"theoretical": _THEORY, "overall": colours[2], "device": colours[0]}
    modes = found.offloads
    data = []
    for name, dash, symbol in TRACES:
        for mode in modes[:1] if name == "theoretical" else modes:
            members = [one for one in found.loads if one.offload == mode]
            text = (
                words[name] if len(modes) == 1 or name == "theoretical" else f"{words[name]}, {words[mode]}"
            )
            data.append(_trace(members, name, dash, symbol + marks_of(found, mode), pairs[name], text))
    return {
        "data": [trace for trace in data if trace["x"]],
        "layout": {
            "xaxis": load_axis(found, load),
            "yaxis": {
                "title": {"text": escape(share), "standoff": 12},
                "range": [0, 104],
                "ticksuffix": percent(""),
                "automargin": True,
            },
            **marked(found, words["cliff"]),
        },
    }


def marks_of(found: Family, offload: str) -> str:
    """Suffix of a symbol: hollow without offload, filled with one, and with a dot for every other."""
    filled = [one for one in found.offloads if one != "none"]
    if offload not in filled:
        return "-open"
    return "" if offload == filled[0] else "-open-dot"


def load_axis(found: Family, title: str) -> dict[str, Any]:
    """Loads that were measured, on a scale of ratios."""
    loads = sorted({one.load for one in found.loads})
    return {
        "title": {"text": escape(title), "standoff": 12},
        "type": "log",
        "tickmode": "array",
        "tickvals": loads,
        "ticktext": [f"{one:,}" for one in loads],
        "automargin": True,
    }


def _trace(
    loads: Sequence[LoadRates], name: str, dash: str, symbol: str, colour: Pair, text: str
) -> dict[str, Any]:
    known = [(one, value) for one in loads if (value := getattr(one, name)) is not None]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escape(text),
        "x": [one.load for one, _value in known],
        "y": [round(100 * value, 4) for _one, value in known],
        "customdata": [one.points[0].id for one, _value in known],
        "hovertext": [f"{escape(text)}<br>KV {escape(one.offload)}" for one, _value in known],
        "hovertemplate": "%{hovertext}<br>%{x} · " + percent("%{y:.1f}") + "<extra></extra>",
        "line": {"dash": dash, "width": 2},
        "marker": {
            "symbol": symbol,
            "size": 10,
            "line": {"width": 2},
        },
        "meta": {"light": colour.light, "dark": colour.dark},
    }


def marked(found: Family, text: str) -> dict[str, Any]:
    """A line between the last load that the device cache held and the first that it did not."""
    if found.cliff is None:
        return {"annotations": [], "meta": [], "shapes": []}
    x = (found.cliff.before * found.cliff.at) ** 0.5
    line = {"type": "line", "xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1}
    note = {
        "x": log10(x),
        "y": 1,
        "yref": "paper",
        "text": escape(text),
        "showarrow": False,
        "xanchor": "center",
        "yanchor": "bottom",
    }
    return {"annotations": [note], "meta": [None], "shapes": [line | {"line": {"dash": "dash", "width": 1}}]}

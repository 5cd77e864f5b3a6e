"""A series over time with the builds on its axis and the change points across it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from dashboard.figures.colour import Pair
from dashboard.figures.escaping import escape
from dashboard.figures.numbers import with_unit
from dashboard.figures.pareto import Axis
from results.analysis.history import Observed, short_version

#: Build names that fit on the axis.
_TICKS = 7


@dataclass(frozen=True, slots=True)
class Line:
    """A change point: where, how it reads, and whether somebody stands behind it."""

    at: datetime
    text: str
    sure: bool


def over_time_figure(
    observed: Sequence[Observed], hover: Sequence[str], colour: Pair, axis: Axis, lines: Sequence[Line]
) -> dict[str, Any]:
    """Measured values as filled marks, interpolated ones as hollow marks; nothing is continued to today."""
    trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [one.at.isoformat() for one in observed],
        "y": [one.value for one in observed],
        "customdata": [one.points[0] for one in observed],
        "hovertext": list(hover),
        "hovertemplate": "%{hovertext}<extra></extra>",
        "line": {"width": 2, "shape": "linear"},
        "marker": {
            "symbol": ["circle-open" if one.interpolated else "circle" for one in observed],
            "size": 9,
            "line": {"width": 2},
        },
        "meta": {"light": colour.light, "dark": colour.dark},
    }
    title = escape(with_unit(axis.title, axis.unit)) + (f" · {axis.better}" if axis.better else "")
    places = _ticks(observed)
    return {
        "data": [trace] if observed else [],
        "layout": {
            "xaxis": {
                "title": {"text": "UTC", "standoff": 8},
                "type": "date",
                "tickmode": "array",
                "tickvals": [one.at.isoformat() for one in places],
                "ticktext": [f"{one.at:%Y-%m-%d}<br>{escape(short_version(one.version))}" for one in places],
                "automargin": True,
            },
            "yaxis": {"title": {"text": title, "standoff": 12}, "rangemode": "tozero", "automargin": True},
            "shapes": [_shape(line) for line in lines],
            "annotations": [_note(line) for line in lines],
            "meta": [None for _line in lines],
        },
    }


def _ticks(observed: Sequence[Observed]) -> list[Observed]:
    """The first observation of each build, as far as their names stand clear of each other."""
    if not observed:
        return []
    span = (observed[-1].at - observed[0].at).total_seconds()
    gap = span / _TICKS
    kept: list[Observed] = [observed[0]]
    for before, after in pairwise(observed):
        apart = (after.at - kept[-1].at).total_seconds()
        if after.version != before.version and apart >= gap > 0:
            kept.append(after)
    return kept


def _shape(line: Line) -> dict[str, Any]:
    at = line.at.isoformat()
    style = {"dash": "solid" if line.sure else "dot", "width": 1}
    return {"type": "line", "xref": "x", "yref": "paper", "x0": at, "x1": at, "y0": 0, "y1": 1, "line": style}


def _note(line: Line) -> dict[str, Any]:
    return {
        "x": line.at.isoformat(),
        "y": 1,
        "yref": "paper",
        "text": escape(line.text),
        "showarrow": False,
        "xanchor": "center",
        "yanchor": "bottom",
    }

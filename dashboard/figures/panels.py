"""Several panels with the same axes in one figure (small multiples). Pure."""

from collections.abc import Sequence
from typing import Any

from dashboard.figures.escaping import escape

#: More panels than this are too small to read.
MOST = 12
_WIDE = 3
#: Pixels of a panel with its title, and of what stands around all.
_HEIGHT, _REST = 250, 90


def axis_id(letter: str, panel: int) -> str:
    """How traces and annotations name the axis of a panel; panels count from 1."""
    return letter if panel == 1 else f"{letter}{panel}"


def on(panel: int) -> dict[str, str]:
    """What puts a trace into a panel; nothing for the first one."""
    return {} if panel == 1 else {"xaxis": axis_id("x", panel), "yaxis": axis_id("y", panel)}


def panelled(x: dict[str, Any], y: dict[str, Any], count: int) -> dict[str, Any]:
    """The layout's axes; of several panels all have the same range, and titles stand at the edge.

    A narrow page puts them below each other.
    """
    if count == 1:
        return {"xaxis": x, "yaxis": y}
    columns = 2 if count in (2, 4) else _WIDE
    rows = -(-count // columns)
    layout: dict[str, Any] = {
        "grid": {"rows": rows, "columns": columns, "pattern": "independent", "xgap": 0.05, "ygap": 0.26},
        "height": rows * _HEIGHT + _REST,
    }
    for panel in range(1, count + 1):
        lowest, leftmost = panel + columns > count, panel % columns == 1
        layout[f"{axis_id('xaxis', panel)}"] = _of(x, "x", panel, titled=lowest)
        layout[f"{axis_id('yaxis', panel)}"] = _of(y, "y", panel, titled=leftmost)
    return layout


def titles(panels: Sequence[str]) -> list[dict[str, Any]]:
    """What each panel shows, above its left corner."""
    return [
        {
            "xref": f"{axis_id('x', panel)} domain",
            "yref": f"{axis_id('y', panel)} domain",
            "x": 0,
            "y": 1,
            "xanchor": "left",
            "yanchor": "bottom",
            "yshift": 4,
            "text": escape(title),
            "showarrow": False,
        }
        for panel, title in enumerate(panels, start=1)
    ]


def _of(axis: dict[str, Any], letter: str, panel: int, *, titled: bool) -> dict[str, Any]:
    own = dict(axis) if titled else {**axis, "title": {**axis["title"], "text": ""}}
    if letter == "y" and not titled:
        own["showticklabels"] = False
    return own | ({"matches": letter} if panel > 1 else {}) | {"nticks": 5}

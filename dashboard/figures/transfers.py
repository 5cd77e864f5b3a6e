"""Rate of a transfer against its size, of the slowest GPU, with lowest and highest. Pure."""

from collections.abc import Mapping
from typing import Any

from dashboard.figures.numbers import binary, scaled
from dashboard.figures.pareto import escape
from dashboard.figures.point.chart import COLOURS
from results.documents.probe import OF_LINK, Measured, Probe

#: Colour, dash and symbol of each kind: the hue is the direction, the dash the kind of memory.
_LOOKS = {
    "host_to_device_pinned": ("blue", "solid", "circle"),
    "device_to_host_pinned": ("orange", "solid", "diamond"),
    "host_to_device_pageable": ("blue", "dot", "circle-open"),
    "device_to_host_pageable": ("orange", "dot", "diamond-open"),
}
_GIGA = 1e9


def slowest(probe: Probe, name: str) -> dict[int, Measured]:
    """By size, the GPU with the least median: what a job may count on wherever it runs."""
    found: dict[int, Measured] = {}
    for row in probe.rates():
        one = row.measured
        if row.name != name or one.bytes is None:
            continue
        if one.bytes not in found or one.median < found[one.bytes].median:
            found[one.bytes] = one
    return dict(sorted(found.items()))


def transfers_figure(probe: Probe, words: Mapping[str, str], size: str, rate: str) -> dict[str, Any]:
    """``words`` names the kinds of transfer, ``size`` and ``rate`` the axes."""
    by_kind = {name: slowest(probe, name) for name in OF_LINK}
    sizes = sorted({size for found in by_kind.values() for size in found})
    return {
        "data": [_trace(name, found, words[name]) for name, found in by_kind.items() if found],
        "layout": {
            "xaxis": {
                "title": {"text": escape(size), "standoff": 12},
                "type": "log",
                "tickmode": "array",
                "tickvals": sizes,
                # Number above unit: narrow screens keep them upright.
                "ticktext": [binary(one).replace(" ", "<br>") for one in sizes],
                "tickangle": 0,
                "automargin": True,
            },
            "yaxis": {
                "title": {"text": escape(rate), "standoff": 12},
                "rangemode": "tozero",
                "automargin": True,
            },
        },
    }


def _trace(name: str, found: Mapping[int, Measured], word: str) -> dict[str, Any]:
    colour, dash, symbol = _LOOKS[name]
    light, dark = COLOURS[colour]
    rates = list(found.values())
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escape(word),
        "x": list(found),
        "y": [one.median / _GIGA for one in rates],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [(one.highest - one.median) / _GIGA for one in rates],
            "arrayminus": [(one.median - one.lowest) / _GIGA for one in rates],
            "thickness": 1,
            "width": 3,
        },
        "hovertext": [
            f"{escape(word)}<br>{binary(size)}: {scaled(one.median, 'B/s')}<br>"
            f"{scaled(one.lowest, 'B/s')} – {scaled(one.highest, 'B/s')}, n = {one.repeats}"
            for size, one in found.items()
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "line": {"dash": dash, "width": 2},
        "marker": {"symbol": symbol, "size": 8, "line": {"width": 2}},
        "meta": {"light": light, "dark": dark},
    }

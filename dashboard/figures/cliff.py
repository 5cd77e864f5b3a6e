"""What the end of device memory does: latency, throughput and memory against load, by offload mode. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.figures.colour import family, ramp
from dashboard.figures.numbers import short
from dashboard.figures.pareto import escape
from dashboard.figures.rates import load_axis, marked, marks_of
from results.queries.cache_rates import Family, LoadRates

GIBIBYTE = 2**30
#: Chart -> field of a load and what it is divided by.
CHARTS = {"ttft": ("ttft", 1.0), "throughput": ("throughput", 1.0), "memory": ("working_set", GIBIBYTE)}
#: Suffix of a mark -> dash of its line.
_DASHES = {"-open": "solid", "": "dash", "-open-dot": "dot"}


def cliff_figure(found: Family, chart: str, words: Mapping[str, str], load: str, axis: str) -> dict[str, Any]:
    """One of ``CHARTS``; ``words`` names the modes, the cliff and the limits of memory."""
    field, unit = CHARTS[chart]
    modes = found.offloads
    colours = ramp(family(found.recipe.vendor, found.recipe.kind), len(modes))
    data = []
    for mode, colour in zip(modes, colours, strict=True):
        members = [one for one in found.loads if one.offload == mode]
        trace = _trace(members, field, unit, words[mode], marks_of(found, mode))
        data.append(trace | {"meta": {"light": colour.light, "dark": colour.dark}})
    layout = {
        "xaxis": load_axis(found, load),
        "yaxis": {"title": {"text": escape(axis), "standoff": 12}, "rangemode": "tozero", "automargin": True},
        **marked(found, words["cliff"]),
    }
    if chart == "memory":
        _limits(layout, found, words)
    return {"data": [trace for trace in data if trace["x"]], "layout": layout}


def _trace(members: Sequence[LoadRates], field: str, unit: float, name: str, suffix: str) -> dict[str, Any]:
    known = [(one, value / unit) for one in members if (value := getattr(one, field)) is not None]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escape(name),
        "x": [one.load for one, _value in known],
        "y": [value for _one, value in known],
        "customdata": [one.points[0].id for one, _value in known],
        "hovertext": [
            f"{escape(name)}<br>{one.load} · {short(value)} · n = {len(one.points)}" for one, value in known
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "line": {"dash": _DASHES[suffix], "width": 2},
        "marker": {"symbol": f"circle{suffix}", "size": 9, "line": {"width": 2}},
    }


def _limits(layout: dict[str, Any], found: Family, words: Mapping[str, str]) -> None:
    """Level lines: what device memory holds, and what each host tier may hold."""
    tiers = [(words["tier"], size) for size in sorted(set(found.host_tier.values()))]
    pool = [] if found.pool is None else [(words["pool"], found.pool)]
    for name, size in pool + tiers:
        y = size / GIBIBYTE
        line = {"type": "line", "xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": y, "y1": y}
        layout["shapes"] = [*layout["shapes"], line | {"line": {"dash": "dot", "width": 1}}]
        note = {"x": 0, "xref": "paper", "y": y, "yref": "y", "text": escape(f"{name} {short(y)} GiB"),
                "showarrow": False, "xanchor": "left", "yanchor": "bottom", "xshift": 4}  # fmt: skip
        layout["annotations"] = [*layout["annotations"], note]
        layout["meta"] = [*layout["meta"], None]

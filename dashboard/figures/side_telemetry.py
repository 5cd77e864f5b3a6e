"""What engines and GPUs of several sides did, below each other on one clock."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.figures.escaping import escape
from dashboard.figures.numbers import percent, with_unit
from dashboard.figures.point.sheet import Sheet
from dashboard.figures.side_figures import Look
from results.analysis.column_file import PointColumns
from results.analysis.over_time import share, spread

Array = NDArray[Any]

#: What is drawn, from top to bottom, and its unit.
QUANTITIES: Mapping[str, str] = {
    "kv_usage": "", "running": "req", "waiting": "req", "hit_rate": "", "power": "W",
}  # fmt: skip
#: Samples, one a second, over which a share is taken.
_WIDTH = 15
_DIGITS = 5
#: Height of a panel, of the space between two, and of all that is no panel, in pixels.
_PANEL, _GAP, _REST = 150, 26, 84


@dataclass(frozen=True, slots=True)
class Course:
    """``at`` in seconds since the first profiled request was sent; ``values`` as many."""

    at: Array
    values: Array


def courses(columns: PointColumns) -> dict[str, Course]:
    """The quantities that were recorded while the load was measured, thinned to what a screen shows."""
    sheet = Sheet(columns, {})
    found = {name: (at, values) for name, at, values in (*_engine(columns), *_power(columns))}
    return {name: course for name, (at, values) in found.items() if (course := _course(sheet, at, values))}


def telemetry_figure(
    sides: Sequence[tuple[Look, Mapping[str, Course]]], titles: Mapping[str, str], time: str
) -> dict[str, Any]:
    """A panel for each quantity that any side recorded; all share one time axis."""
    present = [name for name in QUANTITIES if any(name in courses for _look, courses in sides)]
    data = [
        _trace(look, courses[name], place, titles[name], QUANTITIES[name])
        for place, name in enumerate(present, start=1)
        for look, courses in sides
        if name in courses
    ]
    height = len(present) * (_PANEL + _GAP) + _REST
    bottom = "y" if len(present) < 2 else f"y{len(present)}"
    axis = {"title": {"text": escape(time), "standoff": 8}, "anchor": bottom, "automargin": True}
    layout: dict[str, Any] = {"xaxis": axis | {"type": "linear"}, "height": height}
    for place, name in enumerate(present):
        layout["yaxis" if not place else f"yaxis{place + 1}"] = _y(name, titles[name], place, len(present))
    return {"data": data, "layout": layout}


def _engine(columns: PointColumns) -> Iterator[tuple[str, Array, Array]]:
    engine = columns.engine
    if engine is None or len(engine.at) < 2:
        return
    usage = list(engine.each("kv_usage").values())
    if usage:
        # The mean over the engines that say something.
        yield "kv_usage", engine.at, np.ma.masked_invalid(usage).mean(axis=0).filled(np.nan)
    for name in ("running", "waiting"):
        if name in engine.columns:
            yield name, engine.at, engine.columns[name]
    cached = [engine.columns[key] for key in ("cached", "cached_local", "cached_external")
              if key in engine.columns]  # fmt: skip
    if cached and "computed" in engine.columns:
        hits = np.sum(cached, axis=0)
        yield "hit_rate", engine.at, share(hits, hits + engine.columns["computed"], _WIDTH)


def _power(columns: PointColumns) -> Iterator[tuple[str, Array, Array]]:
    """The sum over the GPUs; each one's samples are read off at the times of the first one."""
    gpus = [] if columns.gpu is None else list(columns.gpu.gpus.values())
    measured = [gpu for gpu in gpus if np.isfinite(gpu["power_watts"]).any()]
    if measured and len(measured) == len(gpus):
        at = measured[0]["at"]
        known = [(gpu["at"], gpu["power_watts"], np.isfinite(gpu["power_watts"])) for gpu in measured]
        yield "power", at, np.sum([np.interp(at, x[good], y[good]) for x, y, good in known], axis=0)


def _course(sheet: Sheet, at: Array, values: Array) -> Course | None:
    times, inside = sheet.samples(at)
    if not len(inside) or not np.isfinite(values[inside]).any():
        return None
    places = inside[spread(len(inside))]
    return Course(times[places], values[places])


def _trace(look: Look, course: Course, place: int, title: str, unit: str) -> dict[str, Any]:
    value = f"%{{y:.4~g}} {unit}" if unit else percent("%{y:.1f}")
    values = course.values if unit else 100 * course.values
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(look.name),
        "x": [round(float(one), 1) for one in course.at],
        "y": [None if np.isnan(one) else float(f"{one:.{_DIGITS}g}") for one in values.tolist()],
        "xaxis": "x",
        "yaxis": "y" if place == 1 else f"y{place}",
        "line": {"dash": look.dash, "width": 1.5},
        "hovertemplate": f"{escape(look.name)}<br>{escape(title)} {value}<br>%{{x:.0f}} s<extra></extra>",
        "meta": {"light": look.colour.light, "dark": look.colour.dark},
    }


def _y(name: str, title: str, place: int, count: int) -> dict[str, Any]:
    whole = count * (_PANEL + _GAP) - _GAP
    top = 1 - place * (_PANEL + _GAP) / whole
    unit = QUANTITIES[name]
    text = escape(with_unit(title, unit))
    shares = {"rangemode": "tozero"} if unit else {"range": [0, 102], "ticksuffix": percent("")}
    return {
        "title": {"text": text, "standoff": 12},
        "domain": [max(0.0, top - _PANEL / whole), top],
        "nticks": 4,
        "automargin": True,
        **shares,
    }

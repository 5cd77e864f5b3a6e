"""The Explore scatter as a Plotly figure: one series per line, its frontier drawn through. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

from dashboard.figures.colour import Pair
from dashboard.figures.escaping import escape
from dashboard.figures.frame import framed
from dashboard.figures.numbers import unit_text, with_unit
from dashboard.figures.panels import axis_id, on, panelled, titles
from dashboard.figures.ticks import along, clear, log_ticks

#: More texts than this cover each other.
_LABELLED = 60
#: Longer texts, such as those of parallelism, do so sooner.
_LETTERS = 240
_FADED = 0.4
#: Size of the marks of another layer; those of the first are 11.
_FAINT = 7
#: More names than this beside their lines hide the lines.
_NAMED = 6
#: Names of lines that end closer than this, as a share of each axis, cover each other.
_CLEAR = (0.2, 0.06)
#: Drawn lines need no more digits than a screen has places.
_DIGITS = 6
_NEUTRAL = Pair("#16191d", "#e7eaed")


@dataclass(frozen=True, slots=True)
class Mark:
    """One point; ``lines`` are hover lines of its own, already translated but not escaped.

    ``label`` stands beside it, the load unless another is given; ``symbol`` is that of its series unless
    given. ``ring`` when the AgentX rule has it on its frontier too.
    """

    id: int
    load: int
    x: float
    y: float
    on_frontier: bool
    eligible: bool
    lines: tuple[str, ...]
    label: str | None = None
    symbol: str = ""
    halo: bool = False
    ring: bool = False

    @property
    def text(self) -> str:
        return str(self.load) if self.label is None else self.label


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one entry on one scenario; ``line`` holds places in x order.

    ``halo`` counts for all marks. ``about`` are hover lines that all its points share; with it Plotly writes
    the numbers of a point between the two, without it they stand in the point's own lines. ``panel`` counts
    from 1 where a figure has several; ``faint`` is what lies over another layer.
    """

    key: str
    name: str
    colour: Pair
    symbol: str
    dash: str
    halo: bool
    marks: tuple[Mark, ...]
    line: tuple[tuple[float, float], ...]
    about: tuple[str, ...] | None = None
    panel: int = 1
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    title: str
    unit: str
    log: bool
    better: str


@dataclass(frozen=True, slots=True)
class Extras:
    """What lies over the points: lines over all series, and the x of the ruler; ``panels`` are titles."""

    overall: tuple[tuple[tuple[float, float], ...], ...] = ()
    ruler: float | None = None
    panels: tuple[str, ...] = ()


def figure(series: Sequence[Series], x: Axis, y: Axis, extras: Extras | None = None) -> dict[str, Any]:
    """``{"data", "layout"}`` for Plotly. Colours are pairs for a light and a dark page: each trace's in its
    ``meta``, those of the annotations in the layout's.
    """
    extras = extras or Extras()
    labels = [mark.text for one in series for mark in one.marks if mark.text]
    labelled = len(labels) <= _LABELLED and sum(map(len, labels)) <= _LETTERS
    halos = [trace | on(one.panel) for one in series for trace in _halo(one)]
    lines = [_line(one) | on(one.panel) for one in series if len(one.line) > 1]
    dots = [_dots(one, x, y, labelled=labelled) | on(one.panel) for one in series if one.marks]
    rings = [trace | on(one.panel) for one in series for trace in _rings(one)]
    numbers = range(1, max(1, len(extras.panels)) + 1)
    overall = [_all(line) | on(panel) for panel in numbers for line in extras.overall]
    named = [one for one in series if one.line and not one.faint]
    named = [] if extras.panels or len(named) > _NAMED else _apart(named, x, y)
    axes = (
        _axis(x) | _ticks(x, [mark.x for one in series for mark in one.marks]),
        _axis(y) | _ticks(y, [mark.y for one in series for mark in one.marks]),
    )
    if extras.panels:
        # The sentence above the chart names the metrics in full.
        axes[0]["title"]["text"] = escape(with_unit(x.title, x.unit))
        axes[1]["title"]["text"] = escape(unit_text(y.unit))
    drawn: dict[str, Any] = {
        "data": [*halos, *lines, *overall, *rings, *dots],
        "layout": {
            **panelled(*axes, len(numbers)),
            "annotations": [_name(one, x, y) for one in named] or titles(extras.panels),
            "meta": [_colours(one.colour) for one in named] or [None for _title in extras.panels],
            "shapes": [_ruler(extras.ruler, panel) for panel in numbers] if extras.ruler is not None else [],
        },
    }
    return framed(drawn)


def _apart(named: Sequence[Series], x: Axis, y: Axis) -> list[Series]:
    """Lines whose names do not cover each other; the legend has them all."""
    if not named:
        return []
    ends = [(along(a, log=x.log), along(b, log=y.log)) for a, b in (max(one.line) for one in named)]
    every = [(along(a, log=x.log), along(b, log=y.log)) for one in named for a, b in one.line]
    wide, high = (max(ends) - min(ends) or 1.0 for ends in zip(*every, strict=True))
    free = clear(ends, (wide, high), _CLEAR)
    return [one for one, alone in zip(named, free, strict=True) if alone]


def _colours(colour: Pair) -> dict[str, str]:
    return {"light": colour.light, "dark": colour.dark}


def _name(one: Series, x: Axis, y: Axis) -> dict[str, Any]:
    """The series' name below the right end of its line, so that nobody has to match colours."""
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
        **_coordinates(one.line),
        "line": {"dash": one.dash, "width": 1 if one.faint else 2},
        "hoverinfo": "skip",
        "meta": _colours(one.colour),
    }


def _all(line: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Straight between winners of different recipes: nobody can run what lies between them."""
    return {
        "type": "scatter",
        "mode": "lines",
        **_coordinates(line),
        "line": {"dash": "dot", "width": 3},
        "opacity": 0.5,
        "hoverinfo": "skip",
        "meta": _colours(_NEUTRAL),
    }


def _coordinates(line: Sequence[tuple[float, float]]) -> dict[str, list[float]]:
    return {"x": [_rounded(x) for x, _y in line], "y": [_rounded(y) for _x, y in line]}


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _halo(one: Series) -> Iterator[dict[str, Any]]:
    marks = [mark for mark in one.marks if mark.halo or one.halo]
    if marks:
        marker = {"symbol": "circle", "size": 24, "opacity": 0.22}
        yield _under(marks, marker, one.colour)


def _rings(one: Series) -> Iterator[dict[str, Any]]:
    marks = [mark for mark in one.marks if mark.ring]
    if marks:
        marker = {"symbol": "circle-open", "size": 19, "line": {"width": 1.5}}
        yield _under(marks, marker, _NEUTRAL)


def _under(marks: Sequence[Mark], marker: dict[str, Any], colour: Pair) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [mark.x for mark in marks],
        "y": [mark.y for mark in marks],
        "marker": marker,
        "hoverinfo": "skip",
        "meta": _colours(colour),
    }


def _dots(one: Series, x: Axis, y: Axis, *, labelled: bool) -> dict[str, Any]:
    faded = bool(one.line) and any(not mark.on_frontier for mark in one.marks)
    return {
        "type": "scatter",
        "mode": "markers+text" if labelled and any(mark.text for mark in one.marks) else "markers",
        "name": escape(one.name),
        "x": [mark.x for mark in one.marks],
        "y": [mark.y for mark in one.marks],
        "text": [mark.text for mark in one.marks],
        "textposition": "top center",
        "textfont": {"size": 12},
        "cliponaxis": False,
        "customdata": [mark.id for mark in one.marks],
        "hovertext": ["<br>".join(escape(line) for line in mark.lines) for mark in one.marks],
        "hovertemplate": "%{hovertext}<extra></extra>" if one.about is None else _template(x, y),
        "marker": {
            "symbol": _same([_symbol(one, mark) for mark in one.marks]),
            "size": _FAINT if one.faint else 11,
            "line": {"width": 1 if one.faint else 2},
            "opacity": [1 if mark.on_frontier else _FADED for mark in one.marks] if faded else 1,
        },
        # A picture's legend draws mark and line together.
        "meta": {**_colours(one.colour), "dash": one.dash, "about": _lines_of(one.about or ())},
    }


def _lines_of(texts: Sequence[str]) -> str:
    return "<br>".join(escape(text) for text in texts)


def _symbol(one: Series, mark: Mark) -> str:
    name = mark.symbol or one.symbol
    return name if mark.eligible else f"{name}-open"


def _same(values: list[str]) -> list[str] | str:
    """One text stands for a list of equal ones."""
    return values[0] if len(set(values)) == 1 else values


def _template(x: Axis, y: Axis) -> str:
    """Plotly fills the numbers in, so that no text of them is sent beside them."""
    numbers = (
        f"{escape(axis.title)}: %{{{name}:,.3~r}} {escape(unit_text(axis.unit))}"
        for name, axis in (("x", x), ("y", y))
    )
    return "<br>".join(("%{hovertext}", *numbers, "%{meta.about}")) + "<extra></extra>"


def _ruler(place: float, panel: int) -> dict[str, Any]:
    """Across the whole height of a panel at one x; the page gives it a colour."""
    refs = {"xref": axis_id("x", panel), "yref": f"{axis_id('y', panel)} domain"}
    return {"type": "line", **refs, "y0": 0, "y1": 1, "x0": place, "x1": place}


def _axis(axis: Axis) -> dict[str, Any]:
    title = escape(with_unit(axis.title, axis.unit))
    if axis.better:
        title = f"{title} · {escape(axis.better)}"
    return {
        "title": {"text": title, "standoff": 12},
        "type": "log" if axis.log else "linear",
        "rangemode": "normal" if axis.log else "tozero",
        "automargin": True,
    }


def _ticks(axis: Axis, values: Sequence[float]) -> dict[str, Any]:
    return log_ticks(values) if axis.log and values else {}

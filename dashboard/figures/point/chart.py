"""One chart of the point page: lines and dots with names, and the table that says the same. Pure."""

from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.figures.escaping import escape
from dashboard.figures.numbers import with_unit
from results.analysis.over_time import spread

Array = NDArray[Any]

#: Rows of a table twin; the CSV has all.
_ROWS = 20
#: Colours for a light and a dark page; dash and symbol tell the lines apart without them.
COLOURS = {
    "blue": ("#0b57a4", "#7db7f2"),
    "orange": ("#a34700", "#f2a05c"),
    "green": ("#11683f", "#6cc79a"),
    "purple": ("#6d3b9c", "#c4a1ec"),
    "grey": ("#565f68", "#a3abb3"),
}
_CYCLE = tuple(COLOURS)
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


@dataclass(frozen=True, slots=True)
class Axis:
    """``top`` fixes the end of an axis that starts at 0: a share ends at 1 whatever was measured."""

    title: str
    unit: str
    top: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """``kind`` is lines, markers or area (stacked on the line before)."""

    name: str
    x: Array
    y: Array
    colour: str
    kind: str = "lines"
    dash: str = "solid"
    symbol: str = "circle"


@dataclass(frozen=True, slots=True)
class Chart:
    """``sentence`` says what is drawn and what is left out; ``csv`` names the table that has every row."""

    key: str
    title: str
    sentence: str
    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    csv: str

    def to_json(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "x": {"title": _titled(self.x)},
            "y": {"title": _titled(self.y), "top": self.y.top},
            "lines": [_line(line) for line in self.lines],
        }

    @property
    def drawn(self) -> tuple[Line, ...]:
        """The lines of the table: dots are the requests, which have a table of their own."""
        return tuple(line for line in self.lines if line.kind != "markers")

    def rows(self) -> list[tuple[float, list[float | None]]]:
        """At most ``_ROWS`` places of the lines, which share their x; an absent value is None."""
        lines = self.drawn
        if not lines:
            return []
        places = spread(len(lines[0].x), _ROWS)
        return [(float(lines[0].x[place]), [_present(line.y[place]) for line in lines]) for place in places]


def numbered(place: int) -> tuple[str, str]:
    """Colour and dash of the n-th of several like lines."""
    return _CYCLE[place % len(_CYCLE)], _DASHES[(place + place // len(_CYCLE)) % len(_DASHES)]


def compact(values: Array, digits: int = 5) -> list[float | None]:
    """Numbers with ``digits`` significant digits; a chart cannot show more. NaN becomes None."""
    return [None if isnan(value) else float(f"{value:.{digits}g}") for value in values.tolist()]


def _titled(axis: Axis) -> str:
    return escape(with_unit(axis.title, axis.unit))


def _line(line: Line) -> dict[str, Any]:
    light, dark = COLOURS[line.colour]
    return {
        "name": escape(line.name),
        "kind": line.kind,
        "light": light,
        "dark": dark,
        "dash": line.dash,
        "symbol": line.symbol,
        "x": compact(line.x, 7),
        "y": compact(line.y),
    }


def _present(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None

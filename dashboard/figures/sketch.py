"""A figure as SVG that stands in the page itself: seen before any script runs, and where none does. Pure.

It is drawn from what Plotly is given and from nothing else. A page of any width stretches it: places are
shares of the drawing area, while marks, strokes and texts keep their size. Colours are pairs of which the
page's theme chooses one. What only a wide or only a narrow page has room for says so by its class.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from html import escape, unescape
from itertools import pairwise
from math import log10
from typing import Any

from dashboard.figures.frame import ticks

#: It stands for a moment only: of more marks than this, those beside the frontiers are an even sample.
MOST = 300
#: How many ticks Plotly puts on an axis of a wide page and of a narrow one.
_WIDE, _NARROW = {"x": 10, "y": 10}, {"x": 5, "y": 8}
#: Steps across the drawing area: a tenth of a pixel on the widest page.
_GRID = 10_000
_STRETCHED = f'<svg viewBox="0 0 {_GRID} {_GRID}" preserveAspectRatio="none">'
_DASHES = {"dash": "9", "dot": "3", "dashdot": "9 3 3 3", "longdash": "15"}
#: Outlines around the middle of a mark, as Plotly draws them; the radius comes in.
_OUTLINES: Mapping[str, Callable[[float], str]] = {
    "circle": lambda r: f"M{-r:g} 0a{r:g} {r:g} 0 1 1 {2 * r:g} 0a{r:g} {r:g} 0 1 1 {-2 * r:g} 0z",
    "square": lambda r: f"M{-r:g} {-r:g}H{r:g}V{r:g}H{-r:g}z",
    "diamond": lambda r: f"M{1.3 * r:g} 0L0 {1.3 * r:g}L{-1.3 * r:g} 0L0 {-1.3 * r:g}z",
    "triangle-up": lambda r: f"M{-1.155 * r:g} {r / 2:g}H{1.155 * r:g}L0 {-r:g}z",
    "triangle-down": lambda r: f"M{-1.155 * r:g} {-r / 2:g}H{1.155 * r:g}L0 {r:g}z",
}

Place = tuple[float, float]


def sketch(figure: dict[str, Any]) -> str:
    """One ``<svg>``; nothing for a figure whose axes have no range or that has several panels."""
    layout = figure["layout"]
    if "grid" in layout or not all("range" in layout.get(axis, {}) for axis in ("xaxis", "yaxis")):
        return ""
    kept = _kept(figure["data"])
    traces = "".join(_trace(trace, layout, kept) for trace in figure["data"])
    return (
        f'<svg class="sketch room-{layout["margin"]["l"] // 8}" aria-hidden="true">'
        f'<defs><path id="tick-x" d="M0 0V5"/><path id="tick-y" d="M0 0H-5"/>'
        f"{''.join(_outlines(figure['data']))}</defs>"
        f"{_axis(layout, 'x')}{_axis(layout, 'y')}{_rulers(layout)}{traces}"
        f"{''.join(_names(layout))}"
        f'{_STRETCHED}<path class="edge" d="M0 0V{_GRID}H{_GRID}"/></svg></svg>'
    )


def _kept(data: Sequence[dict[str, Any]]) -> set[Place]:
    """Where marks are drawn: at most ``MOST``, those at full strength first."""
    marks = [(mark, strength) for trace in data if _shown(trace) for mark, strength in _strengths(trace)]
    strong = [mark for mark, strength in marks if strength == 1]
    faded = [mark for mark, strength in marks if strength != 1]
    return {*_sample(strong, MOST), *_sample(faded, MOST - len(strong))}


def _shown(trace: dict[str, Any]) -> bool:
    """Points; what is skipped by the pointer lies below or around them."""
    return "markers" in trace["mode"] and trace.get("hoverinfo") != "skip"


def _strengths(trace: dict[str, Any]) -> Iterator[tuple[Place, float]]:
    strengths = _each(trace["marker"].get("opacity"), len(trace["x"]), 1)
    return zip(zip(trace["x"], trace["y"], strict=True), strengths, strict=True)


def _each(value: Any, count: int, alike: Any) -> list[Any]:
    """Plotly takes one value for all or a list; ``alike`` stands where it has one for all."""
    return value if isinstance(value, list) else [alike] * count


def _sample(marks: Sequence[Place], most: int) -> Sequence[Place]:
    """``most`` of them, evenly."""
    return marks if len(marks) <= most else [marks[n * len(marks) // most] for n in range(max(0, most))]


def _outlines(data: Sequence[dict[str, Any]]) -> Iterator[str]:
    markers = [trace["marker"] for trace in data if "markers" in trace["mode"]]
    used = {
        (symbol.removesuffix("-open"), one["size"])
        for one in markers
        for symbol in _each(one["symbol"], 1, one["symbol"])
    }
    for symbol, size in sorted(used):
        yield f'<path id="{_outline_id(symbol, size)}" d="{_OUTLINES[symbol](size / 2)}"/>'


def _outline_id(symbol: str, size: int) -> str:
    return f"mark-{symbol.removesuffix('-open')}-{size}"


def _trace(trace: dict[str, Any], layout: dict[str, Any], kept: Container[Place]) -> str:
    colour = f'color="light-dark({trace["meta"]["light"]},{trace["meta"]["dark"]})"'
    opacity = f' opacity="{trace["opacity"]}"' if "opacity" in trace else ""
    if trace["mode"] == "lines":
        style = trace["line"]
        dash = f' stroke-dasharray="{_DASHES[style["dash"]]}"' if style["dash"] in _DASHES else ""
        places = (_place(layout, x, y) for x, y in zip(trace["x"], trace["y"], strict=True))
        return _line(places, f'stroke-width="{style["width"]}"{dash}{opacity} {colour}')
    width = trace["marker"].get("line", {}).get("width", 0)
    return f'<g class="marks" stroke-width="{width}" {colour}>{"".join(_marks(trace, layout, kept))}</g>'


def _marks(trace: dict[str, Any], layout: dict[str, Any], kept: Container[Place]) -> Iterator[str]:
    """Each refers to an outline of its size; its text stands where Plotly writes it."""
    marker, count = trace["marker"], len(trace["x"])
    symbols = _each(marker["symbol"], count, marker["symbol"])
    strengths = _each(marker.get("opacity"), count, marker.get("opacity", 1))
    texts = trace["text"] if "text" in trace["mode"] else [""] * count
    for x, y, symbol, strength, text in zip(trace["x"], trace["y"], symbols, strengths, texts, strict=True):
        if (x, y) not in kept:
            continue
        right, down = _place(layout, x, y)
        at = f'x="{right / 100:g}%" y="{down / 100:g}%"'
        hollow = ' class="hollow"' if symbol.endswith("-open") else ""
        faded = f' opacity="{strength}"' if strength != 1 else ""
        yield f'<use href="#{_outline_id(symbol, marker["size"])}" {at}{hollow}{faded}/>'
        if text:
            yield f'<text {at} dy="-11">{_literal(text)}</text>'


def _literal(text: str) -> str:
    """What Plotly takes is escaped already, or should be; here it is in any case, and once."""
    return escape(unescape(text))


def _place(layout: dict[str, Any], x: float, y: float) -> tuple[int, int]:
    """Steps from the left and from above."""
    return round(_GRID * _share(layout["xaxis"], x)), round(_GRID * (1 - _share(layout["yaxis"], y)))


def _share(axis: dict[str, Any], value: float) -> float:
    low, high = axis["range"]
    share: float = ((log10(value) if axis["type"] == "log" else value) - low) / (high - low)
    return share


def _line(places: Iterable[tuple[int, int]], attributes: str) -> str:
    """Steps from place to place are short numbers."""
    first, *rest = places
    steps = " ".join(f"{right - x} {down - y}" for (x, y), (right, down) in pairwise((first, *rest)))
    return f'{_STRETCHED}<path class="line" {attributes} d="M{first[0]} {first[1]}l{steps}"/></svg>'


def _rulers(layout: dict[str, Any]) -> str:
    log = layout["xaxis"]["type"] == "log"
    places = (shape["x0"] for shape in layout["shapes"])
    # Zero lies nowhere on a logarithmic axis.
    across = (round(_GRID * _share(layout["xaxis"], x)) for x in places if x > 0 or not log)
    return "".join(f'{_STRETCHED}<path class="ruler" d="M{right} 0V{_GRID}"/></svg>' for right in across)


def _names(layout: dict[str, Any]) -> Iterator[str]:
    """Below the right ends of lines, where there is room; what a single panel shows stands above it."""
    for note, own in zip(layout["annotations"], layout["meta"], strict=True):
        if own is None:
            yield f'<text dy="-4">{_literal(note["text"])}</text>'
            continue
        x, y = (
            10 ** note[letter] if layout[f"{letter}axis"]["type"] == "log" else note[letter]
            for letter in "xy"
        )
        right, down = _place(layout, x, y)
        yield (
            f'<text class="name wide" x="{right / 100:g}%" y="{down / 100:g}%" dy="20"'
            f' fill="light-dark({own["light"]},{own["dark"]})">{_literal(note["text"])}</text>'
        )


def _axis(layout: dict[str, Any], letter: str) -> str:
    """Grid, ticks, numbers and title of one axis."""
    axis = layout[f"{letter}axis"]
    wide, narrow = ticks(axis, _WIDE[letter]), ticks(axis, _NARROW[letter])
    if letter == "x" and len(narrow) > _NARROW["x"] + 2:
        # Full numbers of a logarithmic axis do not fit beside each other.
        narrow = [(place, text) for place, text in narrow if text.strip("0.,").startswith("1")]
    groups = {"": [one for one in wide if one in narrow], "wide": [one for one in wide if one not in narrow],
              "narrow": [one for one in narrow if one not in wide]}  # fmt: skip
    marked = "".join(_ticks(letter, name, group) for name, group in groups.items() if group)
    title, _dot, better = axis["title"]["text"].partition(" · ")
    more = f'<tspan class="wide"> · {_literal(better)}</tspan>' if better else ""
    if letter == "x":
        return f'<g class="x axis">{marked}<text x="50%" y="100%" dy="43">{_literal(title)}{more}</text></g>'
    # Beyond the widest number, whose digits are about 7 px wide.
    left = 24 + 7 * max(len(text) for _place, text in wide)
    return (
        f'<g class="y axis">{marked}</g><svg class="title" y="50%"><text transform="translate(-{left})'
        f' rotate(-90)">{_literal(title)}{more}</text></svg>'
    )


def _ticks(letter: str, name: str, group: Sequence[tuple[float, str]]) -> str:
    steps = [round(_GRID * (place if letter == "x" else 1 - place)) for place, _text in group]
    grid = "".join(f"M{step} 0V{_GRID}" if letter == "x" else f"M0 {step}H{_GRID}" for step in steps)
    beside = 'y="100%"' if letter == "x" else ""
    offset = 'dy="20"' if letter == "x" else 'dx="-8" dy="4"'
    texts = (
        f'<use href="#tick-{letter}" {at} {beside}/><text {at} {beside} {offset}>{escape(text)}</text>'
        for at, text in (
            (f'{letter}="{step / 100:g}%"', text) for step, (_, text) in zip(steps, group, strict=True)
        )
    )
    classed = f' class="{name}"' if name else ""
    return f'<g{classed}>{_STRETCHED}<path class="grid" d="{grid}"/></svg>{"".join(texts)}</g>'

"""What the axes of a figure cover and which numbers stand on them, for every way of drawing it. Pure.

Plotly would find ranges and room by itself, but only after a first draft; a sketch has no draft.
"""

from collections.abc import Iterable, Iterator
from math import ceil, floor, log10
from typing import Any

#: Share of the span that stays free beyond the outermost points, and its least in decades.
_AIR, _LEAST_DECADES = 0.06, 0.1
#: Pixels: a digit, what else stands left of an axis (tick, gaps, title), the steps and limit of the room.
_DIGIT, _BESIDE, _STEP, _MOST = 7.5, 40, 8, 128
#: Ticks, a line of numbers and the title below an axis.
_BELOW = 60
_STEPS = (2, 5, 10)


def framed(figure: dict[str, Any]) -> dict[str, Any]:
    """The figure with a ``range`` on each axis, alike on all panels, and the ``margin`` that its texts need.

    Ranges of logarithmic axes are exponents of ten, as Plotly takes them.
    """
    layout = figure["layout"]
    for letter in "xy":
        values = [value for value in _values(figure, letter) if value is not None]
        axes = [axis for name, axis in layout.items() if name.startswith(f"{letter}axis")]
        reach = _reach(axes[0], values)
        for axis in axes:
            if reach is not None:
                axis["range"] = list(reach)
    if "range" in layout["yaxis"]:
        longest = max((len(text) for _place, text in ticks(layout["yaxis"], 10)), default=0)
        room = min(_MOST, ceil((_BESIDE + _DIGIT * longest) / _STEP) * _STEP)
        layout["margin"] = {"l": room, "b": _BELOW}
    return figure


def _values(figure: dict[str, Any], letter: str) -> Iterator[float | None]:
    for trace in figure["data"]:
        yield from trace[letter]
    for shape in figure["layout"]["shapes"]:
        # Others are shares of the paper or of a panel.
        if shape[f"{letter}ref"][0] == letter and " " not in shape[f"{letter}ref"]:
            yield from (shape[f"{letter}0"], shape[f"{letter}1"])


def _reach(axis: dict[str, Any], values: list[float]) -> tuple[float, float] | None:
    if axis["type"] == "log":
        return _decades([log10(value) for value in values if value > 0])
    if not values:
        return None
    low, high = min(values), max(values)
    if axis["rangemode"] == "tozero":
        low, high = min(low, 0.0), max(high, 0.0)
    air = _AIR * (high - low) or 0.5
    return (low - air if low else low, high + air if high or not low else high)


def _decades(values: list[float]) -> tuple[float, float] | None:
    if not values:
        return None
    low, high = min(values), max(values)
    air = max(_AIR * (high - low), _LEAST_DECADES)
    return low - air, high + air


def ticks(axis: dict[str, Any], most: int) -> list[tuple[float, str]]:
    """Places between 0 and 1 along an axis that has a range, with their texts; ``most`` as Plotly counts."""
    low, high = axis["range"]
    named: Iterable[tuple[float, str]]
    if "tickvals" in axis:
        named = zip(map(log10, axis["tickvals"]), axis["ticktext"], strict=True)
    else:
        named = _round_numbers(low, high, axis.get("nticks", most))
    places = (((value - low) / (high - low), text) for value, text in named)
    return [(place, text) for place, text in places if -1e-9 <= place <= 1 + 1e-9]


def _round_numbers(low: float, high: float, most: int) -> Iterator[tuple[float, str]]:
    """Multiples of 1, 2 or 5 times a power of ten, as Plotly chooses them."""
    rough = (high - low) / most
    power = floor(log10(rough))
    step = next(step for step in _STEPS if rough <= step * 10.0**power * (1 + 1e-9)) * 10.0**power
    digits = max(0, -floor(log10(step) + 1e-9))
    for number in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1):
        text = f"{number * step:,.{digits}f}".replace("-", "−")
        yield number * step, text.rstrip("0").rstrip(".") if digits else text

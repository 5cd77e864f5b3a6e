"""Numbers at a logarithmic axis, and which texts in a chart stand clear of each other. Pure."""

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import Any


def log_ticks(values: Sequence[float]) -> dict[str, Any]:
    """Full numbers at 1, 2 and 5 of every decade; at 1 alone over many decades."""
    decades = range(floor(log10(min(values))) - 1, ceil(log10(max(values))) + 2)
    steps = (1, 2, 5) if len(decades) <= 6 else (1,)
    places = [float(f"{step}e{decade}") for decade in decades for step in steps]
    texts = [f"{place:,.0f}" if place >= 1 else f"{place:.{-floor(log10(place))}f}" for place in places]
    return {"tickmode": "array", "tickvals": places, "ticktext": texts}


def along(value: float, *, log: bool) -> float:
    """A place on the axis as it is drawn; what a logarithmic one cannot show lies at its foot."""
    return log10(value) if log and value > 0 else value


def clear(
    places: Iterable[tuple[float, float]], spans: tuple[float, float], room: tuple[float, float]
) -> list[bool]:
    """Whether each place, first come first served, is ``room`` away from all that stand before it.

    ``spans`` are the lengths of the axes in the units of the places, ``room`` is a share of them.
    """
    kept: list[tuple[float, float]] = []
    found = []
    for x, y in places:
        free = all(abs(x - a) > room[0] * spans[0] or abs(y - b) > room[1] * spans[1] for a, b in kept)
        found.append(free)
        if free:
            kept.append((x, y))
    return found

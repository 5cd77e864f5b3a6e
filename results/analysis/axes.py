"""What has a place on an axis. Drawing never decides who is on the frontier."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def drawable(
    items: Iterable[Item], place: Callable[[Item], tuple[float, float]], *, x_log: bool, y_log: bool
) -> tuple[list[Item], int]:
    """Items that a chart can show, in the given order, and how many a logarithmic axis drops.

    Zero and negative numbers have no logarithm; a page says how many of how many are missing.
    """
    everything = list(items)
    kept = [item for item in everything if _fits(place(item), x_log=x_log, y_log=y_log)]
    return kept, len(everything) - len(kept)


def _fits(place: tuple[float, float], *, x_log: bool, y_log: bool) -> bool:
    return (place[0] > 0 or not x_log) and (place[1] > 0 or not y_log)

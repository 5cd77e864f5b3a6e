"""One page of the table twin of Explore."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from dashboard.figures.arrange import Arranged, Row
from dashboard.views.explore_caption import layer_name
from dashboard.views.explore_state import ExploreState
from results.analysis.repeats import Interval
from results.metrics import Metric
from results.queries.known_issues import Noted
from results.queries.repeats import intervals

#: Rows of one page.
SIZE = 300


@dataclass(frozen=True, slots=True)
class Twin:
    """``pin`` is the address that a point's id completes, ``pinned`` are points.

    ``ruled`` when the AgentX rule is in play; ``intervals`` and the numbers of ``notes`` are by point.
    Rows of the series ``over`` belong to the ``layer`` of that name.
    """

    rows: Sequence[Row]
    x: Metric
    y: Metric
    pin: str
    pinned: frozenset[int]
    ruled: bool
    intervals: Mapping[int, Interval]
    notes: Mapping[int, Sequence[int]]
    over: frozenset[str] = frozenset()
    layer: str = ""


def table_page(
    state: ExploreState, arranged: Arranged, notes: Sequence[Noted], *, ruled: bool
) -> dict[str, Any]:
    """Rows of all layers, those of the first one first, and the way to the pages before and after."""
    rows = [row for layer in arranged.layers for row in layer.rows]
    first = min(int(state.row or 0), max(0, len(rows) - 1)) // SIZE * SIZE
    shown = rows[first : first + SIZE]
    known = {key: one for layer in arranged.layers for key, one in _intervals(layer).items()}
    pinned = frozenset(int(name) for name in (state.point, state.second) if name)
    pin = f"{reverse('explore')}?{state.pin}"
    numbers = _numbers(notes, len(rows))
    over = frozenset(entry.key for entry in arranged.over.entries) if arranged.over else frozenset[str]()
    layer = layer_name(state, arranged.over) if arranged.over else ""
    return {
        "twin": Twin(shown, state.x_metric, state.y_metric, pin, pinned, ruled, known, numbers, over, layer),
        "total": len(rows),
        "from_row": first + 1,
        "to_row": first + len(shown),
        "before": state.query(row=str(first - SIZE) if first > SIZE else "") if first else None,
        "after": state.query(row=str(first + SIZE)) if first + SIZE < len(rows) else None,
    }


def _intervals(layer: Arranged) -> dict[int, Interval]:
    return intervals(layer.plane, [row.place for row in layer.rows])


def _numbers(notes: Sequence[Noted], total: int) -> dict[int, list[int]]:
    """What concerns every point is said once, below the table."""
    found: dict[int, list[int]] = {}
    for one in notes:
        for identifier in one.points if len(one.points) < total else ():
            found.setdefault(identifier, []).append(one.number)
    return found

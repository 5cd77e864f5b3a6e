"""What the templates of Explore need, ready to print."""

from dataclasses import replace
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from dashboard import words
from dashboard.figures.arrange import Arranged, Row
from dashboard.figures.ruler import readings
from dashboard.figures.steps import steps
from dashboard.views.explore_caption import layer_name, note_text, notes_of
from dashboard.views.explore_controls import controls
from dashboard.views.explore_figure import drawing, panels_of
from dashboard.views.explore_state import ExploreState
from dashboard.views.explore_table import table_page
from results.analysis.agentx import CANONICAL_X
from results.queries.explore import live_runs
from results.queries.filters import FIELDS
from results.queries.recipe_text import differences

#: Seconds between two looks for new points.
_BUSY, _IDLE = 4, 30


def context(state: ExploreState, arranged: Arranged) -> dict[str, Any]:
    """Template context; ``state`` comes back with the model and scenario that were in fact chosen."""
    explored = arranged.plane.explored
    place = explored.places[0] if explored.places else None
    if place is not None:
        state = replace(state, model=place.model, scenario=state.scenario or place.scenario)
    live = live_runs()
    return {
        "state": state,
        "canonical": state.query(),
        "explored": explored,
        "place": place,
        "arranged": arranged,
        "plane": arranged.plane,
        "x": state.x_metric,
        "y": state.y_metric,
        "base_path": reverse("explore"),
        "live": live,
        "seconds": _BUSY if live else _IDLE,
        "figure": drawing(state, arranged) if arranged.rows else None,
        "layer_name": layer_name(state, arranged.over) if arranged.over else "",
        "panels_left": _panels_left(state, arranged),
        **controls(state, arranged),
        **_summary(arranged),
        **_table(state, arranged),
        **_pins(state, arranged),
        **_ruler(state, arranged),
    }


def _summary(arranged: Arranged) -> dict[str, Any]:
    rows = arranged.rows
    return {
        "series_shown": sum(entry.visible for entry in arranged.entries),
        "left_out": _said(arranged),
        "left_out_total": sum(arranged.left_out.values()),
        "over_left_out": _said(arranged.over) if arranged.over else [],
        "thinned": len(rows) - len(arranged.drawn),
        "diagnostic": arranged.plane.explored.validity == "diagnostic" and bool(rows),
        "mixed": len({row.scenario for row in rows}) > 1,
        "newest_at": max((row.measured_at for row in rows), default=None),
        "versions": arranged.plane.versions,
        "rule": _rule(rows),
    }


def _said(layer: Arranged) -> list[tuple[str, int]]:
    """Why points are left out, the most frequent reason first."""
    ordered = sorted(layer.left_out.items(), key=lambda item: -item[1])
    return [(words.word(words.LEFT_OUT, reason), count) for reason, count in ordered]


def _rule(rows: tuple[Row, ...]) -> dict[str, Any] | None:
    """The frontier by the AgentX rule beside that of the chosen axes; None where the rule is not in play."""
    ruled = [row for row in rows if row.place.canonical is not None]
    if not ruled:
        return None
    return {
        "metric": CANONICAL_X,
        "local": sum(row.on_frontier for row in ruled),
        "both": sum(row.on_frontier and bool(row.place.canonical) for row in ruled),
        "only_rule": sum(bool(row.place.canonical) and not row.on_frontier for row in ruled),
    }


def _panels_left(state: ExploreState, arranged: Arranged) -> int:
    """Values of the facet that no panel shows."""
    if not state.facet:
        return 0
    values = {FIELDS[state.facet](row.point) for layer in arranged.layers for row in layer.drawn}
    return len(values) - len(panels_of(state, arranged))


def _table(state: ExploreState, arranged: Arranged) -> dict[str, Any]:
    gained = steps(arranged.candidates, arranged.entries)
    notes = notes_of(state, arranged)
    return {
        **table_page(state, arranged, notes, ruled=_rule(arranged.rows) is not None),
        "sorts": {name: state.query(sort=name, row="") for name in ("rank", "x", "load", "recipe", "date")},
        "notes": [(one, note_text(one.issue)) for one in notes],
        "steps": gained,
        "single_runs": all(step.runs == 1 for step in gained),
    }


def _pins(state: ExploreState, arranged: Arranged) -> dict[str, Any]:
    """The pinned points, and in what the recipe of the second differs from that of the first."""
    found = {str(row.point.id): row for layer in reversed(arranged.layers) for row in layer.candidates}
    first, second = found.get(state.point), found.get(state.second)
    unpinned = state.query(point=state.second, second="")
    cards = [(first, unpinned)] if first else []
    cards += [(second, state.query(second=""))] if second else []
    return {
        "cards": cards,
        "lost_pins": [name for name in (state.point, state.second) if name and name not in found],
        "unpin_all": state.query(point="", second=""),
        "pair": _pair(state, first, second) if first and second else None,
        "ruler_here": state.query(at=repr(first.x)) if first else "",
    }


def _pair(state: ExploreState, first: Row, second: Row) -> dict[str, Any]:
    one, other = differences([first.recipe.document, second.recipe.document])
    compared = {state.x_metric: (first.x, second.x), state.y_metric: (first.y, second.y)}
    parallel = [(_("parallelism"), first.recipe.build.parallel, second.recipe.build.parallel)]
    return {
        "numbers": [(m.key, m.unit, a, b, b / a if a else None) for m, (a, b) in compared.items()],
        "differences": [
            (_("load"), str(first.point.load), str(second.point.load)),
            *(parallel if parallel[0][1] != parallel[0][2] else []),
            *((name, value, other[name]) for name, value in one.items()),
        ],
    }


def _ruler(state: ExploreState, arranged: Arranged) -> dict[str, Any]:
    if not state.at or not arranged.plane.directed:
        return {"readings": ()}
    entries = [entry for layer in arranged.layers for entry in layer.entries]
    found = readings(entries, float(state.at), state.base)
    over = {entry.key for entry in arranged.over.entries} if arranged.over else set()
    return {"readings": [(one, state.query(base=one.entry.key), one.entry.key in over) for one in found]}

"""Explore as CSV and JSON: the rows of the table twin, every digit of them."""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.figures.arrange import Arranged, Row
from dashboard.figures.labels import series_name
from dashboard.views.explore_caption import note_text, notes_of
from dashboard.views.explore_state import ExploreState
from results.analysis.repeats import Interval
from results.documents.export import FORMULA
from results.queries.known_issues import Noted
from results.queries.repeats import intervals


def as_table(state: ExploreState, arranged: Arranged) -> bytes:
    """CSV with a unit beside each number; a spreadsheet reads no cell as a formula."""
    return csv_of(records(state, arranged), columns(state))


def csv_of(rows: list[dict[str, Any]], names: list[str]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=names, lineterminator="\r\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode("utf-8")


def as_document(state: ExploreState, arranged: Arranged) -> dict[str, Any]:
    """The rows with what they depend on."""
    plane = arranged.plane
    place = plane.explored.places[0] if plane.explored.places else None
    return {
        "model": place.model if place else None,
        "scenario": place.scenario if place else None,
        "x": _axis(state.x_metric.key, state.x_metric.unit),
        "y": _axis(state.y_metric.key, state.y_metric.unit),
        "group_by": plane.group_by,
        "validity": plane.explored.validity,
        "left_out": dict(arranged.left_out),
        "versions": plane.versions,
        "over": _over(state, arranged.over) if arranged.over else None,
        "notes": [
            {
                "key": one.issue.key,
                "text": note_text(one.issue),
                "source": one.issue.source,
                "day": one.issue.day.isoformat(),
                "points": len(one.points),
            }
            for one in notes_of(state, arranged)
        ],
        "rows": records(state, arranged),
    }


def _over(state: ExploreState, over: Arranged) -> dict[str, Any]:
    """What lies over the first model and scenario; its rows stand among the others."""
    place = over.plane.explored.places[0] if over.plane.explored.places else None
    return {
        "model": place.model if place else state.over_model,
        "scenario": place.scenario if place else state.over_scenario,
        "as_of": state.over_as_of or None,
        "left_out": dict(over.left_out),
        "versions": over.plane.versions,
    }


def _axis(key: str, unit: str) -> Mapping[str, str]:
    return {"metric": key, "unit": unit}


def columns(state: ExploreState) -> list[str]:
    """Names of the columns in their order."""
    x, y = state.x_metric.key, state.y_metric.key
    numbers = dict.fromkeys((x, f"{x}_unit", y, f"{y}_unit"))
    return [*_BEFORE, *numbers, *_AFTER]


_BEFORE = ("rank", "model", "scenario", "series", "hardware", "gpus", "parallel", "engine", "engine_version",
           "precision", "speculative", "deployment", "offload", "recipe", "fingerprint", "load")  # fmt: skip
_AFTER = ("repeats", "y_low_95", "y_high_95", "on_frontier", "on_canonical_frontier", "validity", "accuracy",
          "prices", "tier", "measured_at", "run", "point", "layer", "notes")  # fmt: skip


def records(state: ExploreState, arranged: Arranged) -> list[dict[str, Any]]:
    """A mapping per shown point, layer by layer in the order of the table."""
    notes = notes_of(state, arranged)
    return [
        record | {"layer": "first" if layer is arranged else "over"}
        for layer in arranged.layers
        for record in _of_layer(state, layer, notes)
    ]


def _of_layer(state: ExploreState, layer: Arranged, notes: tuple[Noted, ...]) -> Iterator[dict[str, Any]]:
    plane = layer.plane
    priced = {"prices": plane.versions["prices"], "tier": plane.versions["tier"]}
    names = {entry.key: series_name(entry.series, plane.group_by) for entry in layer.entries}
    known = intervals(plane, [row.place for row in layer.rows])
    for row in layer.rows:
        concerned = (one.issue.key for one in notes if row.point.id in one.points)
        yield {
            **_record(row, state),
            **_interval(known.get(row.point.id)),
            **priced,
            "series": names[row.entry.key],
            "notes": " ".join(concerned),
        }


def _interval(found: Interval | None) -> dict[str, Any]:
    low, high = (None, None) if found is None or found.bounds is None else found.bounds
    return {"repeats": 1 if found is None else found.n, "y_low_95": low, "y_high_95": high}


def _record(row: Row, state: ExploreState) -> dict[str, Any]:
    recipe, x, y = row.recipe, state.x_metric, state.y_metric
    return {
        "rank": row.rank,
        "model": recipe.model,
        "scenario": row.point.of.scenario,
        "hardware": recipe.hardware_name,
        "gpus": recipe.gpu_count,
        "parallel": recipe.build.parallel,
        "engine": recipe.engine,
        "engine_version": recipe.engine_version,
        "precision": recipe.precision,
        "speculative": recipe.speculative or "none",
        "deployment": recipe.deployment,
        "offload": recipe.offload,
        "recipe": row.point.label,
        "fingerprint": recipe.fingerprint,
        "load": row.point.load,
        x.key: row.x,
        f"{x.key}_unit": x.unit,
        y.key: row.y,
        f"{y.key}_unit": y.unit,
        "on_frontier": row.on_frontier,
        "on_canonical_frontier": row.place.canonical,
        "validity": row.point.validity,
        "accuracy": recipe.accuracy,
        "measured_at": row.measured_at.isoformat(),
        "run": str(row.point.run),
        "point": row.point.id,
    }


def _cell(value: Any) -> Any:
    """A spreadsheet must not read a name as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value

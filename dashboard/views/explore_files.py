"""Explore as CSV and JSON: the rows of the table twin, every digit of them."""

import csv
import io
from collections.abc import Mapping
from typing import Any

from dashboard.figures.arrange import Arranged, Row
from dashboard.figures.labels import series_name
from dashboard.views.explore_state import ExploreState
from results.documents.export import FORMULA


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
        "rows": records(state, arranged),
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
_AFTER = ("on_frontier", "on_canonical_frontier", "validity", "accuracy", "prices", "tier", "measured_at",
          "run", "point")  # fmt: skip


def records(state: ExploreState, arranged: Arranged) -> list[dict[str, Any]]:
    """A mapping per shown point, in the order of the table."""
    versions = arranged.plane.versions
    priced = {"prices": versions["prices"], "tier": versions["tier"]}
    group_by = arranged.plane.group_by
    names = {entry.key: series_name(entry.series, group_by) for entry in arranged.entries}
    return [{**_record(row, state), **priced, "series": names[row.entry.key]} for row in arranged.rows]


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

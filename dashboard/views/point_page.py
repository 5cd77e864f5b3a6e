"""What the template of one point needs."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from dashboard import words
from dashboard.figures.point.figures import Figures, figures
from dashboard.figures.point.sheet import Sheet
from dashboard.figures.point.timeline import LANES
from dashboard.views.explore_caption import note_text
from dashboard.views.parameters import BadParameterError
from dashboard.views.point_state import PointState
from dashboard.views.point_words import reason_sentences
from results.analysis.ceilings import CeilingShare
from results.analysis.column_file import PointColumns
from results.analysis.roofline import shares_of_limit
from results.metrics import DEFAULT_METRICS, METRICS, STAT_LABELS
from results.queries.argv import command_lines
from results.queries.known_issues import issues_of_point
from results.queries.log_lines import log_search, log_tail
from results.queries.plane import KEY
from results.queries.point_detail import PointDetail, columns_among
from results.queries.recipe_text import flatten
from results.queries.request_rows import SORTS, request_page
from results.queries.run_detail import ArtifactRow
from results.queries.shapes import shipped_shapes

#: Requests of one page of the table.
_ROWS = 50
#: What siblings are compared by.
_COMPARED = (
    "interactivity_p50", "ttft_p50", "ttft_p90", "output_throughput_per_gpu", "total_throughput_per_gpu",
    "client_cache_hit_rate",
)  # fmt: skip


def context(detail: PointDetail, state: PointState, origin: str) -> dict[str, Any]:
    """``origin`` is the address of the site with a slash at its end, for commands to copy."""
    row = detail.row
    columns = columns_among(row, detail.attempt_id, detail.files)
    lower, higher = detail.neighbours
    return {
        "point": row,
        "detail": detail,
        "state": state,
        "lower": lower,
        "higher": higher,
        "reasons": reason_sentences(row),
        "issues": [(issue, note_text(issue)) for issue in issues_of_point(row)],
        "first": [_metric(key, row.values) for key in DEFAULT_METRICS if key in row.values],
        "matrix": list(_matrix(row.values)),
        "stats": [_(label) for label in STAT_LABELS.values()],
        "scalars": [
            _metric(key, row.values) for key in METRICS if METRICS[key].stat is None and key in row.values
        ],
        "recipe": flatten(row.recipe_document),
        "recipe_key": row.recipe[:KEY],
        "compared": [key for key in _COMPARED if any(key in one.values for one in detail.siblings)],
        "argv": command_lines(detail.files),
        "reproduce": _reproduce(detail, origin),
        "log": _log(detail.files, state),
        "phases": [(name, state.query(phase=name, lane=0, row=0)) for name in ("profile", "all")],
        "limits": limits(detail, columns),
        **_measured(columns, detail, state),
    }


def limits(detail: PointDetail, columns: PointColumns | None) -> tuple[CeilingShare, ...]:
    """What the point reached of what its host can do."""
    row = detail.row
    requests = None if columns is None else columns.requests
    shape = shipped_shapes().get(row.model)
    return shares_of_limit(row.values, row.recipe_document, requests, detail.probe, shape)


def _measured(columns: PointColumns | None, detail: PointDetail, state: PointState) -> dict[str, Any]:
    """Figures and the table of requests; both are absent for a point without records."""
    if columns is None:
        return {"columns": None, "figures": None, "table": None}
    sheet = Sheet(columns, detail.row.values, warmup=state.warmup)
    found = figures(sheet, state.lane)
    return {
        "columns": columns,
        "figures": found,
        "lanes": _lanes(found, state),
        "table": _requests(sheet, state),
        "figure_query": state.query(sort="start", row=0, log="", q=""),
    }


def _lanes(found: Figures, state: PointState) -> dict[str, Any] | None:
    lanes = found.lanes
    if lanes is None:
        return None
    return {
        "view": lanes,
        "number": lanes.first + 1,
        "before": state.query(lane=max(0, lanes.first - LANES)) if lanes.first else None,
        "after": state.query(lane=lanes.last) if lanes.last < lanes.lanes else None,
        # A bar is 14 pixels high; the axis below needs the rest.
        "height": "short" if len(lanes.labels) <= 6 else "middle" if len(lanes.labels) <= 16 else "tall",
    }


def _requests(sheet: Sheet, state: PointState) -> dict[str, Any] | None:
    requests = sheet.requests
    if requests is None:
        return None
    total = len(requests)
    return {
        "rows": request_page(requests, state.sort, state.row, _ROWS),
        "total": total,
        "number": state.row + 1,
        "last": min(state.row + _ROWS, total),
        "before": state.query(row=max(0, state.row - _ROWS)) if state.row else None,
        "after": state.query(row=state.row + _ROWS) if state.row + _ROWS < total else None,
        "sorts": {name: state.query(sort=name, row=0) for name in SORTS},
    }


def _metric(key: str, values: Mapping[str, float]) -> dict[str, Any]:
    return {"key": key, "unit": words.shown_unit(key), "value": values[key]}


def _matrix(values: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    """Metrics down, their statistics across; the key of the first one opens the metric's card."""
    families: dict[str, dict[str, str]] = {}
    for key, metric in METRICS.items():
        if metric.stat is not None and key in values:
            families.setdefault(metric.name, {})[metric.stat] = key
    for name, keys in families.items():
        first = next(iter(keys.values()))
        cells = [values.get(keys.get(stat, "")) for stat in STAT_LABELS]
        yield {"key": first, "name": _(name), "unit": words.shown_unit(first), "cells": cells}


def _reproduce(detail: PointDetail, origin: str) -> str:
    """Empty for an imported point: nobody told how it was run."""
    if detail.document is None:
        return ""
    address = f"{origin}points/{detail.row.id}/run.json"
    return (
        f"curl -fsS -o run.json {shlex.quote(address)}\n"
        f"python -m workers run run.json --bundle out/point-{detail.row.id}"
    )


def _log(files: tuple[ArtifactRow, ...], state: PointState) -> dict[str, Any] | None:
    """The chosen log, or the engine's; None when there is none."""
    logs = [file for file in files if file.path.endswith(".log") and file.size]
    logs.sort(key=lambda file: (not file.path.startswith("engine/"), file.path))
    if state.log and state.log not in {file.path for file in logs}:
        raise BadParameterError("log", _("is no log of this point"))
    chosen = next((file for file in logs if file.path == state.log), logs[0] if logs else None)
    if chosen is None:
        return None
    found = log_search(chosen.sha256, state.q) if state.q else log_tail(chosen.sha256, chosen.size)
    return {"files": logs, "chosen": chosen, "found": found}

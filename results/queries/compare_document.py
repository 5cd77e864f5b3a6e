"""A comparison as the API answers it: names instead of places, only plain values."""

from typing import Any

from results.analysis.side_by_side import Compared, Side
from results.metrics import METRICS
from results.queries.compare import Comparison, MetricRow
from results.queries.compare_iso import IsoEntry
from results.queries.sides import Gathered


def comparison_document(found: Comparison) -> dict[str, Any]:
    """All of it; ``points`` are identifiers under /api/v1/points/."""
    wanted = found.wanted
    return {
        "x": wanted.x,
        "y": wanted.y,
        "as_of": wanted.asked.as_of,
        "builds": wanted.asked.builds,
        "sides": [_side_document(side, plane) for side, plane in zip(found.sides, found.planes, strict=True)],
        "identity": [{"key": key, "values": list(values)} for key, values in found.identity],
        "conditions": [one.document() for one in found.conditions],
        "load": found.load,
        "loads": {"shared": list(found.loads.shared),
                  "partial": {str(load): list(places) for load, places in found.loads.partial.items()}},
        "metrics": [_metric_document(row) for row in found.metrics],
        "one_side_only": {key: list(places) for key, places in found.only.items()},
        "iso": [{"x": row.x, "entries": [_iso_document(one) for one in row.entries]} for row in found.iso],
        "common_range": list(found.range) if found.range else None,
        "mean_over_common_range": [_compared_document(one) for one in found.means],
        "versions": {"prices": found.price_version, "tier": wanted.tier.value},
    }  # fmt: skip


def _side_document(side: Gathered, plane: Side) -> dict[str, Any]:
    return {
        "kind": side.kind,
        "key": side.key,
        "name": side.name,
        "recipes": [recipe.fingerprint for recipe in side.recipes],
        "points": len(side.points),
        "validity": plane.kind,
        "frontier": [{"x": knot.x, "y": knot.y, "load": knot.load, "points": list(knot.ids)}
                     for knot in plane.frontier.knots],
        "dropped": {reason.value: count for reason, count in plane.frontier.excluded.items()}
        | ({"older_build": side.older} if side.older else {}),
    }  # fmt: skip


def _metric_document(row: MetricRow) -> dict[str, Any]:
    metric = METRICS[row.key]
    return {
        "key": row.key,
        "unit": metric.unit,
        "direction": metric.direction.value,
        "cells": [_compared_document(one) for one in row.cells],
    }


def _compared_document(one: Compared) -> dict[str, Any]:
    return {
        "value": one.value,
        "ratio": one.ratio,
        "word": one.word.value if one.word else None,
        "reason": one.reason.value if one.reason else None,
    }


def _iso_document(entry: IsoEntry) -> dict[str, Any]:
    cell = entry.cell
    if cell is None:
        return {"value": None, "outside": "no_line", "measured": False, "error": None, "points": [],
                "ratio": None, "word": None, "costs": {}}  # fmt: skip
    return {
        "value": cell.value,
        "outside": cell.outside.value if cell.outside else None,
        "measured": cell.measured,
        "error": cell.error.median if cell.error else None,
        "points": [knot.id for knot in cell.knots],
        "ratio": entry.ratio,
        "word": entry.word.value if entry.word else None,
        "costs": dict(entry.costs),
    }

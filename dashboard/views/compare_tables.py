"""The tables of a comparison as rows: one value a row, the unit in its own column."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from results.metrics import METRICS, find_metric
from results.queries.compare import Comparison
from results.queries.compare_iso import IsoEntry

Rows = tuple[Sequence[str], Iterable[Sequence[Any]]]


def identity_rows(found: Comparison) -> Rows:
    names = [side.name for side in found.sides]
    rows = (
        (key, name, value)
        for key, values in found.identity
        for name, value in zip(names, values, strict=True)
    )
    return ("key", "side", "value"), rows


def condition_rows(found: Comparison) -> Rows:
    base, others = found.sides[0].name, [side.name for side in found.sides[1:]]
    header = (
        "condition",
        "baseline",
        "side",
        "outcome",
        "blocks_a_verdict",
        "baseline_value",
        "value",
        "loads",
    )
    rows = (
        (one.reason.value, base, name, check.outcome.value, check.stops, check.baseline, check.candidate,
         " ".join(map(str, check.loads)))
        for one in found.conditions
        for name, check in zip(others, one.checks, strict=True)
    )  # fmt: skip
    return header, rows


def metric_rows(found: Comparison) -> Rows:
    header = (
        "metric",
        "unit",
        "direction",
        "load",
        "side",
        "value",
        "ratio_to_first",
        "word",
        "reason",
        "points",
    )
    rows = (
        (row.key, METRICS[row.key].unit, METRICS[row.key].direction.value, found.load, side.name, cell.value,
         cell.ratio, cell.word.value if cell.word else None, cell.reason.value if cell.reason else None,
         " ".join(map(str, ids)))
        for row in found.metrics
        for side, cell, ids in zip(found.sides, row.cells, found.evidence, strict=True)
    )  # fmt: skip
    return header, rows


def iso_rows(found: Comparison) -> Rows:
    """Where there is no value the reason says why: nothing is extrapolated."""
    header = ("x_metric", "x", "x_unit", "side", "metric", "unit", "value", "ratio_to_first", "word",
              "measured", "leave_one_out_error", "reason", "points", "price_version",
              "price_tier")  # fmt: skip
    x = found.wanted.x
    rows = (
        (x, row.x, METRICS[x].unit, side.name, *cells)
        for row in found.iso
        for side, entry in zip(found.sides, row.entries, strict=True)
        for cells in _iso_cells(found, entry)
    )
    return header, rows


def _iso_cells(found: Comparison, entry: IsoEntry) -> Iterable[Sequence[Any]]:
    y, cell = found.wanted.y, entry.cell
    if cell is None:
        yield (y, METRICS[y].unit, *[None] * 5, "no_line", None, None, None)
        return
    ids = " ".join(str(knot.id) for knot in cell.knots)
    word, error = entry.word and entry.word.value, cell.error and cell.error.median
    reason = cell.outside and cell.outside.value
    yield (y, METRICS[y].unit, cell.value, entry.ratio, word, cell.measured, error, reason, ids, None, None)
    for key, value in entry.costs.items():
        versions = (found.price_version, found.wanted.tier.value)
        yield (key, find_metric(key).unit, value, None, None, False, error, None, ids, *versions)


TABLES: Mapping[str, Callable[[Comparison], Rows]] = {
    "identity": identity_rows,
    "conditions": condition_rows,
    "metrics": metric_rows,
    "iso": iso_rows,
}

"""Repeats of what a plane shows: other runs of the same recipe on the same scenario at the same load."""

from collections.abc import Iterable, Mapping, Sequence

from results.analysis.cost import FORMULAS, derive
from results.analysis.prices import Rate
from results.analysis.repeats import Interval, interval
from results.metrics import METRICS, Metric
from results.models import Point
from results.queries.among import Among
from results.queries.plane import Plane, PlanePoint
from results.queries.points import RESULT

#: Repeats that are read for one page, newest first.
_MOST = 20_000
Cell = tuple[str, int, int, str]


def intervals(plane: Plane, shown: Sequence[PlanePoint]) -> dict[int, Interval]:
    """The 95 % interval of y by point where repeats exist. One query.

    Repeats are the runs that were planned as blocks, published or not, and whatever else is shown.
    """
    metric = plane.view.y
    cells: dict[Cell, dict[int, float]] = {}
    own = {point.seen.id: _cell(point) for point in shown}
    for point in shown:
        cells.setdefault(own[point.seen.id], {})[point.seen.id] = point.y
    if shown and (metric.key in METRICS or metric.key in FORMULAS):
        recipes = {point.seen.of.recipe.fingerprint: point.seen.of.recipe for point in shown}
        rates = {fingerprint: plane.rate_of(recipe) for fingerprint, recipe in recipes.items()}
        for identifier, cell, value in _blocks(shown, metric, rates):
            if cell in cells:
                cells[cell].setdefault(identifier, value)
    known = {cell: found for cell, values in cells.items() if (found := interval([*values.values()]))}
    return {identifier: known[cell] for identifier, cell in own.items() if cell in known}


def _cell(point: PlanePoint) -> Cell:
    seen = point.seen
    return seen.of.recipe.fingerprint, seen.of.scenario_id, seen.load, seen.validity


def _blocks(
    shown: Sequence[PlanePoint], metric: Metric, rates: Mapping[str, Rate]
) -> Iterable[tuple[int, Cell, float]]:
    source = FORMULAS[metric.key][0] if metric.key in FORMULAS else metric.key
    scenarios = {point.seen.of.scenario_id for point in shown}
    rows = Point.objects.filter(
        RESULT, Among("run__recipe__fingerprint", rates), current=True, run__block__isnull=False,
        run__scenario__in=scenarios, **{f"{source}__isnull": False},
    ).order_by("-id")  # fmt: skip
    columns = ("id", "run__recipe__fingerprint", "run__scenario_id", "load", "validity", source)
    for identifier, fingerprint, scenario, load, validity, measured in rows.values_list(*columns)[:_MOST]:
        derived = metric.key in FORMULAS
        value = derive(metric.key, {source: measured}, rates[fingerprint]) if derived else measured
        if value is not None:
            yield identifier, (fingerprint, scenario, load, validity), value

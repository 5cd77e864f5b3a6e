"""The current points of published curves: latest per configuration."""

from django.db.models import Prefetch, Q, QuerySet

from results.models import Curve, Point, Run
from results.queries.places import of_scenario
from results.queries.points import RELATED, PointRow, point_row
from results.queries.seen_points import current_results

_OF_RUN = tuple(name.removeprefix("run__") for name in RELATED if name.startswith("run__"))


def latest_points(
    model: str, *, scenario: str | None = None, hardware: str | None = None
) -> tuple[PointRow, ...]:
    """One point per recipe, scenario and load of a model: the published run's current observation.

    ``model`` and ``hardware`` are slugs, ``scenario`` a corpus name or ``<isl>/<osl>``. Three queries:
    the curves, the points, then what their runs have in common.
    """
    runs = Prefetch("run", queryset=Run.objects.select_related(*_OF_RUN))
    points = latest(model, scenario=scenario, hardware=hardware).select_related("attempt__host")
    return tuple(point_row(point) for point in points.prefetch_related(runs).order_by("run_id", "load"))


def latest(
    model: str, *, scenario: str | None = None, hardware: str | None = None, curves: Q | None = None
) -> QuerySet[Point]:
    """The points as a query that has not been asked yet; ``curves`` is a further condition on ``Curve``.

    The curves, which are few, are asked for their runs at once: joined to them, PostgreSQL reads all points
    as soon as more than eight tables are involved.
    """
    published = Curve.objects.filter(curves or Q(), language_model__slug=model)
    if scenario is not None:
        published = published.filter(of_scenario(scenario))
    if hardware is not None:
        published = published.filter(recipe__hardware__slug=hardware)
    runs = published.order_by().values_list("run_id", flat=True)
    return current_results(runs).order_by()

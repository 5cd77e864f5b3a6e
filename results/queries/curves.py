"""The current points of published curves: latest per configuration."""

from django.db.models import QuerySet

from results.models import Curve, Point
from results.queries.points import RELATED, RESULT, PointRow, point_row, scenario_condition


def latest_points(
    model: str, *, scenario: str | None = None, hardware: str | None = None
) -> tuple[PointRow, ...]:
    """One point per recipe, scenario and load of a model: the published run's current observation.

    ``model`` and ``hardware`` are slugs, ``scenario`` a corpus name or ``<isl>/<osl>``. One query.
    """
    points = latest(model, scenario=scenario, hardware=hardware).select_related(*RELATED)
    return tuple(point_row(point) for point in points.order_by("run_id", "load"))


def latest(model: str, *, scenario: str | None = None, hardware: str | None = None) -> QuerySet[Point]:
    """The same as a query that has not been asked yet."""
    published = Curve.objects.filter(language_model__slug=model).values("run")
    points = Point.objects.filter(RESULT, current=True, run__in=published)
    if scenario is not None:
        points = points.filter(scenario_condition(scenario))
    if hardware is not None:
        points = points.filter(run__recipe__hardware__slug=hardware)
    return points.order_by()

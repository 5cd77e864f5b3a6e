"""Which published curves newer builds replaced as a whole: pages need not read the points of these."""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from django.db import connection

from results.analysis.newest_builds import BuildRun, outdated
from results.models import Curve
from results.queries.among import Among
from results.queries.recipes_seen import began
from results.queries.seen_points import points_of

#: A configuration and a row of scenarios.
Place = tuple[str, int]
_PORTION = 500
_COLUMNS = ("id", "run", "configuration", "scenario", "began", "recipe__engine_version")
_WRITE = """
UPDATE results_curve curve SET points = judged.points, superseded = judged.superseded
FROM unnest(%s::bigint[], %s::int[], %s::bool[]) AS judged(id, points, superseded)
WHERE curve.id = judged.id
  AND (curve.points, curve.superseded) IS DISTINCT FROM (judged.points, judged.superseded)
"""


def judge_builds(places: Iterable[Place]) -> None:
    """Say anew of every curve at these places how much it holds and whether newer builds replaced all of it.

    Whoever calls keeps others from publishing meanwhile. Three queries for each portion of places.
    """
    remaining = iter(sorted(set(places)))
    while portion := list(islice(remaining, _PORTION)):
        builds = dict(_builds(portion))
        replaced = outdated(builds.values())
        rows = [(curve, len(build.points), _gone(build, replaced)) for curve, build in builds.items()]
        with connection.cursor() as cursor:
            cursor.execute(_WRITE, [list(column) for column in zip(*rows, strict=True)] or [[], [], []])


def _builds(places: Collection[Place]) -> Iterator[tuple[int, BuildRun]]:
    """What the curves measured; those of other pairs of these configurations and scenarios do no harm."""
    configurations, scenarios = map(set, zip(*places, strict=True))
    curves = Curve.objects.filter(Among("configuration", configurations), scenario__in=scenarios)
    rows = list(curves.order_by().annotate(began=began("run__")).values_list(*_COLUMNS))
    points = points_of(row[1] for row in rows)
    for curve, run, configuration, scenario, at, version in rows:
        yield curve, BuildRun(configuration, scenario, at, bool(version), points.get(run, ()))


def _gone(build: BuildRun, replaced: Collection[int]) -> bool:
    return bool(build.points) and all(number in replaced for number, _load, _validity in build.points)

"""A metric of one configuration over time, its change points, and what was changed meanwhile."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from results.analysis.changes import Change
from results.analysis.history import Observed, Reading, Watched, at_load, at_x, batch_lines, detect, usual_x
from results.documents.canonical import fingerprint
from results.metrics import METRICS, Direction
from results.models import ChangePoint, Point
from results.queries.among import Among
from results.queries.history_families import FamilyRow, Member, families
from results.queries.lean_points import LeanPoint, lean_points
from results.queries.places import Place, choose, places
from results.queries.points import RESULT, scenario_condition
from results.queries.upstream_changes import UpstreamChange, upstream_changes

LIMIT = 20_000
#: Characters of a family that name it in addresses.
KEY = 12
METRIC, X = "total_throughput_per_gpu", "interactivity_p50"
BASES = ("load", "equal_x")


@dataclass(frozen=True, slots=True)
class Series:
    """What is watched. None chooses: the newest place, the family with most runs, the commonest load or x.

    On basis ``load`` a family is one configuration whatever its build; on ``equal_x`` it is everything of one
    hardware, engine, precision and drafting method, because only several configurations make a frontier.
    """

    model: str | None = None
    scenario: str | None = None
    family: str | None = None
    metric: str = METRIC
    basis: str = "load"
    load: int | None = None
    x: str = X
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """A change point as people left it; ``run`` is where it stands now."""

    id: int
    run: str
    found_at: str
    status: str
    gain: float
    before: float
    votes: tuple[str, ...]
    algorithm_version: str
    note: str
    decided_by: str


@dataclass(frozen=True, slots=True)
class History:
    """``seen`` are changes that the detectors see and no row holds; ``upstream`` lies between the ends."""

    series: Series
    place: Place | None
    places: tuple[Place, ...]
    families: tuple[FamilyRow, ...] = ()
    family: FamilyRow | None = None
    scenario_id: int | None = None
    loads: Mapping[int, int] = field(default_factory=dict)
    load: int | None = None
    observed: tuple[Observed, ...] = ()
    without: Mapping[str, int] = field(default_factory=dict)
    stored: tuple[Stored, ...] = ()
    seen: tuple[Change, ...] = ()
    upstream: tuple[UpstreamChange, ...] = ()
    undated: int = 0
    cut: bool = False

    @property
    def digest(self) -> str | None:
        """Identity of the series under which change points are stored."""
        if self.family is None or self.scenario_id is None:
            return None
        return fingerprint(series_columns(self))


def history(series: Series) -> History:
    """At most seven queries."""
    found = places()
    place = choose(found, series.model, series.scenario)
    if place is None:
        return History(series, None, found)
    choices = families(place, series.basis)
    family = _chosen(choices, series.family)
    if family is None:
        return History(series, place, found, choices)
    points = _points(place, family, series)
    scenario, kept = _one_scenario(points)
    readings = _readings(kept, family.members, series)
    loads = _loads(readings)
    load = series.load or max(loads, key=lambda one: (loads[one], -one), default=None)
    series, watched = _watched(series, readings, load)
    known = History(
        series, place, found, choices, family, scenario, loads, load if series.basis == "load" else None,
        watched.observed, _without(points, kept, readings, watched), cut=len(points) == LIMIT,
    )  # fmt: skip
    return _with_changes(known)


def series_columns(found: History) -> dict[str, Any]:
    """The columns of a change point that say what is watched."""
    by_load = found.series.basis == "load"
    return {
        "family": found.family.key if found.family else "",
        "scenario_id": found.scenario_id,
        "metric": found.series.metric,
        "basis": found.series.basis,
        "load": found.load if by_load else None,
        "x_metric": "" if by_load else found.series.x,
        "x": None if by_load else found.series.at,
    }


def _chosen(families: Sequence[FamilyRow], key: str | None) -> FamilyRow | None:
    if key is None:
        return families[0] if families else None
    return next((one for one in families if one.key.startswith(key)), None)


def _points(place: Place, family: FamilyRow, series: Series) -> list[LeanPoint]:
    """Every current point of every run, published or replaced: history is what was replaced."""
    condition = scenario_condition(place.scenario)
    points = Point.objects.filter(RESULT, condition, Among("run__recipe", family.members), current=True)
    return lean_points(points, (series.metric, series.x), LIMIT)


def _one_scenario(points: Sequence[LeanPoint]) -> tuple[int | None, list[LeanPoint]]:
    """Versions of a corpus are different scenarios; the one with most points is watched."""
    groups: dict[int, list[LeanPoint]] = {}
    for point in points:
        groups.setdefault(point.scenario, []).append(point)
    best = max(groups, key=lambda key: (len(groups[key]), key), default=None)
    return best, groups[best] if best is not None else []


def _readings(points: Sequence[LeanPoint], recipes: Mapping[int, Member], series: Series) -> list[Reading]:
    """Points whose time is known, of recipes that did not fail their accuracy gate."""
    return [
        Reading(
            id=point.id,
            run=str(point.run),
            # A build that was measured with others in one go is an observation of its own.
            batch=f"{point.batch} {recipes[point.recipe].version}",
            configuration=point.recipe,
            version=recipes[point.recipe].version,
            at=point.at,
            load=point.load,
            validity=point.validity,
            x=point.values.get(series.x),
            y=point.values.get(series.metric),
        )
        for point in points
        if point.at is not None and recipes[point.recipe].accuracy != "fail"
    ]


def _loads(readings: Sequence[Reading]) -> dict[int, int]:
    """Batches by load."""
    counts = Counter(load for load, _batch in {(one.load, one.batch) for one in readings})
    return dict(sorted(counts.items()))


def _watched(series: Series, readings: Sequence[Reading], load: int | None) -> tuple[Series, Watched]:
    """What was observed, and the series with the x that was chosen."""
    if series.basis == "load":
        return series, at_load(readings, load) if load is not None else Watched((), {})
    lines = batch_lines(readings, _directions(series))
    x = usual_x(lines) if series.at is None else series.at
    return replace(series, at=x), at_x(lines, x) if x is not None else Watched((), {})


def _directions(series: Series) -> tuple[Direction, Direction]:
    return METRICS[series.x].direction, METRICS[series.metric].direction


def _without(
    points: Sequence[LeanPoint], kept: Sequence[LeanPoint], readings: Sequence[Reading], watched: Watched
) -> dict[str, int]:
    undated = sum(point.at is None for point in kept)
    reasons = {
        "other_scenario": len(points) - len(kept),
        "no_date": undated,
        "accuracy_failed": len(kept) - undated - len(readings),
    }
    return {reason: count for reason, count in reasons.items() if count} | watched.without


def _with_changes(found: History) -> History:
    assert found.family is not None  # noqa: S101
    rows = ChangePoint.objects.filter(series=found.digest).order_by("id")
    stored = tuple(stored_row(row) for row in rows)
    held = {place for one in stored for place in (one.run, one.found_at)}
    seen = tuple(one for one in detect(found.observed, found.series.metric) if one.run not in held)
    upstream: tuple[UpstreamChange, ...] = ()
    undated = 0
    if found.observed:
        first, last = found.observed[0].at, found.observed[-1].at
        upstream, undated = upstream_changes(found.family.recipe, first, last)
    return replace(found, stored=stored, seen=seen, upstream=upstream, undated=undated)


def stored_row(row: ChangePoint) -> Stored:
    return Stored(
        id=row.id,
        run=str(row.moved_to_id or row.run_id),
        found_at=str(row.run_id),
        status=row.status,
        gain=row.gain,
        before=row.before,
        votes=tuple(row.votes),
        algorithm_version=row.algorithm_version,
        note=row.note,
        decided_by=row.decided_by,
    )

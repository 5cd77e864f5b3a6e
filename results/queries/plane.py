"""Two metrics of the explored points: the one question behind chart, table, files, permalinks and API."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from results.analysis.agentx import CANONICAL_X
from results.analysis.axis_names import LOAD
from results.analysis.cost import FORMULAS, derive
from results.analysis.plane import Groups, Placed, directed, groups
from results.analysis.prices import Rate
from results.documents.prices import PriceTable, Tier
from results.metrics import Metric
from results.queries.explore import Explored, Selection, explore
from results.queries.filters import FIELDS
from results.queries.pricing import Pricing, price_table
from results.queries.recipes_seen import RecipeSeen
from results.queries.seen_points import SeenPoint

#: Characters of a fingerprint, or of a digest of a group, that name a series in addresses and on pages.
KEY = 12
#: One series per recipe as long as there are no more of them.
_FEW = 12
#: Accuracy of a recipe whose points reach no frontier.
INACCURATE = "fail"
AUTO, RECIPE, ALL = "auto", "recipe", "all"
#: What points can be grouped by, alone and together, besides ``AUTO`` and ``ALL``.
GROUP_FIELDS: Mapping[str, Callable[[SeenPoint], str]] = {
    **FIELDS,
    RECIPE: lambda point: point.of.recipe.fingerprint,
    "parallel": lambda point: point.of.recipe.build.parallel,
    "build": lambda point: point.of.recipe.engine_version,
    "run": lambda point: str(point.run),
}
GROUPINGS = (AUTO, ALL, *GROUP_FIELDS)


@dataclass(frozen=True, slots=True)
class View:
    """``price_version`` None is the table in force on the selection's day, or today.

    ``also`` are keys of further metrics that points shall carry.
    """

    selection: Selection
    x: Metric
    y: Metric
    group_by: tuple[str, ...] = (AUTO,)
    price_version: str | None = None
    tier: Tier = Tier.RENTAL
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeriesSeen:
    """What one line stands for; ``values`` are those of the fields grouped by, none for a recipe."""

    key: str
    values: tuple[str, ...]
    recipes: tuple[RecipeSeen, ...]
    labels: tuple[str, ...]

    @property
    def first(self) -> RecipeSeen:
        return self.recipes[0]


class PlanePoint(NamedTuple):
    """A point with both numbers; ``canonical`` is None where the AgentX rule does not apply."""

    seen: SeenPoint
    series: str
    x: float
    y: float
    on_frontier: bool
    canonical: bool | None

    @property
    def eligible(self) -> bool:
        return self.seen.validity == "valid" and self.seen.of.recipe.accuracy != INACCURATE

    @property
    def group(self) -> str:
        return group_of(self.series, self.seen.of.scenario_id)


@dataclass(frozen=True)
class Plane:
    """``group_by`` is what was chosen in the end; ``left_out`` counts what has no place by reason."""

    view: View
    explored: Explored
    table: PriceTable | None
    group_by: tuple[str, ...]
    series: tuple[SeriesSeen, ...]
    points: tuple[PlanePoint, ...]
    groups: Groups
    left_out: Mapping[str, int]

    @property
    def directed(self) -> bool:
        return directed(self.view.x, self.view.y)

    @property
    def priced(self) -> bool:
        """Whether a price table had a part in the numbers."""
        return bool({self.view.x.key, self.view.y.key} & FORMULAS.keys())

    def rate_of(self, recipe: RecipeSeen) -> Rate:
        """What a device of this recipe costs and draws under the table in force."""
        return Pricing(self.table, self.view.tier).rate(recipe)

    @cached_property
    def versions(self) -> dict[str, object]:
        """What the numbers depend on besides the question: data, rules, prices."""
        newest = max((point.seen.created_at for point in self.points), default=None)
        return {
            "newest_point_at": newest,
            "newest_point": max((point.seen.id for point in self.points), default=None),
            "rules": sorted({point.seen.rules_version for point in self.points}),
            "prices": self.table.version if self.table is not None and self.priced else None,
            "tier": str(self.view.tier) if self.priced else None,
        }


def group_of(series: str, scenario_id: int) -> str:
    """Points of two scenarios, or of two versions of one, never share a frontier."""
    return f"{series} {scenario_id}"


def look(view: View) -> Plane:
    """Fetch, place, group, find the winners. NoPriceTableError for a version that does not exist."""
    return place(view, *fetch(view))


def fetch(view: View) -> tuple[Explored, PriceTable | None]:
    """The points with the metrics that the view needs, and the prices. NoPriceTableError as of ``look``."""
    table = price_table(view.price_version, view.selection.as_of)
    return explore(view.selection, _needed(view)), table


def place(view: View, explored: Explored, table: PriceTable | None) -> Plane:
    """The points under a view of metrics that were fetched; no query."""
    group_by = resolved(view, explored)
    left_out = Counter(explored.left_out)
    pricing, key_of = Pricing(table, view.tier), _series_keys(group_by)
    placed = {}
    for point in explored.points:
        found = _placed(point, view, key_of(point), pricing)
        if isinstance(found, str):
            left_out[found] += 1
        else:
            placed[point.id] = found
    winners = groups(placed.values(), view.x, view.y)
    points = tuple(_points(explored.points, placed, winners, key_of))
    kept = {reason: n for reason, n in left_out.items() if n}
    return Plane(view, explored, table, group_by, _series(points, explored, group_by), points, winners, kept)


def _points(
    seen: Iterable[SeenPoint],
    placed: Mapping[int, Placed],
    found: Groups,
    key_of: Callable[[SeenPoint], str],
) -> Iterable[PlanePoint]:
    winners, canonical = found.winners, found.canonical
    for point in seen:
        place = placed.get(point.id)
        if place is None:
            continue
        group = found.by_key.get(place.group)
        ruled = group is not None and group.canonical is not None
        yield PlanePoint(
            seen=point,
            series=key_of(point),
            x=place.x,
            y=place.y,
            on_frontier=point.id in winners,
            canonical=point.id in canonical if ruled else None,
        )


def _needed(view: View) -> list[str]:
    sources = [FORMULAS[metric.key][0] for metric in (view.x, view.y) if metric.key in FORMULAS]
    return [view.x.key, view.y.key, CANONICAL_X, *sources, *view.also]


def resolved(view: View, explored: Explored) -> tuple[str, ...]:
    """What ``AUTO`` stands for depends on the scope alone, so no filter moves a point to another line."""
    if view.group_by != (AUTO,):
        return view.group_by
    if len(explored.recipes) <= _FEW:
        return (RECIPE,)
    family = ("hardware", "engine", "precision")
    return family if all(place.agentic for place in explored.places) else (*family, "speculative")


def _value(metric: Metric, point: SeenPoint, rate: Rate) -> float | None:
    if metric is LOAD:
        return float(point.load)
    if metric.key in FORMULAS:
        return derive(metric.key, point.values, rate)
    return point.values.get(metric.key)


def _missing(metric: Metric, axis: str, point: SeenPoint) -> str:
    """Why a point has no place: the number was not measured, or nothing prices it."""
    throughput = point.values.get(FORMULAS[metric.key][0], 0) if metric.key in FORMULAS else 0
    return "no_price" if throughput > 0 else f"{axis}_missing"


def _placed(point: SeenPoint, view: View, series: str, pricing: Pricing) -> Placed | str:
    """The point in the plane, or the reason why it has no place there."""
    rate = pricing.rate(point.of.recipe)
    x, y = _value(view.x, point, rate), _value(view.y, point, rate)
    if x is None:
        return _missing(view.x, "x", point)
    if y is None:
        return _missing(view.y, "y", point)
    derived = view.y.key in FORMULAS
    return Placed(
        id=point.id,
        load=point.load,
        group=group_of(series, point.of.scenario_id),
        x=x,
        y=y,
        validity=point.validity,
        accurate=point.of.recipe.accuracy != INACCURATE,
        canonical_x=point.values.get(CANONICAL_X) if point.of.agentic else None,
        throughput=point.values[FORMULAS[view.y.key][0]] if derived else None,
        rate=rate if derived else None,
    )


def series_key(point: SeenPoint, group_by: tuple[str, ...]) -> str:
    """Names a series in addresses: the recipe's fingerprint, or a digest of the values grouped by."""
    if group_by == (RECIPE,):
        return point.of.recipe.fingerprint[:KEY]
    text = "\n".join((point.of.recipe.model, *group_values(point, group_by)))
    return hashlib.sha256(text.encode()).hexdigest()[:KEY]


def _series_keys(group_by: tuple[str, ...]) -> Callable[[SeenPoint], str]:
    """``series_key`` of points of one plane; those of a run on one host are alike in all that groups them."""
    known: dict[tuple[int, str | None], str] = {}

    def key_of(point: SeenPoint) -> str:
        place = point.of.id.int, point.host
        if place not in known:
            known[place] = series_key(point, group_by)
        return known[place]

    return key_of


def group_values(point: SeenPoint, group_by: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(GROUP_FIELDS[name](point) for name in group_by if name in GROUP_FIELDS)


def _series(
    points: Iterable[PlanePoint], explored: Explored, group_by: tuple[str, ...]
) -> tuple[SeriesSeen, ...]:
    """In the order in which their recipes were first run."""
    rank = {recipe.fingerprint: place for place, recipe in enumerate(explored.recipes)}
    members: dict[str, list[PlanePoint]] = {}
    for point in points:
        members.setdefault(point.series, []).append(point)
    found = []
    for key, own in members.items():
        recipes = {point.seen.of.recipe.fingerprint: point.seen.of.recipe for point in own}
        ordered = tuple(recipes[name] for name in sorted(recipes, key=rank.__getitem__))
        labels = tuple(dict.fromkeys(point.seen.label for point in reversed(own)))
        found.append(SeriesSeen(key, group_values(own[0].seen, group_by), ordered, labels))
    return tuple(sorted(found, key=lambda series: rank[series.first.fingerprint]))

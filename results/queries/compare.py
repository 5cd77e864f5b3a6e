"""Everything a comparison shows: what differs, every metric at one load, equal x, the guards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from results.analysis.interpolation import common_range
from results.analysis.natural_order import natural
from results.analysis.prices import Rate
from results.analysis.side_by_side import (
    Compared,
    Loads,
    Sample,
    Side,
    compare_values,
    loads_of,
    make_side,
)
from results.documents.prices import PriceTable, Tier
from results.metrics import DEFAULT_METRICS, METRICS
from results.models import Point
from results.queries.comparability import GUARD_KEYS, Condition, conditions
from results.queries.compare_iso import IsoRow, iso_means, iso_rows, side_rate
from results.queries.points import point_values
from results.queries.prices import shipped_prices
from results.queries.recipe_text import flatten
from results.queries.sides import Asked, Gathered, Table, gather

X, Y = "interactivity_p50", "total_throughput_per_gpu"
#: Values of one leaf that are listed before they are counted.
_LISTED = 4


@dataclass(frozen=True, slots=True)
class Wanted:
    """``x`` is held equal and ``y`` compared; ``at`` are places on x, empty for usual ones.

    ``load`` is that of the metric table, None the largest that all sides measured. ``prices`` is the version
    of a price table, None that in force on the day that is looked at.
    """

    asked: Asked
    x: str = X
    y: str = Y
    load: int | None = None
    at: tuple[float, ...] = ()
    prices: str | None = None
    tier: Tier = Tier.RENTAL


@dataclass(frozen=True, slots=True)
class MetricRow:
    key: str
    cells: tuple[Compared, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Sides in the order asked; the first one is what the others are compared with."""

    wanted: Wanted
    table: Table
    planes: tuple[Side, ...]
    identity: tuple[tuple[str, tuple[str, ...]], ...]
    loads: Loads
    load: int | None
    evidence: tuple[tuple[int, ...], ...]
    metrics: tuple[MetricRow, ...]
    iso: tuple[IsoRow, ...]
    means: tuple[Compared, ...]
    range: tuple[float, float] | None
    conditions: tuple[Condition, ...]
    prices: PriceTable | None
    rates: tuple[Rate | None, ...]
    only: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def sides(self) -> tuple[Gathered, ...]:
        return self.table.sides

    @property
    def differing(self) -> int:
        return sum(one.stops for one in self.conditions)

    @property
    def price_version(self) -> str | None:
        """None before the first price table."""
        return self.prices.version if self.prices is not None else None

    @property
    def older(self) -> int:
        """Points that are left out because a newer build measured them again."""
        return sum(side.older for side in self.sides)


def place(wanted: Wanted, *more: str) -> tuple[Table, tuple[Side, ...]]:
    """The sides, and their points in the plane of both metrics; points carry ``more`` metrics.

    At most ten queries, whatever the sides have. UnknownSideError for what does not exist.
    """
    table = gather(wanted.asked, (wanted.x, wanted.y, *more))
    x, y = METRICS[wanted.x].direction, METRICS[wanted.y].direction
    return table, tuple(make_side(_samples(side, wanted), x, y) for side in table.sides)


def compare(wanted: Wanted) -> Comparison:
    """A constant number of queries. UnknownSideError, or NoPriceTableError, for what does not exist."""
    prices = _prices(wanted)
    table, planes = place(wanted, *GUARD_KEYS)
    loads = loads_of(planes)
    load = _load(wanted, loads)
    evidence = tuple(plane.cells[load].ids if load in plane.cells else () for plane in planes) if load else ()
    metrics, only = _metrics(evidence)
    rates = tuple(side_rate(side, prices, wanted.tier) for side in table.sides)
    found = tuple(plane.line for plane in planes)
    lines = [line for line in found if line is not None]
    shared = common_range(lines) if len(lines) == len(planes) else None
    return Comparison(
        wanted=wanted,
        table=table,
        planes=planes,
        identity=identity(table.sides),
        loads=loads,
        load=load,
        evidence=evidence,
        metrics=metrics,
        iso=iso_rows(wanted.x, wanted.y, wanted.at, planes, rates),
        means=iso_means(planes, wanted.y, shared),
        range=shared,
        conditions=conditions(table.sides, planes, wanted.y),
        prices=prices,
        rates=rates,
        only=only,
    )


def identity(sides: Sequence[Gathered]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The leaves of the recipes that are not equal on all sides, with their values side by side.

    A side of many configurations lists its values; a dash stands for an absent one.
    """
    leaves = [_leaves(side) for side in sides]
    paths = dict.fromkeys(path for one in leaves for path in one)
    rows = ((path, tuple(one.get(path, "–") for one in leaves)) for path in paths)
    return tuple((path, values) for path, values in rows if len(set(values)) > 1)


def _leaves(side: Gathered) -> dict[str, str]:
    found: dict[str, dict[str, None]] = {}
    for recipe in side.recipes:
        for path, value in flatten(recipe.document).items():
            found.setdefault(path, {})[value] = None
    return {path: _listed(sorted(values, key=natural)) for path, values in found.items()}


def _listed(values: Sequence[str]) -> str:
    shown = ", ".join(values[:_LISTED])
    return shown if len(values) <= _LISTED else f"{shown}, … ({len(values)})"


def _samples(side: Gathered, wanted: Wanted) -> list[Sample]:
    failed = {recipe.id for recipe in side.recipes if recipe.accuracy == "fail"}
    return [
        Sample(
            id=point.id,
            # Two versions of a corpus are two scenarios, and their points no repeats.
            configuration=hash((point.recipe, point.scenario)),
            load=point.load,
            validity="invalid" if point.recipe in failed else point.validity,
            x=point.values.get(wanted.x),
            y=point.values.get(wanted.y),
        )
        for point in side.points
    ]


def _load(wanted: Wanted, loads: Loads) -> int | None:
    if wanted.load in loads.shared or wanted.load in loads.partial:
        return wanted.load
    # Without a load that all share, the one that most share.
    most = max(loads.partial, key=lambda load: (len(loads.partial[load]), load), default=None)
    return loads.shared[-1] if loads.shared else most


def _metrics(
    evidence: Sequence[tuple[int, ...]],
) -> tuple[tuple[MetricRow, ...], dict[str, tuple[int, ...]]]:
    """Every metric that at least two sides measured, and of the others which sides did. One query."""
    points = Point.objects.in_bulk([identifier for ids in evidence for identifier in ids])
    sides = [_medians([point_values(points[identifier]) for identifier in ids]) for ids in evidence]
    have = {key: tuple(n for n, side in enumerate(sides) if key in side) for key in _keys_in_order()}
    rows = tuple(
        MetricRow(key, compare_values(key, [side.get(key) for side in sides]))
        for key, places in have.items()
        if len(places) > 1
    )
    return rows, {key: places for key, places in have.items() if len(places) == 1}


def _keys_in_order() -> list[str]:
    return [*DEFAULT_METRICS, *(key for key in METRICS if key not in DEFAULT_METRICS)]


def _medians(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    keys = {key for row in rows for key in row}
    return {key: median(row[key] for row in rows if key in row) for key in keys}


def _prices(wanted: Wanted) -> PriceTable | None:
    book, day = shipped_prices(), wanted.asked.as_of
    if wanted.prices is not None:
        return book.version(wanted.prices)
    if day is None:
        return book.newest
    return book.as_of(day) if book.tables and day >= book.tables[0].effective else None

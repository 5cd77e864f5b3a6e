"""Values that texts refer to. Two queries whatever a text cites."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from results.analysis.ceilings import ceiling_of
from results.metrics import METRICS
from results.models import HostProbe, Point
from results.queries.points import RESULT

#: Points that a text may cite, far more than any does.
LIMIT = 2_000


@dataclass(frozen=True, slots=True)
class Place:
    """Points of a host by label and load; without a block those of every block."""

    host: str
    label: str
    block: int | None
    load: int


@dataclass(frozen=True, slots=True)
class Cited:
    """``values`` are medians over the points; ``ids`` by block."""

    ids: tuple[int, ...]
    values: Mapping[str, float]


def cited_points(places: Collection[Place], keys: Collection[str]) -> dict[Place, Cited]:
    """Those of the places that were measured here; one query, none without places."""
    wanted = sorted({key for key in keys if key in METRICS})
    if not places or not wanted:
        return {}
    rows = Point.objects.filter(
        RESULT, current=True,
        attempt__host__name__in={place.host for place in places},
        run__label__in={place.label for place in places},
        load__in={place.load for place in places},
    ).order_by("run__block", "id")  # fmt: skip
    columns = ("id", "attempt__host__name", "run__label", "run__block", "load", *wanted)
    found = list(rows.values_list(*columns)[:LIMIT])
    cited = {place: _cited([row for row in found if _fits(row, place)], wanted) for place in places}
    return {place: one for place, one in cited.items() if one.ids}


def host_rates(hosts: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """The newest probe of each host; one query, none without hosts."""
    if not hosts:
        return {}
    rows = HostProbe.objects.filter(host__name__in=hosts).order_by("host_id", "-at").distinct("host_id")
    return dict(rows.values_list("host__name", "document"))


def host_rate(probes: Mapping[str, Mapping[str, Any]], host: str, name: str) -> float | None:
    return ceiling_of(probes.get(host, {}), name)


def _fits(row: tuple[Any, ...], place: Place) -> bool:
    _id, host, label, block, load = row[:5]
    return (host, label, load) == (place.host, place.label, place.load) and place.block in (None, block)


def _cited(rows: list[tuple[Any, ...]], keys: list[str]) -> Cited:
    values = {}
    for number, key in enumerate(keys, start=5):
        known = [row[number] for row in rows if row[number] is not None]
        if known:
            values[key] = float(median(known))
    return Cited(tuple(row[0] for row in rows), values)

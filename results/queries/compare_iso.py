"""Sides at equal x: values of their lines, ratios to the first one, what tokens cost there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from results.analysis.gains.frontiers import MARKS
from results.analysis.interpolation import Line
from results.analysis.iso import IsoCell, iso_costs, iso_ratio, iso_table
from results.analysis.prices import Rate, deployment_rate
from results.analysis.side_by_side import Compared, Side, Word, compared, usual_places
from results.documents.prices import PriceTable, Tier
from results.metrics import METRICS
from results.queries.sides import Gathered


@dataclass(frozen=True, slots=True)
class IsoEntry:
    """One side at one x; ``costs`` are US dollars and the like per token at the same place."""

    cell: IsoCell | None
    ratio: float | None
    word: Word | None
    costs: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class IsoRow:
    x: float
    entries: tuple[IsoEntry, ...]


def iso_rows(
    x: str, y: str, at: Sequence[float], planes: Sequence[Side], rates: Sequence[Rate | None]
) -> tuple[IsoRow, ...]:
    """``y`` of every side where ``x`` is one of ``at``, or of usual places if there are none."""
    lines = {number: plane.line for number, plane in enumerate(planes) if plane.line is not None}
    if not lines:
        return ()
    places = at or usual_places(list(lines.values()), MARKS.get(METRICS[x].unit, ()))
    cells = iso_table({str(number): line for number, line in lines.items()}, places)
    base = lines.get(0)

    def entry(number: int, place: int) -> IsoEntry:
        line = lines.get(number)
        if line is None:
            return IsoEntry(None, None, None, {})
        cell = cells[str(number)][place]
        return _entry(y, base if number else None, line, cell, places[place], rates[number])

    return tuple(
        IsoRow(value, tuple(entry(number, place) for number in range(len(planes))))
        for place, value in enumerate(places)
    )


def _entry(y: str, base: Line | None, line: Line, cell: IsoCell, x: float, rate: Rate | None) -> IsoEntry:
    """Without ``base`` there is nothing to compare with."""
    ratio = iso_ratio(base, line, x) if base is not None else None
    word = None
    if ratio is not None and base is not None:
        word = compared(base.at(x), line.at(x), METRICS[y].direction).word
    kind = y.removesuffix("_throughput_per_gpu")
    priced = rate is not None and kind in ("input", "output", "total")
    costs = iso_costs(line, x, kind, rate) if priced and rate is not None else {}
    return IsoEntry(cell, ratio, word, costs)


def iso_means(planes: Sequence[Side], y: str, shared: tuple[float, float] | None) -> tuple[Compared, ...]:
    """Mean of each line over the common range: the area under it, per unit of x."""
    if shared is None or shared[0] == shared[1]:
        return ()
    values = [plane.line.mean(*shared) if plane.line is not None else None for plane in planes]
    direction = METRICS[y].direction
    first = replace(compared(values[0], values[0], direction), ratio=None, word=None)
    return (first, *(compared(values[0], value, direction) for value in values[1:]))


def side_rate(side: Gathered, prices: PriceTable | None, tier: Tier) -> Rate | None:
    """The rate per device: of one configuration, or of several on one hardware; else there is none."""
    if prices is None:
        return None
    deployments = [recipe.gpus_by_hardware for recipe in side.recipes]
    kinds = {hardware for gpus in deployments for hardware in gpus}
    if len(deployments) > 1 and len(kinds) > 1:
        return None
    return deployment_rate(prices, tier, deployments[0]) if deployments else None

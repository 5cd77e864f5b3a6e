"""From a plane to series, ranked rows and what is drawn: one call behind chart, table and files."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from dashboard.figures.colour import Pair
from dashboard.figures.marks import NO_DASH, dash, symbol
from dashboard.figures.shades import shades
from results.analysis.axes import drawable
from results.analysis.frontier import Candidate, frontier
from results.analysis.interpolation import LeaveOneOut
from results.analysis.plane import DrawnLine, per_gap
from results.queries.frontier import ranking
from results.queries.plane import RECIPE, Plane, PlanePoint, SeriesSeen, group_of
from results.queries.recipe_text import differences
from results.queries.recipes_seen import RecipeSeen
from results.queries.seen_points import SeenPoint

#: Validities whose points may share a frontier with their own kind.
COMPARABLE = ("valid", "diagnostic")
#: A browser draws this many marks without a pause; of more, every winner and an even sample of the rest.
DRAWN = 10_000
#: Drawn places of all lines together.
_PLACES = 1_200
Places = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """How a plane is looked at; ``hidden`` are keys of series, ``overall`` adds the frontier of all."""

    x_log: bool = False
    y_log: bool = False
    only_frontier: bool = False
    hidden: tuple[str, ...] = ()
    sort: str = "rank"
    overall: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One series as the legend shows it; ``diff`` tells a recipe from the other shown recipes.

    ``lines`` has one line per scenario version, ``error`` the largest leave-one-out error among them.
    """

    key: str
    series: SeriesSeen
    diff: Mapping[str, str]
    colour: Pair
    symbol: str
    dash: str
    halo: bool
    visible: bool
    lines: Mapping[int, DrawnLine]

    @property
    def recipe(self) -> RecipeSeen:
        return self.series.first

    @property
    def error(self) -> LeaveOneOut | None:
        found = [line.error for line in self.lines.values() if line.error is not None]
        return max(found, key=lambda error: error.median, default=None)


# A named tuple: pages make thousands of them, and a frozen dataclass takes ten times as long to make.
class Row(NamedTuple):
    """One point in the plane; ``rank`` 1 is best in y."""

    rank: int
    place: PlanePoint
    entry: Entry

    @property
    def point(self) -> SeenPoint:
        return self.place.seen

    @property
    def recipe(self) -> RecipeSeen:
        return self.place.seen.of.recipe

    @property
    def x(self) -> float:
        return self.place.x

    @property
    def y(self) -> float:
        return self.place.y

    @property
    def on_frontier(self) -> bool:
        return self.place.on_frontier

    @property
    def eligible(self) -> bool:
        return self.place.eligible

    @property
    def measured_at(self) -> datetime:
        return self.place.seen.measured_at

    @property
    def scenario(self) -> int:
        return self.place.seen.of.scenario_id


@dataclass(frozen=True, slots=True)
class Arranged:
    """``rows`` are all shown points, ``drawn`` those of them that the chart draws.

    ``candidates`` also holds points that a choice hides. ``lines`` maps (entry key, scenario row) to drawn
    places; ``overall`` is one line per scenario row. ``over`` is another model, scenario or day that lies
    over it.
    """

    plane: Plane
    entries: tuple[Entry, ...]
    rows: tuple[Row, ...]
    drawn: tuple[Row, ...]
    candidates: tuple[Row, ...]
    lines: Mapping[tuple[str, int], Places]
    overall: tuple[Places, ...]
    left_out: Mapping[str, int]
    over: "Arranged | None" = None

    @property
    def layers(self) -> "tuple[Arranged, ...]":
        return (self,) if self.over is None else (self, self.over)


def arrange(plane: Plane, choice: Choice, under: Arranged | None = None) -> Arranged:
    """Name, colour, hide and rank what the plane holds. Who is on a frontier was decided there.

    What lies over another one takes its colours for the same values, and keys of its own.
    """
    entries = _entries(plane, choice.hidden)
    if under is not None:
        entries = tuple(_over(entry, under, choice.hidden) for entry in entries)
    by_key = {entry.series.key: entry for entry in entries}
    left_out = Counter(plane.left_out)
    ranked = sorted(plane.points, key=ranking(plane.view.x, plane.view.y))
    candidates = [Row(0, point, by_key[point.series]) for point in ranked]
    shown = [row for row in candidates if _visible(row, choice, plane.directed, left_out)]
    shown, undrawable = drawable(shown, lambda row: (row.x, row.y), x_log=choice.x_log, y_log=choice.y_log)
    left_out["log"] += undrawable
    rows = [Row(rank, row.place, row.entry) for rank, row in enumerate(shown, start=1)]
    return Arranged(
        plane=plane,
        entries=entries,
        rows=tuple(_sorted(rows, choice.sort)),
        drawn=tuple(_thinned(rows)),
        candidates=tuple(candidates),
        lines=_lines(entries, choice) if plane.directed else _load_lines(rows),
        overall=tuple(_overall(rows, plane)) if choice.overall and plane.directed else (),
        left_out={reason: n for reason, n in left_out.items() if n},
    )


def _entries(plane: Plane, hidden: tuple[str, ...]) -> tuple[Entry, ...]:
    single = plane.group_by == (RECIPE,)
    diffs = differences([one.first.document for one in plane.series]) if single else [{}] * len(plane.series)
    colours = shades(plane)
    return tuple(
        _entry(one, diff, colours[one.key], plane, hidden)
        for one, diff in zip(plane.series, diffs, strict=True)
    )


def _entry(
    one: SeriesSeen, diff: Mapping[str, str], colour: Pair, plane: Plane, hidden: tuple[str, ...]
) -> Entry:
    engines = {recipe.engine for recipe in one.recipes}
    lines = {
        row: group.drawn
        for place in plane.explored.places
        for row in place.rows
        if (group := plane.groups.by_key.get(group_of(one.key, row))) is not None and group.drawn is not None
    }
    return Entry(
        key=one.key,
        series=one,
        diff=diff,
        colour=colour,
        symbol=symbol(one.first.precision),
        dash=dash(one.first.engine) if len(engines) == 1 else NO_DASH,
        halo=all(recipe.offload != "none" for recipe in one.recipes),
        visible=one.key not in hidden,
        lines=lines,
    )


def _over(entry: Entry, under: Arranged, hidden: tuple[str, ...]) -> Entry:
    key = hashlib.sha256(f"over {entry.key}".encode()).hexdigest()[: len(entry.key)]
    same = (one.colour for one in under.entries if one.series.key == entry.key)
    alike = (
        one.colour for one in under.entries if one.series.values and one.series.values == entry.series.values
    )
    colour = next(same, next(alike, entry.colour))
    return replace(entry, key=key, colour=colour, visible=key not in hidden)


def _visible(row: Row, choice: Choice, directed: bool, left_out: Counter[str]) -> bool:
    if not row.entry.visible:
        left_out["legend"] += 1
        return False
    if choice.only_frontier and directed and not row.on_frontier:
        left_out["dominated"] += 1
        return False
    return True


def _thinned(rows: Sequence[Row]) -> list[Row]:
    """Every winner, and of the others evenly spaced ranks, so that the cloud keeps its shape."""
    if len(rows) <= DRAWN:
        return list(rows)
    winners = [row for row in rows if row.on_frontier or row.place.canonical]
    others = [row for row in rows if not (row.on_frontier or row.place.canonical)]
    room = max(0, DRAWN - len(winners))
    step = len(others) / room if room else 0
    return winners + [others[int(number * step)] for number in range(min(room, len(others)))]


def _lines(entries: Iterable[Entry], choice: Choice) -> dict[tuple[str, int], Places]:
    shown = [entry for entry in entries if entry.visible]
    density = per_gap((line.line for entry in shown for line in entry.lines.values()), _PLACES)
    found = {}
    for entry in shown:
        for scenario, line in entry.lines.items():
            places = line.places(x_log=choice.x_log, per_gap=density)
            kept, _dropped = drawable(places, lambda place: place, x_log=choice.x_log, y_log=choice.y_log)
            found[entry.key, scenario] = tuple(kept)
    return found


def _load_lines(rows: Iterable[Row]) -> dict[tuple[str, int], Places]:
    """Where an axis has no better side: the points of one recipe in load order, as long as there is one."""
    members: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        members.setdefault((row.entry.key, row.scenario), []).append(row)
    return {
        place: tuple((row.x, row.y) for row in sorted(own, key=lambda row: row.point.load))
        for place, own in members.items()
        if len({row.point.run for row in own}) == 1
    }


def _overall(rows: Iterable[Row], plane: Plane) -> Iterable[Places]:
    """The frontier of everything shown, one for each version of a scenario."""
    members: dict[int, list[Row]] = {}
    for row in rows:
        if row.eligible or (row.point.validity == "diagnostic" and row.recipe.accuracy != "fail"):
            members.setdefault(row.scenario, []).append(row)
    for own in members.values():
        found = frontier(
            (Candidate(row.point.id, row.point.load, row.x, row.y, row.point.validity) for row in own),
            x=plane.view.x.direction,
            y=plane.view.y.direction,
        )
        yield tuple((knot.x, knot.y) for knot in found.knots)


def _sorted(rows: list[Row], sort: str) -> list[Row]:
    if sort == "x":
        return sorted(rows, key=lambda row: row.x)
    if sort == "load":
        return sorted(rows, key=lambda row: (row.point.load, row.rank))
    if sort == "recipe":
        return sorted(rows, key=lambda row: (row.entry.series.labels, row.entry.key, row.point.load))
    if sort == "date":
        return sorted(rows, key=lambda row: row.measured_at, reverse=True)
    return rows

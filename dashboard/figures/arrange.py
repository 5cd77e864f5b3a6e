"""From fetched points to series, frontier and ranked rows: one call behind chart, table and files."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dashboard.figures.colour import Pair, family, ramp
from dashboard.figures.marks import dash, symbol
from results.analysis.frontier import Candidate, frontier
from results.metrics import Direction, Metric
from results.queries.explore import Explored
from results.queries.points import PointRow
from results.queries.recipe_text import differences
from results.queries.recipes_seen import RecipeSeen

#: Characters of a fingerprint that name a recipe in addresses and on pages.
KEY = 12
#: Validities whose points may share a frontier with their own kind.
COMPARABLE = ("valid", "diagnostic")
#: Accuracy of a recipe whose points are shown hollow and reach no frontier.
INACCURATE = "fail"


@dataclass(frozen=True, slots=True)
class Choice:
    """What of the points is looked at, and how."""

    x: Metric
    y: Metric
    x_log: bool = False
    y_log: bool = False
    only_frontier: bool = False
    hidden: tuple[str, ...] = ()
    sort: str = "rank"

    @property
    def directed(self) -> bool:
        return Direction.NEUTRAL not in (self.x.direction, self.y.direction)


@dataclass(frozen=True, slots=True)
class Entry:
    """One recipe as the legend shows it; ``diff`` is what tells it from the other shown recipes."""

    key: str
    name: str
    recipe: RecipeSeen
    diff: Mapping[str, str]
    colour: Pair
    symbol: str
    dash: str
    halo: bool
    visible: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One point in the plane; ``rank`` 1 is best in y."""

    rank: int
    point: PointRow
    entry: Entry
    x: float
    y: float
    on_frontier: bool

    @property
    def eligible(self) -> bool:
        return self.point.validity == "valid" and self.point.accuracy != INACCURATE

    @property
    def measured_at(self) -> datetime:
        return self.point.ended_at or self.point.measured_at or self.point.created_at

    @property
    def scenario(self) -> str:
        return scenario_of(self.point)


def scenario_of(point: PointRow) -> str:
    """What was asked, exactly: two versions of a corpus are two scenarios."""
    return f"{point.scenario} {point.corpus_version} {point.context_cap}"


@dataclass(frozen=True, slots=True)
class Arranged:
    """``lines`` maps (entry key, scenario) to the frontier's places; ``left_out`` counts by reason."""

    entries: tuple[Entry, ...]
    rows: tuple[Row, ...]
    candidates: tuple[Row, ...]
    lines: Mapping[tuple[str, str], tuple[tuple[float, float], ...]]
    left_out: Mapping[str, int]


def arrange(explored: Explored, choice: Choice) -> Arranged:
    """Drop what has no place in the plane, find each recipe's frontier, rank what is left."""
    left_out = Counter(explored.left_out)
    placed = [point for point in explored.points if _place(point, choice, left_out)]
    entries = _entries(explored.recipes, placed, choice)
    by_fingerprint = {entry.recipe.fingerprint: entry for entry in entries}
    lines, members = _frontiers(placed, choice)
    rows = [
        Row(0, point, by_fingerprint[point.recipe], *_xy(point, choice), on_frontier=point.id in members)
        for point in placed
    ]
    shown = [row for row in rows if _visible(row, choice, left_out)]
    return Arranged(
        entries=entries,
        rows=tuple(_sorted(_ranked(shown, choice), choice.sort)),
        candidates=tuple(rows),
        lines={place: line for place, line in lines.items() if place[0] not in choice.hidden},
        left_out={reason: n for reason, n in left_out.items() if n},
    )


def _xy(point: PointRow, choice: Choice) -> tuple[float, float]:
    return point.values[choice.x.key], point.values[choice.y.key]


def _place(point: PointRow, choice: Choice, left_out: Counter[str]) -> bool:
    """Whether both numbers were measured and have a place on the axes."""
    for metric, log, reason in (
        (choice.x, choice.x_log, "x_missing"),
        (choice.y, choice.y_log, "y_missing"),
    ):
        value = point.values.get(metric.key)
        if value is None:
            left_out[reason] += 1
            return False
        if log and value <= 0:
            left_out["log"] += 1
            return False
    return True


def _entries(recipes: Sequence[RecipeSeen], placed: Iterable[PointRow], choice: Choice) -> tuple[Entry, ...]:
    colours = _colours(recipes)
    present = {point.recipe for point in placed}
    shown = [recipe for recipe in recipes if recipe.fingerprint in present]
    diffs = differences([recipe.document for recipe in shown])
    return tuple(
        _entry(recipe, diff, colours[recipe.fingerprint], choice.hidden)
        for recipe, diff in zip(shown, diffs, strict=True)
    )


def _entry(recipe: RecipeSeen, diff: Mapping[str, str], colour: Pair, hidden: tuple[str, ...]) -> Entry:
    key = recipe.fingerprint[:KEY]
    return Entry(
        key=key,
        name=" / ".join(recipe.labels),
        recipe=recipe,
        diff=diff,
        colour=colour,
        symbol=symbol(recipe.precision),
        dash=dash(recipe.engine),
        halo=recipe.offload != "none",
        visible=key not in hidden,
    )


def _colours(recipes: Sequence[RecipeSeen]) -> dict[str, Pair]:
    """Colours by place among all recipes of the scope, so that no filter changes them."""
    families: dict[str, list[str]] = {}
    for recipe in recipes:
        families.setdefault(family(recipe.vendor, recipe.kind), []).append(recipe.fingerprint)
    return {
        fingerprint: colour
        for name, members in families.items()
        for fingerprint, colour in zip(members, ramp(name, len(members)), strict=True)
    }


def _frontiers(
    placed: Iterable[PointRow], choice: Choice
) -> tuple[dict[tuple[str, str], tuple[tuple[float, float], ...]], set[int]]:
    """Frontier of each recipe and scenario: over valid points, or over diagnostic ones if none is valid."""
    if not choice.directed:
        return {}, set()
    groups: dict[tuple[str, str], dict[str, list[Candidate]]] = {}
    for point in placed:
        if point.accuracy == INACCURATE:
            continue
        x, y = _xy(point, choice)
        group = groups.setdefault((point.recipe[:KEY], scenario_of(point)), {})
        group.setdefault(point.validity, []).append(Candidate(point.id, point.load, x, y))
    lines, members = {}, set[int]()
    for place, group in groups.items():
        kind = next((kind for kind in COMPARABLE if kind in group), None)
        found = frontier(group.get(kind or "", ()), x=choice.x.direction, y=choice.y.direction)
        lines[place] = tuple((knot.x, knot.y) for knot in found.knots)
        members.update(identifier for knot in found.knots for identifier in knot.ids)
    return lines, members


def _visible(row: Row, choice: Choice, left_out: Counter[str]) -> bool:
    if not row.entry.visible:
        left_out["legend"] += 1
        return False
    if choice.only_frontier and choice.directed and not row.on_frontier:
        left_out["dominated"] += 1
        return False
    return True


def _ranked(rows: Iterable[Row], choice: Choice) -> list[Row]:
    """Best y first; the same y by x, then load, then identifier."""
    y_sign = 1 if choice.y.direction is Direction.LOWER else -1
    x_sign = 1 if choice.x.direction is Direction.LOWER else -1
    ordered = sorted(rows, key=lambda r: (y_sign * r.y, x_sign * r.x, r.point.load, r.point.id))
    return [
        Row(place, row.point, row.entry, row.x, row.y, row.on_frontier)
        for place, row in enumerate(ordered, start=1)
    ]


def _sorted(rows: list[Row], sort: str) -> list[Row]:
    if sort == "x":
        return sorted(rows, key=lambda row: row.x)
    if sort == "load":
        return sorted(rows, key=lambda row: (row.point.load, row.rank))
    if sort == "recipe":
        return sorted(rows, key=lambda row: (row.entry.name, row.entry.key, row.point.load))
    if sort == "date":
        return sorted(rows, key=lambda row: row.measured_at, reverse=True)
    return rows

"""What the templates of Explore need, ready to print."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard import words
from dashboard.figures import numbers
from dashboard.figures.arrange import Arranged, Entry, Row
from dashboard.figures.pareto import Axis, Mark, Series, figure
from dashboard.figures.steps import steps
from dashboard.views.explore_state import VALIDITIES, ExploreState
from results.metrics import DEFAULT_METRICS, METRICS
from results.queries.explore import Explored, live_runs
from results.queries.recipe_text import one_line

#: Seconds between two looks for new points.
_BUSY, _IDLE = 4, 30
#: Rows of the table twin; the files hold all.
_TABLE = 500


@dataclass(frozen=True, slots=True)
class Option:
    """``count`` of points; a chosen value that no point has stays visible with 0."""

    value: str
    text: str
    chosen: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Facet:
    name: str
    options: tuple[Option, ...]

    @property
    def active(self) -> bool:
        return any(option.chosen for option in self.options)


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    query: str
    current: bool


def context(state: ExploreState, explored: Explored, arranged: Arranged) -> dict[str, Any]:
    """Template context; ``state`` comes back with the model and scenario that were in fact chosen."""
    state = replace(state, model=explored.model or "", scenario=explored.scenario or "")
    live = live_runs()
    left_out = sorted(arranged.left_out.items(), key=lambda item: -item[1])
    gained = steps(arranged.candidates, arranged.entries)
    return {
        "state": state,
        "canonical": state.query(),
        "explored": explored,
        "model_name": explored.models.get(state.model, state.model),
        "arranged": arranged,
        "recipes_shown": sum(entry.visible for entry in arranged.entries),
        "entries": [(entry, state.toggled(entry.key)) for entry in arranged.entries],
        "left_out": [(words.word(words.LEFT_OUT, reason), count) for reason, count in left_out],
        "left_out_total": sum(arranged.left_out.values()),
        "facets": list(_facets(state, explored)),
        "models": _options(explored.models, state.model),
        "scenarios": _options({name: name for name in explored.scenarios}, state.scenario),
        "validities": [
            Option(name, words.word(words.VALIDITIES, name), name == state.validity) for name in VALIDITIES
        ],
        "metrics_first": [_metric_option(key) for key in DEFAULT_METRICS],
        "metrics_rest": [_metric_option(key) for key in METRICS if key not in DEFAULT_METRICS],
        "switches": _switches(state),
        "sorts": {name: state.query(sort=name) for name in ("rank", "x", "load", "recipe", "date")},
        "steps": gained,
        "single_runs": all(step.runs == 1 for step in gained),
        "rows": arranged.rows[:_TABLE],
        "x_unit": METRICS[state.x].unit,
        "y_unit": METRICS[state.y].unit,
        "figure": _figure(state, arranged) if arranged.rows else None,
        "pinned": _pinned(state, arranged),
        "unpinned": state.query(point=""),
        "pin": f"{state.query(point='')}&point=",
        "diagnostic": explored.validity == "diagnostic" and bool(arranged.rows),
        "mixed": len({row.scenario for row in arranged.rows}) > 1,
        "rules": sorted({row.point.rules_version for row in arranged.rows}),
        "live": live,
        "seconds": _BUSY if live else _IDLE,
    }


def _options(names: Mapping[str, str], current: str) -> list[Option]:
    options = [Option(value, text, value == current) for value, text in names.items()]
    if current and current not in names:
        options.append(Option(current, current, chosen=True))
    return options


def _facets(state: ExploreState, explored: Explored) -> Iterator[Facet]:
    for name, counts in explored.facets.items():
        wanted = state.chosen.get(name, ())
        values = dict.fromkeys([*counts, *wanted])
        if len(values) > 1 or wanted:
            options = (
                Option(value, _facet_text(name, value), value in wanted, counts.get(value, 0))
                for value in values
            )
            yield Facet(name, tuple(options))


def _facet_text(name: str, value: str) -> str:
    if value != "none":
        return value
    return _("off") if name == "offload" else _("not given")


def _metric_option(key: str) -> tuple[str, str]:
    return key, f"{words.metric_label(key)} ({METRICS[key].unit})"


def _switches(state: ExploreState) -> dict[str, list[Link]]:
    scale = [("lin", _("linear")), ("log", _("log"))]
    show = [("all", _("all points")), ("frontier", _("frontier only"))]
    return {
        name: [
            Link(text, state.query(**{name: value}), getattr(state, name) == value) for value, text in values
        ]
        for name, values in (("xscale", scale), ("yscale", scale), ("show", show))
    }


def _pinned(state: ExploreState, arranged: Arranged) -> Row | None:
    return next((row for row in arranged.rows if str(row.point.id) == state.point), None)


def _figure(state: ExploreState, arranged: Arranged) -> dict[str, Any]:
    series = [one for entry in arranged.entries if entry.visible for one in _series(entry, state, arranged)]
    return figure(series, _axis(state.x, state.xscale), _axis(state.y, state.yscale))


def _axis(key: str, scale: str) -> Axis:
    metric = METRICS[key]
    return Axis(
        title=words.metric_label(key),
        unit=metric.unit,
        log=scale == "log",
        better=words.better(metric.direction),
    )


def _series(entry: Entry, state: ExploreState, arranged: Arranged) -> Iterator[Series]:
    """One for each scenario, so that no line joins points of two corpora."""
    rows = [row for row in arranged.rows if row.entry.key == entry.key]
    for scenario in sorted({row.scenario for row in rows}):
        yield Series(
            key=entry.key,
            name=entry.name,
            colour=entry.colour,
            symbol=entry.symbol,
            dash=entry.dash,
            halo=entry.halo,
            marks=tuple(_mark(row, state) for row in rows if row.scenario == scenario),
            line=arranged.lines.get((entry.key, scenario), ()),
        )


def _mark(row: Row, state: ExploreState) -> Mark:
    recipe = row.entry.recipe
    gpus = ngettext("%(count)d device", "%(count)d devices", recipe.gpu_count) % {"count": recipe.gpu_count}
    lines = [
        f"{row.point.label} · {_('load')} {row.point.load}",
        one_line(row.entry.diff),
        f"{words.metric_label(state.x)}: {numbers.short(row.x)} {METRICS[state.x].unit}",
        f"{words.metric_label(state.y)}: {numbers.short(row.y)} {METRICS[state.y].unit}",
        f"{recipe.hardware} · {gpus} · {recipe.engine_name} {recipe.engine_version} · {recipe.precision}",
        words.word(words.VALIDITIES, row.point.validity),
    ]
    return Mark(
        id=row.point.id,
        load=row.point.load,
        x=row.x,
        y=row.y,
        on_frontier=row.on_frontier,
        eligible=row.eligible,
        lines=tuple(line for line in lines if line),
    )

"""The chart of Explore: what the figure module draws, in the reader's language."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from dashboard import words
from dashboard.figures import numbers
from dashboard.figures.arrange import Arranged, Entry, Row
from dashboard.figures.labels import series_name
from dashboard.figures.panels import MOST
from dashboard.figures.pareto import Axis, Extras, Series, figure
from dashboard.views.explore_caption import caption, layer_name
from dashboard.views.explore_controls import facet_text
from dashboard.views.explore_marks import Marks
from dashboard.views.explore_state import ExploreState
from results.metrics import Metric
from results.queries.filters import FIELDS
from results.queries.plane import RECIPE
from results.queries.recipe_text import one_line


def drawing(state: ExploreState, arranged: Arranged) -> dict[str, Any]:
    """``{"data", "layout", "caption"}`` for Plotly, without colours of the page."""
    panels = panels_of(state, arranged)
    layers = (_layer(state, layer, panels, faint=layer is not arranged) for layer in arranged.layers)
    series = [one for layer in layers for one in layer]
    titles = _titles(state, arranged) if panels else {}
    extras = Extras(
        arranged.overall, float(state.at) if state.at else None, tuple(titles[value] for value in panels)
    )
    axes = _axis(state.x_metric, state.xscale), _axis(state.y_metric, state.yscale)
    return figure(series, *axes, extras) | {"caption": caption(state, arranged)}


def panels_of(state: ExploreState, arranged: Arranged) -> tuple[str, ...]:
    """The values of the facet that have a panel: those with most points, in their own order."""
    if not state.facet:
        return ()
    counts = Counter(FIELDS[state.facet](row.point) for layer in arranged.layers for row in layer.drawn)
    most = {value for value, _count in counts.most_common(MOST)}
    return tuple(sorted(most))


def _titles(state: ExploreState, arranged: Arranged) -> dict[str, str]:
    """What each value of the facet is called above its panel."""
    rows = [row for layer in arranged.layers for row in layer.drawn]
    read = FIELDS[state.facet]
    if state.facet == "hardware":
        return {read(row.point): row.recipe.hardware_name for row in rows}
    if state.facet == "engine":
        return {read(row.point): row.recipe.engine_name for row in rows}
    return {value: facet_text(state.facet, value) for value in {read(row.point) for row in rows}}


def _axis(metric: Metric, scale: str) -> Axis:
    return Axis(
        title=words.metric_label(metric.key),
        unit=metric.unit,
        log=scale == "log",
        better=words.better(metric.direction),
    )


def _layer(
    state: ExploreState, arranged: Arranged, panels: tuple[str, ...], *, faint: bool
) -> Iterator[Series]:
    """The series of each entry: one for each version of the scenario, so that no line joins two corpora."""
    members: dict[str, dict[int, list[Row]]] = {}
    for row in arranged.drawn:
        members.setdefault(row.entry.key, {}).setdefault(row.scenario, []).append(row)
    marks = Marks("none" if faint else _label_kind(state, arranged))
    for entry in arranged.entries:
        first = _series(entry, state, arranged, faint=faint)
        for scenario, rows in sorted(members.get(entry.key, {}).items()):
            value = FIELDS[state.facet](rows[0].point) if state.facet else ""
            if not value or value in panels:
                yield replace(
                    first,
                    marks=tuple(map(marks.of, rows)),
                    line=arranged.lines.get((entry.key, scenario), ()),
                    panel=panels.index(value) + 1 if value else 1,
                )


def _series(entry: Entry, state: ExploreState, arranged: Arranged, *, faint: bool) -> Series:
    """What the series of an entry have in common; no marks yet."""
    name = series_name(entry.series, arranged.plane.group_by)
    return Series(
        key=entry.key,
        name=f"{name} ({layer_name(state, arranged)})" if faint else name,
        colour=entry.colour,
        symbol=entry.symbol,
        dash=entry.dash,
        halo=False,
        marks=(),
        line=(),
        about=tuple(_about(entry, arranged)),
        faint=faint,
    )


def _label_kind(state: ExploreState, arranged: Arranged) -> str:
    """Loads tell the points of one recipe apart; those of several differ in parallelism first."""
    if state.labels != "auto":
        return state.labels
    return "load" if arranged.plane.group_by == (RECIPE,) else "parallel"


def _about(entry: Entry, arranged: Arranged) -> Iterator[str]:
    if arranged.plane.group_by == (RECIPE,):
        if entry.diff:
            yield one_line(entry.diff)
    else:
        yield series_name(entry.series, arranged.plane.group_by)
    if entry.error is not None:
        yield _("Line error: %(share)s, leave one out") % {"share": numbers.share(entry.error.median)}

"""The chart of Explore: what the figure module draws, in the reader's language."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard import words
from dashboard.figures import numbers
from dashboard.figures.arrange import Arranged, Entry, Row
from dashboard.figures.labels import mark_label, series_name
from dashboard.figures.marks import symbol
from dashboard.figures.panels import MOST
from dashboard.figures.pareto import Axis, Extras, Mark, Series, figure
from dashboard.views.explore_caption import caption, layer_name
from dashboard.views.explore_controls import facet_text
from dashboard.views.explore_state import ExploreState
from results.metrics import Metric
from results.queries.explore import FIELDS
from results.queries.plane import RECIPE
from results.queries.recipe_text import one_line


def drawing(state: ExploreState, arranged: Arranged) -> dict[str, Any]:
    """``{"data", "layout", "caption"}`` for Plotly, without colours of the page."""
    panels = panels_of(state, arranged)
    series = [
        one
        for layer in arranged.layers
        for entry in layer.entries
        if entry.visible
        for one in _series(entry, state, layer, panels, faint=layer is not arranged)
    ]
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


def _series(
    entry: Entry, state: ExploreState, arranged: Arranged, panels: tuple[str, ...], *, faint: bool
) -> Iterator[Series]:
    """One for each version of the scenario, so that no line joins points of two corpora."""
    rows = [row for row in arranged.drawn if row.entry.key == entry.key]
    kind = "none" if faint else _label_kind(state, arranged)
    name = series_name(entry.series, arranged.plane.group_by)
    for scenario in sorted({row.scenario for row in rows}):
        own = [row for row in rows if row.scenario == scenario]
        value = FIELDS[state.facet](own[0].point) if state.facet else ""
        if value and value not in panels:
            continue
        yield Series(
            key=entry.key,
            name=f"{name} ({layer_name(state, arranged)})" if faint else name,
            colour=entry.colour,
            symbol=entry.symbol,
            dash=entry.dash,
            halo=False,
            marks=tuple(_mark(row, kind) for row in own),
            line=arranged.lines.get((entry.key, scenario), ()),
            about=tuple(_about(entry, arranged)),
            panel=panels.index(value) + 1 if value else 1,
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


def _mark(row: Row, kind: str) -> Mark:
    recipe = row.recipe
    gpus = ngettext("%(count)d device", "%(count)d devices", recipe.gpu_count) % {"count": recipe.gpu_count}
    described = (recipe.hardware_name, gpus, recipe.build.parallel, recipe.precision)
    build = f"{recipe.engine_name} {recipe.engine_version}"
    state = f"{words.word(words.VALIDITIES, row.point.validity)} · {row.measured_at:%Y-%m-%d}"
    return Mark(
        id=row.point.id,
        load=row.point.load,
        label=mark_label(row, kind),
        x=row.x,
        y=row.y,
        on_frontier=row.on_frontier,
        eligible=row.eligible,
        symbol=symbol(recipe.precision),
        halo=recipe.offload != "none",
        ring=bool(row.place.canonical),
        lines=(f"{row.point.label} · {_('load')} {row.point.load}", " · ".join(described), build, state),
    )

"""Frontier of a comparison before and after: every launch, the medians, and a line through each side."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from dashboard import words
from dashboard.figures import numbers
from dashboard.figures.colour import Pair, family, ramp
from dashboard.figures.pareto import Axis, Mark, Series, figure
from results.analysis.frontier import Candidate, frontier
from results.analysis.gains.frontiers import median_points
from results.analysis.gains.plan import FrontierAxes
from results.analysis.interpolation import Line
from results.metrics import METRICS, gettext_noop
from results.queries.comparison_points import Launch

ARMS = {"A": gettext_noop("baseline"), "B": gettext_noop("candidate")}
_LOOKS = {"A": ("circle-open", "dash"), "B": ("circle", "solid")}
EMPTY: dict[str, Any] = {"data": [], "layout": {}}


def before_after(
    launches: Sequence[Launch], axes: FrontierAxes | None, vendor: str, kind: str
) -> dict[str, Any]:
    """Without axes nothing is drawn. Medians over launches come before dominance, as in the verdict."""
    if axes is None:
        return EMPTY
    colours = ramp(family(vendor, kind), len(ARMS))
    series = [
        _series(arm, colour, [one for one in launches if one.arm == arm], axes)
        for arm, colour in zip(ARMS, colours, strict=True)
    ]
    # The upright axis has no room for more than its name.
    return figure(series, _axis(axes.x, words.better(METRICS[axes.x].direction)), _axis(axes.y, ""))


def _series(arm: str, colour: Pair, launches: Sequence[Launch], axes: FrontierAxes) -> Series:
    blocks = sorted({one.block for one in launches})
    sides = [{one.load: dict(one.values) for one in launches if one.block == block} for block in blocks]
    points = median_points(sides, axes)
    knots = frontier(points, x=METRICS[axes.x].direction, y=METRICS[axes.y].direction).knots
    marks = [_mark(one, axes, arm) for one in points]
    marks += [_launch(one, axes, arm) for one in launches if {axes.x, axes.y} <= one.values.keys()]
    line = Line(knots).places() if len(knots) > 1 else ()
    symbol, dash = _LOOKS[arm]
    return Series(arm, _(ARMS[arm]), colour, symbol, dash, False, tuple(marks), tuple(line))


def _mark(one: Candidate, axes: FrontierAxes, arm: str) -> Mark:
    x, y = one.x or 0.0, one.y or 0.0
    lines = (f"{_(ARMS[arm])}, {_('median over launches')}", *_lines(one.load, x, y, axes))
    return Mark(0, one.load, x, y, on_frontier=True, eligible=True, lines=lines)


def _launch(one: Launch, axes: FrontierAxes, arm: str) -> Mark:
    x, y = one.values[axes.x], one.values[axes.y]
    block = _("block %(block)s") % {"block": one.block}
    lines = (f"{_(ARMS[arm])}, {block}", *_lines(one.load, x, y, axes))
    return Mark(one.point, one.load, x, y, on_frontier=False, eligible=True, lines=lines, label="")


def _lines(load: int, x: float, y: float, axes: FrontierAxes) -> tuple[str, ...]:
    shown = (
        f"{words.metric_label(key)}: {numbers.measured(value, METRICS[key].unit)}"
        for key, value in ((axes.x, x), (axes.y, y))
    )
    return (_("load %(load)s") % {"load": load}, *shown)


def _axis(key: str, better: str) -> Axis:
    return Axis(words.metric_label(key), METRICS[key].unit, False, better)

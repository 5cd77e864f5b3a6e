"""Latencies of the requests over time and against the length of their prompts."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from dashboard.figures.point.chart import Axis, Chart, Line
from dashboard.figures.point.sheet import Sheet
from results.analysis.over_time import ROLLING, medians_by, rolling, thinned
from results.analysis.request_columns import RequestColumns

Array = NDArray[Any]

#: Dots of one chart, and how many of the slowest are always among them.
DOTS, SLOWEST = 3000, 100
#: A prompt is mostly cached from here on.
_MOSTLY = 0.5


def latency_charts(sheet: Sheet) -> Iterator[Chart]:
    requests = sheet.requests
    if requests is None or not len(requests):
        return
    for name, title in (("ttft", _("Time to first token")), ("itl", _("Inter-token latency"))):
        values = requests[name]
        # Zero or less is a clock artefact, which the percentiles of the point leave out too.
        known = np.flatnonzero(~(requests["failure"] >= 0) & ~requests["cancelled"] & (values > 0))
        if len(known):
            yield _over_time(sheet, requests, name, title, known)
            if (requests["input_tokens"][known] >= 0).any():
                yield _against_input(requests, name, title, known[requests["input_tokens"][known] >= 0])


def left_out(count: int, k: int) -> str:
    """What a chart of ``count`` requests shows when every k-th is drawn."""
    if k == 1:
        return _("All %(count)s requests.") % {"count": f"{count:,}"}
    return _("Every %(k)s-th of %(count)s requests, and the %(slowest)s slowest.") % {
        "k": f"{k:,}", "count": f"{count:,}", "slowest": SLOWEST,
    }  # fmt: skip


def _over_time(sheet: Sheet, requests: RequestColumns, name: str, title: str, known: Array) -> Chart:
    values, times = requests[name], sheet.seconds(requests["start_ns"])
    dots, k = thinned(known, values, DOTS, SLOWEST)
    centres, lines = rolling(values[known], (50, 90))
    at = times[known[centres]]
    around = _("of %(count)s requests around") % {"count": min(ROLLING, len(known))}
    return Chart(
        key=f"{name}-time",
        title=_("%(metric)s over time") % {"metric": title},
        sentence=left_out(len(known), k) + " " + _("The lines are computed from all of them."),
        x=Axis(_("sent at"), "s"),
        y=Axis(title, "s"),
        lines=(
            Line(_("one request"), times[dots], values[dots], "grey", "markers"),
            Line(f"P50 {around}", at, lines[0], "blue"),
            Line(f"P90 {around}", at, lines[1], "orange", dash="dash"),
        ),
        csv="requests",
    )


def _against_input(requests: RequestColumns, name: str, title: str, known: Array) -> Chart:
    values, lengths = requests[name], requests["input_tokens"].astype(np.float64)
    dots, k = thinned(known, values, DOTS, SLOWEST)
    length, median, tail = medians_by(lengths[known], values[known])
    return Chart(
        key=f"{name}-input",
        title=_("%(metric)s against input length") % {"metric": title},
        sentence=left_out(len(known), k) + " " + _("The lines go through groups of equally many requests."),
        x=Axis(_("input length"), "tok"),
        y=Axis(title, "s"),
        lines=(
            *_dots_by_cache(requests, lengths, values, dots),
            Line(_("P50 of the group"), length, median, "blue"),
            Line(_("P90 of the group"), length, tail, "orange", dash="dash"),
        ),
        csv="requests",
    )


def _dots_by_cache(requests: RequestColumns, lengths: Array, values: Array, dots: Array) -> Iterator[Line]:
    """Whether a prompt came from a cache explains its TTFT, so the two kinds look different."""
    cached = requests["cached_tokens"]
    if (cached < 0).all():
        yield Line(_("one request"), lengths[dots], values[dots], "grey", "markers")
        return
    mostly = cached[dots] >= _MOSTLY * lengths[dots]
    for name, chosen, colour, symbol in (
        (_("less than half of the prompt cached"), dots[~mostly], "purple", "x-thin-open"),
        (_("half of the prompt cached or more"), dots[mostly], "green", "circle-open"),
    ):
        if len(chosen):
            yield Line(name, lengths[chosen], values[chosen], colour, "markers", symbol=symbol)

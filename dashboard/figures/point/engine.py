"""What the engine said about itself while the load was measured."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from dashboard.figures.point.chart import Axis, Chart, Line, numbered
from dashboard.figures.point.sheet import Sheet
from results.analysis.engine_columns import EngineColumns
from results.analysis.over_time import in_flight, rate, share, spread

Array = NDArray[Any]

#: Samples, one a second, over which a rate or a share is taken.
_WIDTH = 15


@dataclass(frozen=True, slots=True)
class _Drawn:
    """``at`` are seconds from zero of the samples ``places`` that are drawn."""

    sheet: Sheet
    engine: EngineColumns
    at: Array
    places: Array

    def line(
        self, name: str, values: Array, colour: str, *, kind: str = "lines", dash: str = "solid"
    ) -> Line:
        return Line(name, self.at, values[self.places], colour, kind, dash)

    def grown(self, name: str) -> Array:
        """A counter from zero at the first sample that is drawn."""
        counter: Array = self.engine.columns[name]
        grown: Array = counter - counter[self.places[0]]
        return grown


def engine_charts(sheet: Sheet) -> Iterator[Chart]:
    engine = sheet.columns.engine
    if engine is None or len(engine.at) < 2:
        return
    times, inside = sheet.samples(engine.at)
    if not len(inside):
        return
    places = inside[spread(len(inside))]
    drawn = _Drawn(sheet, engine, times[places], places)
    for draw in (_queue, _usage, _hit_rate, _sources, _tokens, _preemptions):
        found = draw(drawn)
        if found is not None:
            yield found


def _chart(key: str, title: str, sentence: str, y: Axis, lines: list[Line]) -> Chart | None:
    if not lines:
        return None
    return Chart(key, title, sentence, Axis(_("time"), "s"), y, tuple(lines), "engine")


def _queue(drawn: _Drawn) -> Chart | None:
    columns = drawn.engine.columns
    lines = [
        drawn.line(name, columns[key], colour, dash=dash)
        for key, name, colour, dash in (
            ("running", _("running in the engine"), "blue", "solid"),
            ("waiting", _("waiting in the engine"), "orange", "dash"),
        )
        if key in columns
    ]
    requests = drawn.sheet.columns.requests
    if requests is not None and len(requests):
        starts, ends = (drawn.sheet.seconds(requests[name]) for name in ("start_ns", "end_ns"))
        flying = in_flight(starts, ends, drawn.at).astype(np.float64)
        lines.append(Line(_("in flight at the client"), drawn.at, flying, "grey", dash="dot"))
    sentence = _("As the engine counts them, beside what the client has sent and not yet received.")
    return _chart("queue", _("Running and waiting requests"), sentence, Axis(_("requests"), "req"), lines)


def _usage(drawn: _Drawn) -> Chart | None:
    lines = []
    for place, (name, column) in enumerate(drawn.engine.each("kv_usage").items()):
        colour, dash = numbered(place)
        title = _("device, engine %(name)s") % {"name": name} if name else _("device")
        lines.append(drawn.line(title, column, colour, dash=dash))
    for name, column in drawn.engine.each("host_kv_usage").items():
        title = _("host, engine %(name)s") % {"name": name} if name else _("host")
        lines.append(drawn.line(title, column, "grey", dash="dot"))
    sentence = _("Share of the KV cache that is in use, as the engine says.")
    return _chart("kv", _("KV cache usage"), sentence, Axis(_("share in use"), "", top=1), lines)


def _tiers(engine: EngineColumns) -> list[tuple[str, str, str]]:
    """Colour, name and counter of each kind of cached prompt tokens, as finely as the engine tells them."""
    known = [("green", _("cache, tier not told"), "cached")]
    if "cached_device" in engine.columns:
        known = [("green", _("device cache"), "cached_device"), ("purple", _("host cache"), "cached_host")]
    elif "cached_local" in engine.columns:
        known = [("green", _("device cache"), "cached_local")]
        known += [("purple", _("external cache"), "cached_external")]
    return [tier for tier in known if tier[2] in engine.columns]


def _hit_rate(drawn: _Drawn) -> Chart | None:
    columns = drawn.engine.columns
    cached = [columns[key] for key in ("cached", "cached_local", "cached_external") if key in columns]
    if "computed" not in columns or not cached:
        return None
    hits = np.sum(cached, axis=0)
    whole = hits + columns["computed"]
    lines = [drawn.line(_("measured, all caches"), share(hits, whole, _WIDTH), "blue")]
    tiers = _tiers(drawn.engine)
    if len(tiers) > 1:
        lines += [
            drawn.line(name, share(columns[key], whole, _WIDTH), colour, dash="dot")
            for colour, name, key in tiers
        ]
    theory = drawn.sheet.values.get("theoretical_cache_hit_rate")
    if theory is not None:
        # A cache without limit and without eviction, over the whole window: a number, not a course.
        level = np.full(len(drawn.engine.at), theory)
        lines.append(drawn.line(_("theoretical, whole window"), level, "orange", dash="dash"))
    sentence = _("Cached / all prompt tokens of %(width)s s around; gaps are times without prompts.")
    axis = Axis(_("hit rate"), "", top=1)
    return _chart("hits", _("Prefix cache hit rate"), sentence % {"width": _WIDTH}, axis, lines)


def _sources(drawn: _Drawn) -> Chart | None:
    if "computed" not in drawn.engine.columns:
        return None
    sources = [("grey", _("computed"), "computed"), *_tiers(drawn.engine)]
    lines = [drawn.line(name, drawn.grown(key), colour, kind="area") for colour, name, key in sources]
    sentence = _("Prompt tokens since the beginning, stacked by where they came from.")
    return _chart("sources", _("Prompt tokens by source"), sentence, Axis(_("tokens"), "tok"), lines)


def _tokens(drawn: _Drawn) -> Chart | None:
    columns, at = drawn.engine.columns, drawn.engine.at
    lines = [
        drawn.line(name, rate(columns[key], at, _WIDTH), colour, dash=dash)
        for key, name, colour, dash in (
            ("computed", _("prompt tokens computed"), "grey", "dash"),
            ("generated", _("tokens generated"), "blue", "solid"),
        )
        if key in columns
    ]
    sentence = _("Of the whole deployment, over %(width)s s around.") % {"width": _WIDTH}
    return _chart("tokens", _("Tokens per second"), sentence, Axis(_("rate"), "tok/s"), lines)


def _preemptions(drawn: _Drawn) -> Chart | None:
    if "preemptions" not in drawn.engine.columns:
        return None
    line = drawn.line(_("preemptions"), drawn.grown("preemptions"), "orange")
    sentence = _("Requests thrown out of the batch because the KV cache was full, since the beginning.")
    return _chart("preemptions", _("Preemptions"), sentence, Axis(_("preemptions"), ""), [line])

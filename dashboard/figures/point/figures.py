"""All figures of a point, for the page that frames them and for the script that draws them."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dashboard.figures.point.chart import Chart
from dashboard.figures.point.engine import engine_charts
from dashboard.figures.point.gpu import gpu_charts
from dashboard.figures.point.latency import latency_charts
from dashboard.figures.point.sheet import Sheet
from dashboard.figures.point.timeline import Timeline, timeline
from dashboard.words import OUTCOMES


@dataclass(frozen=True, slots=True)
class Figures:
    """``lanes`` is None without requests; a list is empty where nothing was measured."""

    lanes: Timeline | None
    requests: list[Chart]
    engine: list[Chart]
    gpu: list[Chart]

    @property
    def charts(self) -> list[Chart]:
        return [*self.requests, *self.engine, *self.gpu]


def figures(sheet: Sheet, first_lane: int = 0) -> Figures:
    return Figures(
        lanes=timeline(sheet, first_lane),
        requests=list(latency_charts(sheet)),
        engine=list(engine_charts(sheet)),
        gpu=list(gpu_charts(sheet)),
    )


def to_json(found: Figures, sheet: Sheet) -> dict[str, Any]:
    return {
        "timeline": None if found.lanes is None else found.lanes.to_json(sheet),
        "charts": [chart.to_json() for chart in found.charts],
        "words": _words(),
    }


def _words() -> dict[str, Any]:
    """What the script says in hover texts and beside axes."""
    return {
        "time": _("time (s)"),
        "turn": _("turn"),
        "queue": _("waiting to be sent"),
        "prefill": _("until first token"),
        "decode": _("answering"),
        "other": _("failed or cut off"),
        "total": _("total"),
        "input": _("input tokens"),
        "output": _("output tokens"),
        "cached": _("cached"),
        "outcomes": {code: str(text) for code, text in OUTCOMES.items()},
    }

"""Power and clocks of the GPUs while the load was measured."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from dashboard.figures.point.chart import Axis, Chart, Line, numbered
from dashboard.figures.point.sheet import Sheet
from results.analysis.over_time import spread


def gpu_charts(sheet: Sheet) -> Iterator[Chart]:
    for key, quantity, title, unit in (
        ("power", "power_watts", _("GPU power"), "W"),
        ("clock", "sm_clock_mhz", _("GPU clock"), "MHz"),
        ("temperature", "temperature_celsius", _("GPU temperature"), "°C"),
    ):
        lines = tuple(_lines(sheet, quantity))
        if lines:
            sentence = _("One line per GPU, sampled once a second.")
            yield Chart(key, title, sentence, Axis(_("time"), "s"), Axis(title, unit), lines, "gpu")


def _lines(sheet: Sheet, quantity: str) -> Iterator[Line]:
    gpus = {} if sheet.columns.gpu is None else sheet.columns.gpu.gpus
    for number, columns in enumerate(gpus.values()):
        times, inside = sheet.samples(columns["at"])
        values = columns[quantity]
        if len(inside) and (values[inside] == values[inside]).any():
            places = inside[spread(len(inside))]
            colour, dash = numbered(number)
            yield Line(f"GPU {number}", times[places], values[places], colour, dash=dash)

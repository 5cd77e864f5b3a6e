"""The parts of Explore that repeat hundreds of times, written without a template for each."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import orjson
from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from dashboard.figures.arrange import Entry
from dashboard.figures.sketch import sketch as sketched
from dashboard.selects import option_rows
from dashboard.views.explore_controls import Facet, Option, axis_groups
from dashboard.views.explore_legend import buttons
from dashboard.views.explore_rows import table_rows
from dashboard.views.explore_table import Twin

register = template.Library()


@register.simple_tag
def point_rows(twin: Twin) -> SafeString:
    """Rows of the table twin."""
    return table_rows(twin)


@register.simple_tag
def legend_buttons(entries: Iterable[tuple[Entry, str, str]], base: str, layer: str = "") -> SafeString:
    """A button for each entry of a legend."""
    return buttons(entries, base, layer)


_CHECK = (
    '<label class="check" for="{0}"><input type="checkbox" id="{0}" name="{1}" value="{2}"{3}>'
    '<span>{4}</span><span class="count">{5}</span></label>'
)
#: By whether the reader chose it.
_CHECKED = ("", SafeString(" checked"))


@register.simple_tag
def select_options(options: Iterable[Option]) -> SafeString:
    return option_rows((one.value, one.text, one.chosen) for one in options)


@register.simple_tag
def facet_checks(facet: Facet) -> SafeString:
    """A box for each value, with the number of its points."""
    rows = (
        (f"f-{facet.name}-{place}", facet.name, one.value, _CHECKED[one.chosen], one.text, one.count)
        for place, one in enumerate(facet.options, start=1)
    )
    return format_html_join("\n", _CHECK, rows)


@register.simple_tag
def sketch(figure: dict[str, Any] | None) -> SafeString:
    """The chart as it is seen before it can be used; the drawing escapes every text."""
    return SafeString(sketched(figure) if figure else "")


@register.simple_tag
def figure_script(figure: dict[str, Any] | None) -> SafeString:
    """The figure for scripts of the page: what ``json_script`` writes, in a tenth of the time."""
    text = orjson.dumps(figure).decode()
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04X}")
    return SafeString(f'<script id="figure" type="application/json">{text}</script>')


@register.simple_tag
def axis_options(axis: str, current: str) -> SafeString:
    """The metrics that an axis offers; ``axis`` is x or y."""
    return _options(axis, current, get_language() or "")


@lru_cache(maxsize=512)
def _options(axis: str, current: str, _language: str) -> SafeString:
    return format_html_join(
        "",
        '<optgroup label="{}">{}</optgroup>',
        (
            (title, option_rows((key, text, key == current) for key, text in options))
            for title, options in axis_groups(axis)
        ),
    )

"""The legend of a kept figure, read from what was kept: its recipes may be named otherwise today."""

from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from dashboard.figures.colour import Pair
from dashboard.figures.marks import NO_DASH
from dashboard.templatetags.pages import key_drawing

register = template.Library()


@register.simple_tag
def kept_keys(figure: Mapping[str, Any]) -> SafeString:
    """An entry for each line that has a name."""
    return format_html_join("", "<li>{} {}</li>", _entries(figure))


def _entries(figure: Mapping[str, Any]) -> Iterator[tuple[SafeString, str]]:
    for trace in figure["data"]:
        if trace.get("name") and "marker" in trace:
            # Plotly was given markup.
            yield _key(trace), unescape(trace["name"])


def _key(trace: Mapping[str, Any]) -> SafeString:
    symbols, meta = trace["marker"]["symbol"], trace["meta"]
    symbol = symbols if isinstance(symbols, str) else symbols[0]
    colour = Pair(meta["light"], meta["dark"])
    drawn = key_drawing(symbol.removesuffix("-open"), meta.get("dash", NO_DASH), colour)
    return format_html('<svg class="key" viewBox="0 0 40 16" aria-hidden="true">{}</svg>', drawn)

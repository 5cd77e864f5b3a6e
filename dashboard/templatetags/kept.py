"""The legend of a kept figure, read from what was kept: its recipes may be named otherwise today."""

from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from dashboard.figures.marks import NO_DASH, outline, stroke

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
    shape, dash = outline(symbol.removesuffix("-open")), stroke(meta.get("dash", NO_DASH))
    drawn = format_html_join(
        "",
        '<g class="on-{0}"><path d="M0 8h40" stroke="{1}" stroke-width="2" stroke-dasharray="{2}"/>'
        '<path d="{3}" fill="{1}"/></g>',
        ((theme, meta[theme], dash, shape) for theme in ("light", "dark")),
    )
    return format_html('<svg class="key" viewBox="0 0 40 16" aria-hidden="true">{}</svg>', drawn)

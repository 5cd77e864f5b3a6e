"""The buttons of the legend of Explore, written as text: a chart may have a series for each recipe."""

from collections.abc import Iterable, Mapping

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dashboard.figures import numbers
from dashboard.figures.arrange import Entry
from dashboard.templatetags.pages import shape
from results.analysis.interpolation import LeaveOneOut

_BUTTON = (
    '<button type="button" id="legend-{}" data-go="{}?{}" aria-pressed="{}" title="{}">{}'
    "<span>{}{}</span>{}{}</button>"
)


def buttons(entries: Iterable[tuple[Entry, str, str]], base: str, layer: str) -> SafeString:
    """Of entries with their names and the query strings after a click.

    Those of what lies over the chart bear the name of the ``layer`` and say no more.
    """
    hint = _("Show or hide")
    of = format_html(' <span class="soft">({})</span>', layer) if layer else ""
    rows = (
        (entry.key, base, query, "true" if entry.visible else "false", hint, shape(entry), name, of,
         "" if layer else _diff(entry.diff), "" if layer else _error(entry.error))
        for entry, name, query in entries
    )  # fmt: skip
    return format_html_join("", _BUTTON, rows)


def _diff(diff: Mapping[str, str]) -> SafeString | str:
    if not diff:
        return ""
    told = format_html_join(" · ", "{}=<b>{}</b>", diff.items())
    return format_html('<span class="diff">{}</span>', told)


def _error(error: LeaveOneOut | None) -> SafeString | str:
    if error is None:
        return ""
    title = _("Leave-one-out error of the line: median over its inner knots")
    text = numbers.share(error.median)
    return format_html('<span class="soft small" title="{}">±{}</span>', title, text)

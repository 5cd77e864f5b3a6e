"""The parts of Explore that repeat hundreds of times, written without a template for each."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dashboard import words
from dashboard.templatetags.pages import minute, number, shape
from dashboard.views.explore_controls import axis_groups
from dashboard.views.explore_table import Twin
from results.analysis.repeats import Interval

register = template.Library()
_ROW = (
    '<tr{}><td><a href="{}{}" id="pin-{}" data-nav title="{}">{}</a></td>'
    '<td><span class="cell-key">{} {}{}</span></td><td class="nowrap">{} × {}</td><td class="nowrap">{}</td>'
    '<td class="nowrap"><span title="{}">{}</span></td><td class="nowrap">{}</td>'
    '<td class="number"><a href="{}">{}</a></td><td class="number">{}</td><td class="number">{}</td>'
    '<td class="number nowrap">{}</td><td>{}</td>{}<td class="nowrap">{}</td><td>{}</td>'
    '<td><a href="{}">{}</a></td></tr>'
)


@register.simple_tag
def point_rows(twin: Twin) -> SafeString:
    """Rows of the table twin."""
    return format_html_join("\n", _ROW, _cells(twin))


def _cells(twin: Twin) -> Iterator[tuple[object, ...]]:
    said = {True: _("yes"), False: format_html('<span class="soft">{}</span>', _("no"))}
    hint = _("Pin its card")
    for row in twin.rows:
        recipe, point = row.recipe, row.point
        block = "" if point.block is None else format_html(' <span class="soft">#{}</span>', point.block)
        if row.entry.key in twin.over:
            block = format_html('{} <span class="soft">({})</span>', block, twin.layer)
        run = str(point.run)
        yield (
            SafeString(' class="pinned"') if point.id in twin.pinned else "",
            twin.pin, point.id, point.id, hint, row.rank,
            shape(row.entry), point.label, _extra(block, twin.notes.get(point.id)),
            recipe.gpu_count, recipe.hardware_name, recipe.build.parallel,
            recipe.engine_version, recipe.engine_name, f"{recipe.precision} {recipe.speculative}".strip(),
            reverse("point", args=[point.id]), point.load,
            number(row.x, twin.x.unit), number(row.y, twin.y.unit),
            _interval(twin.intervals.get(point.id), twin.y.unit), said[row.on_frontier],
            format_html("<td>{}</td>", said[bool(row.place.canonical)]) if twin.ruled else "",
            words.word(words.VALIDITIES, point.validity), minute(row.measured_at),
            reverse("run", args=[point.run]), run[:8],
        )  # fmt: skip


def _extra(block: str, notes: Sequence[int] | None) -> str:
    """The block of a run and the numbers of the notes that concern the point."""
    if not notes:
        return block
    links = format_html_join(" ", '<a href="#note-{0}">{0}</a>', ((number,) for number in notes))
    return format_html("{} <sup>{}</sup>", block, links)


def _interval(found: Interval | None, unit: str) -> SafeString:
    if found is None:
        return format_html('<span class="soft">{}</span>', "n = 1")
    if found.bounds is None:
        return format_html("n = {}", found.n)
    low, high = (number(bound, unit) for bound in found.bounds)
    return format_html('[{}, {}] <span class="soft">n = {}</span>', low, high, found.n)


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
            (title, format_html_join("", '<option value="{}"{}>{}</option>', _choices(options, current)))
            for title, options in axis_groups(axis)
        ),
    )


def _choices(options: Iterable[tuple[str, str]], current: str) -> Iterator[tuple[str, SafeString, str]]:
    for key, text in options:
        yield key, SafeString(" selected" if key == current else ""), text

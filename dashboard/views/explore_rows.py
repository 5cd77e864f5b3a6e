"""Rows of the table twin of Explore, written as text.

A page has hundreds of rows of two dozen parts, most of them the same in many rows: each different part is
escaped, translated and looked up once.
"""

from collections.abc import Callable
from functools import cache
from uuid import UUID

from django.urls import reverse
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dashboard import words
from dashboard.figures.arrange import Row
from dashboard.templatetags.pages import minute, number, shape
from dashboard.views.explore_table import Twin
from results.analysis.repeats import Interval
from results.queries.recipes_seen import RecipeSeen

_RECIPE = (
    '<td class="nowrap">{} × {}</td><td class="nowrap">{}</td>'
    '<td class="nowrap"><span title="{}">{}</span></td><td class="nowrap">{}</td>'
)
_NOTE = '<a href="#note-{0}">{0}</a>'


def table_rows(twin: Twin) -> SafeString:
    """Every part was escaped, or is a number, or was marked as safe by what wrote it."""
    parts = _Parts(twin)
    return SafeString("\n".join(parts.row(row) for row in twin.rows))


def addressed(name: str, example: object) -> Callable[[object], str]:
    """Writes the addresses of one kind of page; ``example`` is an argument such as they all take."""
    before, _mark, after = reverse(name, args=[example]).rpartition(str(example))
    return lambda argument: f"{before}{argument}{after}"


class _Parts:
    """What the rows of one page have in common."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        self.hint, self.pin = escape(_("Pin its card")), escape(twin.pin)
        self.yes, self.no = escape(_("yes")), _soft(_("no"))
        self.single = _soft("n = 1")
        self.text = cache(escape)
        self.validity = cache(lambda code: escape(words.word(words.VALIDITIES, code)))
        self.point, self.run = addressed("point", 0), addressed("run", UUID(int=0))
        self.shapes = {row.entry.key: shape(row.entry) for row in _first(twin, lambda row: row.entry.key)}
        self.recipes = {
            row.recipe.fingerprint: _recipe(row.recipe)
            for row in _first(twin, lambda row: row.recipe.fingerprint)
        }

    def row(self, row: Row) -> str:
        twin, point, run = self.twin, row.point, str(row.point.run)
        pinned = ' class="pinned"' if point.id in twin.pinned else ""
        ruled = f"<td>{self.said(bool(row.place.canonical))}</td>" if twin.ruled else ""
        return (
            f'<tr{pinned}><td><a href="{self.pin}{point.id}" id="pin-{point.id}" data-nav'
            f' title="{self.hint}">{row.rank}</a></td><td><span class="cell-key">'
            f"{self.shapes[row.entry.key]} {self.text(point.label)}{_extra(row, twin)}</span></td>"
            f"{self.recipes[row.recipe.fingerprint]}"
            f'<td class="number"><a href="{self.point(point.id)}">{point.load}</a></td>'
            f'<td class="number">{number(row.x, twin.x.unit)}</td>'
            f'<td class="number">{number(row.y, twin.y.unit)}</td>'
            f'<td class="number nowrap">{self.interval(twin.intervals.get(point.id))}</td>'
            f"<td>{self.said(row.on_frontier)}</td>{ruled}"
            f'<td class="nowrap">{self.validity(point.validity)}</td><td>{minute(row.measured_at)}</td>'
            f'<td><a href="{self.run(run)}">{run[:8]}</a></td></tr>'
        )

    def said(self, so: bool) -> str:
        return self.yes if so else self.no

    def interval(self, found: Interval | None) -> str:
        if found is None:
            return self.single
        if found.bounds is None:
            return format_html("n = {}", found.n)
        low, high = (number(bound, self.twin.y.unit) for bound in found.bounds)
        return format_html('[{}, {}] <span class="soft">n = {}</span>', low, high, found.n)


def _first(twin: Twin, key: Callable[[Row], str]) -> list[Row]:
    """One row of each key."""
    return list({key(row): row for row in twin.rows}.values())


def _soft(text: str) -> SafeString:
    return format_html('<span class="soft">{}</span>', text)


def _recipe(recipe: RecipeSeen) -> SafeString:
    """The cells that say what ran."""
    precision = f"{recipe.precision} {recipe.speculative}".strip()
    return format_html(
        _RECIPE,
        recipe.gpu_count, recipe.hardware_name, recipe.build.parallel,
        recipe.engine_version, recipe.engine_name, precision,
    )  # fmt: skip


def _extra(row: Row, twin: Twin) -> str:
    """The block of the run, the layer, and the numbers of the notes that concern the point."""
    block, notes = row.point.block, twin.notes.get(row.point.id)
    parts = [] if block is None else [format_html(' <span class="soft">#{}</span>', block)]
    if row.entry.key in twin.over:
        parts.append(format_html(' <span class="soft">({})</span>', twin.layer))
    if notes:
        links = format_html_join(" ", _NOTE, ((one,) for one in notes))
        parts.append(format_html(" <sup>{}</sup>", links))
    return "".join(parts)

"""Template tags that all pages share."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dashboard import intake_words, limit_words, words
from dashboard.figures import labels, numbers
from dashboard.figures.arrange import Entry
from dashboard.figures.colour import Pair
from dashboard.figures.marks import outline, stroke
from results.analysis.axis_names import metric_of
from results.queries.plane import Plane

register = template.Library()
_WORDS = {
    "state": words.STATES,
    "phase": words.PHASES,
    "validity": words.VALIDITIES,
    "reason": words.REASONS,
    "failure": words.FAILURES,
    "outcome": words.OUTCOMES,
    "facet": words.FACETS,
    "deployment": words.DEPLOYMENTS,
    "accuracy": words.ACCURACIES,
    "tier": words.TIERS,
    "grouping": {**words.FACETS, **words.GROUPINGS},
    "left_out": words.LEFT_OUT,
    "cause": intake_words.CAUSES,
    "spelling": intake_words.SPELLINGS,
    "list": words.LISTS,
    "handle": words.HANDLES,
    "layer": words.LAYERS,
    "pull_status": words.PULL_STATUSES,
    "pull_kind": words.PULL_KINDS,
    "grade": words.GRADES,
    "pull_source": words.PULL_SOURCES,
    "limit": limit_words.SHARES,
    "ceiling": limit_words.CEILINGS,
    "formula": limit_words.FORMULAS,
    "host": limit_words.HOST_STATES,
    "term": {**limit_words.CEILINGS, **limit_words.TERMS},
}


@register.filter
def word(code: str, kind: str) -> str:
    """``{{ run.state|word:"state" }}``"""
    return words.word(_WORDS[kind], code)


@register.filter
def number(value: float | None, unit: str = "") -> SafeString:
    """Three significant digits; the full value on hover. Absent reads as absent, never as zero.

    A share whose column says % is multiplied by 100 for the eye alone.
    """
    if value is None:
        return format_html('<span class="soft" title="{}">–</span>', _("not measured"))
    full, told = numbers.full(value), _escaped("" if unit == "%" else numbers.unit_text(unit))
    # Digits need no escaping, and a page writes hundreds of numbers.
    return SafeString(f'<data value="{full}" title="{full} {told}">{_shown(value, unit)}</data>')


@lru_cache(maxsize=512)
def _escaped(text: str) -> str:
    return escape(text)


def _shown(value: float, unit: str) -> str:
    """Counts are exact; everything else has no more digits than a single run justifies."""
    if unit == "%":
        return numbers.short(100 * value)
    exact = unit in ("req", "tok", "B") and value == int(value)
    return f"{int(value):,}" if exact else numbers.short(value)


@register.filter
def scaled(value: float | None, unit: str) -> SafeString:
    """A rate with a decimal prefix before its unit; the full value on hover."""
    if value is None:
        return number(None)
    return format_html(
        '<data value="{0}" title="{0} {1}">{2}</data>', numbers.full(value), unit, numbers.scaled(value, unit)
    )


def shown_with_unit(value: float, unit: str) -> SafeString:
    """A number in running text: a share in per cent, a rate with a prefix, anything else before its unit."""
    if unit == "1":
        return format_html(
            '<data value="{}">{}</data>', numbers.full(value), numbers.percent(f"{100 * value:.1f}")
        )
    if unit in numbers.PREFIXED:
        return scaled(value, unit)
    return format_html("{} {}", number(value, unit), unit)


@register.filter
def gibibytes(count: float | None) -> SafeString:
    """Memory in GiB, to three digits; every byte on hover."""
    if count is None:
        return number(None)
    text = numbers.short(count / 2**30)
    return format_html('<data value="{0}" title="{0} B">{1} GiB</data>', numbers.full(count), text)


@register.filter
def binary(count: int) -> str:
    return numbers.binary(count)


@register.filter
def ratio(value: float) -> str:
    return numbers.ratio(value)


@register.filter
def span(seconds: float | None) -> str:
    return "–" if seconds is None else numbers.duration(seconds)


@register.filter
def size(count: int) -> str:
    """Bytes with a decimal prefix."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{count} B" if unit == "B" else f"{numbers.short(value)} {unit}"
        value /= 1000
    raise AssertionError("unreachable")


@register.filter
def percent(share: float) -> str:
    return numbers.percent(f"{100 * share:.0f}")


@register.filter
def at(mapping: Any, key: str) -> Any:
    """The value of ``key``, None when absent."""
    return mapping.get(key)


@register.filter
def when(moment: datetime | None) -> SafeString:
    """UTC, and it says so."""
    if moment is None:
        return SafeString("–")
    moment = moment.astimezone(UTC)
    return format_html(
        '<time datetime="{}" class="nowrap">{} UTC</time>',
        moment.isoformat(),
        f"{moment:%Y-%m-%d %H:%M:%S}",
    )


@register.filter
def minute(moment: datetime) -> SafeString:
    """Date and minute, for columns whose header says UTC; everything on hover."""
    moment = moment.astimezone(UTC)
    second = moment.isoformat(" ", "seconds").removesuffix("+00:00")
    return SafeString(
        f'<time datetime="{moment.isoformat()}" title="{second} UTC" class="nowrap">{second[:-3]}</time>'
    )


@register.filter
def as_json(value: Any) -> str:
    """A document as people write it."""
    return json.dumps(value, indent=2, ensure_ascii=False)


@register.filter
def unit(key: str) -> str:
    return numbers.unit_text(metric_of(key).unit)


@register.filter
def unit_text(unit: str) -> str:
    return numbers.unit_text(unit)


@register.filter
def metric_label(key: str) -> str:
    return words.metric_label(key)


@register.simple_tag
def metric(key: str) -> SafeString:
    """The metric's name, which opens its card."""
    address = reverse("metric", args=[key])
    return format_html('<a href="{}" data-card>{}</a>', address, words.metric_label(key))


@register.filter
def share(fraction: float) -> str:
    """A fraction in per cent, with two significant digits."""
    return numbers.share(fraction)


@register.simple_tag
def series_name(entry: Entry, plane: Plane) -> str:
    return labels.series_name(entry.series, plane.group_by)


@register.simple_tag
def key(entry: Entry) -> SafeString:
    """A series' line and marker as the chart draws them, in both themes."""
    return format_html('<svg class="key" viewBox="0 0 40 16" aria-hidden="true">{}</svg>', _both(entry))


@register.simple_tag
def shape(entry: Entry) -> SafeString:
    """The same where it stands in many rows: a reference to what ``shapes`` drew."""
    return format_html(
        '<svg class="key" viewBox="0 0 40 16" aria-hidden="true"><use href="#k-{}"/></svg>', entry.key
    )


@register.simple_tag
def shapes(entries: Iterable[Entry]) -> SafeString:
    """The drawings that ``shape`` refers to."""
    drawings = ((entry.key, _both(entry)) for entry in entries)
    symbols = format_html_join("", '<symbol id="k-{}" viewBox="0 0 40 16">{}</symbol>', drawings)
    return format_html('<svg class="shapes" aria-hidden="true">{}</svg>', symbols)


def _both(entry: Entry) -> SafeString:
    return key_drawing(entry.symbol, entry.dash, entry.colour, halo=entry.halo)


def key_drawing(symbol: str, dash: str, colour: Pair, *, halo: bool = False) -> SafeString:
    """Line and mark of a legend's entry in a box of 40 by 16, once for each theme."""
    light = _drawn(symbol, dash, "on-light", colour.light, halo)
    return light + _drawn(symbol, dash, "on-dark", colour.dark, halo)


def _drawn(symbol: str, dash: str, theme: str, colour: str, halo: bool) -> SafeString:
    ring = format_html('<circle cx="20" cy="8" r="8" fill="{}" opacity=".25"/>', colour) if halo else ""
    return format_html(
        '<g class="{}">{}<path d="M0 8h40" stroke="{}" stroke-width="2" stroke-dasharray="{}"/>'
        '<path d="{}" fill="{}"/></g>',
        theme, ring, colour, stroke(dash), outline(symbol), colour,
    )  # fmt: skip


@register.simple_tag(takes_context=True)
def tab(context: dict[str, Any], name: str, label: str, *others: str) -> SafeString:
    """A tab of the header; current when the page is in its family, or in that of ``others``."""
    request: HttpRequest = context["request"]
    address = reverse(name)
    families = [one for one in (address, *map(reverse, others)) if one != "/"]
    inside = request.path == address or request.path.startswith(tuple(families))
    mark = SafeString(' aria-current="page"') if inside else ""
    return format_html('<a href="{}"{}>{}</a>', address, mark, label)


@register.simple_tag(takes_context=True)
def request_id(context: dict[str, Any]) -> str:
    request: HttpRequest = context["request"]
    return str(request.META.get("REQUEST_ID", "–"))


@register.simple_tag(takes_context=True)
def site_origin(context: dict[str, Any]) -> str:
    """The address of the site with a slash at its end, for commands to copy."""
    request: HttpRequest = context["request"]
    return request.build_absolute_uri("/")

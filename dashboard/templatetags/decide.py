"""Template tags of the pages that compare, look back and decide."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dashboard import decide_words, verdict_words, words
from dashboard.figures import numbers
from dashboard.selects import option_rows
from dashboard.views.compare_state import DIRECTED
from dashboard.views.slo_rows import offer_rows
from results.analysis.gains.vocabulary import Reason
from results.metrics import DEFAULT_METRICS, METRICS, find_metric
from results.queries.slo import Offered

register = template.Library()


@register.simple_tag(takes_context=True)
def part(context: dict[str, Any], name: str, text: str) -> SafeString:
    """One of the pages that belong together; current when it is the one that is open."""
    request: HttpRequest = context["request"]
    address = reverse(name)
    mark = SafeString(' aria-current="page"') if request.path.startswith(address) else ""
    return format_html('<a href="{}"{}>{}</a>', address, mark, text)


@register.simple_tag
def directed_options(current: str) -> SafeString:
    """Options for the metrics of which one side is better."""
    return _directed_options(current, get_language() or "")


@lru_cache(maxsize=256)
def _directed_options(current: str, _language: str) -> SafeString:
    first = [key for key in DEFAULT_METRICS if key in DIRECTED]
    keys = [*first, *(key for key in DIRECTED if key not in first)]
    return option_rows((key, decide_words.label_with_unit(key), key == current) for key in keys)


@register.simple_tag
def offers_table(offers: Sequence[Offered], capped: bool) -> SafeString:
    """Rows of the offers of an objective."""
    return offer_rows(offers, capped=capped)


@register.simple_tag
def quantity(key: str) -> SafeString:
    """The name of a metric; a stored one opens its card, a derived one says its formula on hover."""
    if key in METRICS:
        return format_html('<a href="{}" data-card>{}</a>', _card(key), decide_words.label(key))
    return format_html('<span title="{}">{}</span>', find_metric(key).formula, decide_words.label(key))


@cache
def _card(key: str) -> str:
    """The address of a metric's card, of which a page has many."""
    return reverse("metric", args=[key])


@register.filter
def unit_of(key: str) -> str:
    return words.shown_unit(key) if key in METRICS else find_metric(key).unit


@register.filter
def said(code: str, kind: str) -> str:
    """``{{ miss|said:"MISSES" }}``: the word for a code."""
    return words.word(getattr(decide_words, kind), code)


@register.filter
def compared(text: str | None, reason: Reason) -> str | None:
    """What a condition compared, rates in per cent."""
    return verdict_words.compared(reason, text)


@register.filter
def offload(code: str) -> str:
    return decide_words.offload_word(code)


@register.filter
def share(value: float) -> str:
    """A fraction in percent with two significant digits."""
    return numbers.share(value)


@register.filter
def shortly(value: float) -> str:
    return numbers.short(value)


@register.simple_tag
def decide_csv(base: str, table: str, query: str) -> SafeString:
    """Link to a table of a page as a file."""
    return format_html('<a href="{}{}.csv?{}" download>CSV</a>', base, table, query)


@register.filter
def rate(value: float | None) -> SafeString:
    """A share of tokens in percent with one decimal; absent reads as absent."""
    if value is None:
        return format_html('<span class="soft" title="{}">–</span>', _("not measured"))
    return format_html('<data value="{}">{}</data>', repr(value), numbers.percent(f"{100 * value:.1f}"))


@register.filter
def gain(value: float) -> str:
    """A signed fraction in percent."""
    return numbers.percent(f"{100 * value:+.1f}")

"""Texts of the catalogue name pull requests as #123; on pages these are links."""

import re

from django import template
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from dashboard import verdict_words
from dashboard.figures import numbers
from dashboard.templatetags.pages import number
from results.queries.comparisons import EvidenceRow
from results.queries.measured_sets import in_language
from results.queries.projects import ProjectDetail, PullTopic

register = template.Library()
_LONG = re.compile(r"-?\d+\.\d{4,}")


@register.filter
def plain(place: float) -> str:
    """A place in a drawing: a point, whatever the language."""
    return f"{place:.1f}"


@register.filter
def signed_percent(fraction: float) -> str:
    return verdict_words.percent(fraction)


@register.filter
def tick(fraction: float) -> str:
    """A short number at an axis."""
    return numbers.percent(f"{100 * fraction:+,.0f}") if fraction else "0"


@register.filter
def shorter(text: str) -> str:
    """A value of a recipe; a number of many decimals in three digits, all of them on hover."""
    return number(float(text)) if _LONG.fullmatch(text) else text


@register.filter
def shipped(text: str) -> str:
    """A title or a note in the language of the page, where it ships in it."""
    return in_language(text, get_language() or "en")


@register.filter
def topic_name(row: EvidenceRow) -> str:
    return row.topic_zh if (get_language() or "").startswith("zh") else row.topic_en


@register.filter
def link_pulls(text: str, about: ProjectDetail | PullTopic) -> SafeString:
    """Escape ``text`` and link each #number to its page here where the project has it."""
    known = about.numbers

    def link(found: re.Match[str]) -> str:
        number = int(found[1])
        if number not in known:
            address = f"https://github.com/{about.repository}/pull/{number}"
            return format_html('<a href="{}" rel="nofollow">#{}</a>', address, number)
        owner, _slash, name = known[number].partition("/")
        return format_html('<a href="{}">#{}</a>', reverse("pull", args=[owner, name, number]), number)

    # Safe: the text is escaped first, and format_html made every link. &#39; is no pull request.
    return mark_safe(re.sub(r"(?<!&)#(\d{1,9})\b", link, escape(text)))  # noqa: S308

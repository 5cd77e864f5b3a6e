"""Names instead of slugs, and the punctuation of the page's language."""

from collections.abc import Iterable

from django import template
from django.utils.translation import gettext as _

from results.queries.names import Kind, shipped_name

register = template.Library()


@register.filter
def named(slug: str, kind: Kind) -> str:
    """``{{ point.hardware|named:"hardware" }}``: what people call it."""
    return shipped_name(kind, slug)


@register.filter
def all_named(slugs: Iterable[str], kind: Kind) -> str:
    return ", ".join(shipped_name(kind, slug) for slug in slugs)


@register.simple_tag
def comma() -> str:
    """Between the parts of a sentence; Chinese has one of its own."""
    return _(", ")


@register.simple_tag
def colon() -> str:
    return _(": ")


@register.filter
def clauses(texts: Iterable[str]) -> str:
    """Several sentences as one."""
    return _("; ").join(texts)


@register.simple_tag
def stop() -> str:
    return _(".")

"""Why a synchronisation with GitHub failed, in the reader's language."""

from django import template
from django.utils.translation import gettext_lazy

from dashboard.words import Words, word

register = template.Library()
TROUBLES: Words = {
    "not_found": gettext_lazy("GitHub has no such pull request, or hides it"),
    "unauthorized": gettext_lazy("GitHub does not accept the token"),
    "forbidden": gettext_lazy("the token does not allow it"),
    "refused": gettext_lazy("GitHub refused the request"),
    "rate_limited": gettext_lazy("GitHub wanted no more requests"),
    "server": gettext_lazy("GitHub had an error of its own"),
    "unreachable": gettext_lazy("GitHub could not be reached"),
    "timeout": gettext_lazy("GitHub did not answer in time"),
    "redirect": gettext_lazy("GitHub led elsewhere"),
    "bad_answer": gettext_lazy("the answer did not add up"),
}


@register.filter
def trouble(code: str) -> str:
    """``{{ github.error|trouble }}``"""
    return word(TROUBLES, code)

"""Options of selects, of which pages write hundreds, without a template for each."""

from collections.abc import Iterable

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

_SELECTED = ("", SafeString(" selected"))


def option_rows(options: Iterable[tuple[str, str, bool]]) -> SafeString:
    """Value, text and whether it is the chosen one."""
    rows = ((value, _SELECTED[chosen], text) for value, text, chosen in options)
    return format_html_join("", '<option value="{}"{}>{}</option>', rows)

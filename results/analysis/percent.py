"""How every share in per cent reads, on pages, in sentences and in comments: ``97.6 %``. Pure."""

from collections.abc import Callable

from results.metrics import gettext_noop

#: A number and the sign, between them in English the space of SI, where no line breaks.
PERCENT = gettext_noop("%(number)s\u00a0%%")


def in_percent(number: str, translate: Callable[[str], str] = str) -> str:
    """``number``: hundred times the share as it is to be written; ``translate``: to the reader's language."""
    return translate(PERCENT) % {"number": number}

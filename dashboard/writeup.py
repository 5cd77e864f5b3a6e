"""Articles: Markdown whose numbers are references to what was measured."""

import re
from dataclasses import dataclass
from functools import lru_cache

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from dashboard import limit_words, words
from dashboard.citations import REFERENCE, Citation, citations, read_citation
from dashboard.figures import numbers
from dashboard.markdown import for_pages, reader
from dashboard.templatetags.pages import shown_with_unit
from results.documents.probe import OF_DEVICE
from results.metrics import METRICS
from results.queries.cited import Cited, Place, cited_points, host_rate, host_rates

#: Stands for a reference while Markdown is read, which would take its underscores for emphasis.
_MARK = re.compile("\ue000([0-9]+)\ue001")


@dataclass(frozen=True, slots=True)
class Writeup:
    """``missing`` are the references that this site cannot resolve."""

    title: str
    body: SafeString
    missing: tuple[str, ...]


def writeup(text: str) -> Writeup | None:
    """The article as HTML, its numbers asked for in at most two queries; None for an empty text."""
    if not text.strip():
        return None
    title, html, references = _read(text)
    numbers_of = _Numbers(references)
    shown = [numbers_of.shown(reference) for reference in references]
    # Safe: Markdown escaped the text, and format_html made every number.
    body = mark_safe(_MARK.sub(lambda found: shown[int(found[1])], html))  # noqa: S308
    return Writeup(title, body, tuple(numbers_of.missing))


@lru_cache(maxsize=32)
def _read(text: str) -> tuple[str, str, tuple[str, ...]]:
    """Title, HTML with marks in place of references, and the references in their order."""
    references: list[str] = []

    def mark(found: re.Match[str]) -> str:
        references.append(found[0])
        return f"\ue000{len(references) - 1}\ue001"

    markdown = reader()
    plain = text.replace("\ue000", "").replace("\ue001", "")
    tokens = markdown.parse(REFERENCE.sub(mark, plain))
    title = ""
    if tokens and tokens[0].tag == "h1":
        title, tokens = tokens[1].content, tokens[3:]
    for_pages(tokens)
    for token in tokens:
        # The page has one title of its own, and the article's is the second.
        if token.tag in ("h2", "h3"):
            token.tag = f"h{int(token.tag[1]) + 1}"
    return title, markdown.renderer.render(tokens, markdown.options, {}), tuple(references)


class _Numbers:
    """What a text cites, fetched once; ``missing`` grows with what cannot be shown."""

    def __init__(self, references: tuple[str, ...]) -> None:
        cited = [one for text in references for one in citations(text)]
        places = {place for one in cited for place in one.places}
        self._points = cited_points(places, {one.key for one in cited})
        self._probes = host_rates({one.host for one in cited if one.host is not None})
        self.missing: list[str] = []

    def shown(self, reference: str) -> SafeString:
        citation = read_citation(reference)
        found = None if citation is None else self._found(citation)
        if found is None:
            self.missing.append(reference)
            return format_html(
                '<span class="cite missing" title="{}">{}</span>', reference, _("not measured here")
            )
        return found

    def _found(self, citation: Citation) -> SafeString | None:
        if citation.host is not None:
            return self._rate(citation.host, citation.key)
        cited = [self._points.get(place) for place in citation.places]
        known = [one for one in cited if one is not None and citation.key in one.values]
        if len(known) < len(citation.places):
            return None
        first = known[0].values[citation.key]
        text = shown_with_unit(first, METRICS[citation.key].unit)
        if len(known) == 2:
            divisor = known[1].values[citation.key]
            if divisor == 0:
                return None
            text = SafeString(numbers.ratio(first / divisor))
        address = reverse("point", args=[known[0].ids[0]])
        return _link(address, _about(citation, known), text)

    def _rate(self, host: str, name: str) -> SafeString | None:
        value = host_rate(self._probes, host, name)
        if value is None:
            return None
        unit = "FLOP/s" if name in OF_DEVICE and name != "device_copy" else "B/s"
        about = f"{host} · {words.word(limit_words.CEILINGS, name)}"
        return _link(reverse("host", args=[host]), about, shown_with_unit(value, unit))


def _about(citation: Citation, known: list[Cited]) -> str:
    """What a number is, for who points at it."""
    sides = " / ".join(
        f"{_named(place)} (n = {len(one.ids)})" for place, one in zip(citation.places, known, strict=True)
    )
    return f"{words.metric_label(citation.key)} · {sides}"


def _named(place: Place) -> str:
    block = "" if place.block is None else f" #{place.block}"
    return f"{place.label}{block} · {_('load %(load)s') % {'load': place.load}}"


def _link(address: str, about: str, text: SafeString) -> SafeString:
    return format_html('<a class="cite" href="{}" title="{}">{}</a>', address, about, text)

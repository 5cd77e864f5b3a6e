"""Metric cards: what a number means, straight from the registry."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard import words
from results.analysis.axis_names import LOAD, metric_of
from results.metrics import DERIVED, METRICS, Metric


@dataclass(frozen=True, slots=True)
class Card:
    """One metric in the reader's language."""

    key: str
    label: str
    unit: str
    direction: str
    formula: str
    denominator: str
    source: str


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    return render(
        request,
        "metrics/page.html",
        {"cards": [_card(metric) for metric in (*METRICS.values(), *DERIVED.values(), LOAD)]},
    )


@require_safe
def card(request: HttpRequest, key: str) -> HttpResponse:
    """The card as a page; with ``?part=1`` the card alone, for the dialog."""
    try:
        metric = metric_of(key)
    except KeyError:
        raise Http404 from None
    template = "metrics/card.html" if request.GET.get("part") else "metrics/card_page.html"
    return render(request, template, {"card": _card(metric)})


def _card(metric: Metric) -> Card:
    return Card(
        key=metric.key,
        label=words.metric_label(metric.key),
        unit=metric.unit,
        direction=words.better(metric.direction) or _("no direction: it describes, it is no objective"),
        formula=_(metric.formula),
        denominator=_(metric.denominator),
        source=_(metric.source),
    )

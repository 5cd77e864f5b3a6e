"""Models and scenarios of which something is published, for pages that look at one place at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q

from results.models import Curve


@dataclass(frozen=True, slots=True)
class Place:
    """One model on one scenario by name; two versions of a corpus have the same name."""

    model: str
    name: str
    scenario: str
    agentic: bool
    curves: int
    newest_at: datetime


def places() -> tuple[Place, ...]:
    """The most recently published first; one query."""
    rows = (
        Curve.objects.values_list(
            "language_model__slug",
            "language_model__name",
            "scenario__corpus",
            "scenario__isl",
            "scenario__osl",
        )
        .annotate(curves=Count("id"), newest=Max("published_at"))
        .order_by("-newest", "-curves", "language_model__slug", "scenario__isl", "scenario__osl")
    )
    return tuple(
        Place(model, name, corpus or f"{isl}/{osl}", corpus is not None, curves, newest)
        for model, name, corpus, isl, osl, curves, newest in rows
    )


def choose(found: Sequence[Place], model: str | None, scenario: str | None) -> Place | None:
    """The first place that has what is asked; None when nothing has."""
    asked = [place for place in found if model in (None, place.model) and scenario in (None, place.scenario)]
    return asked[0] if asked else None


def of_scenario(name: str) -> Q:
    """Condition on curves; ``name`` is a corpus, or ``<isl>/<osl>``."""
    isl, slash, osl = name.partition("/")
    if slash and isl.isdecimal() and osl.isdecimal() and len(name) < 20:
        return Q(scenario__isl=int(isl), scenario__osl=int(osl))
    return Q(scenario__corpus=name)

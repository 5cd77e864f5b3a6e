"""Models and scenarios of which something is published, for pages that look at one place at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from results.queries import published


@dataclass(frozen=True, slots=True)
class Place:
    """One model on one scenario by name; two versions of a corpus have the same name."""

    model: str
    name: str
    scenario: str
    agentic: bool


def places() -> tuple[Place, ...]:
    """Those of published curves as Explore orders them, the most recently published first; one query."""
    found = published.places(())
    return tuple(Place(one.model, one.model_name, one.scenario, one.agentic) for one in found)


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

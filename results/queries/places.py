"""Models and scenarios of which something is published, for pages that look at one place at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Q

#: Curves are counted before names are joined to them: the index of places holds all that this takes.
_PLACES = """
SELECT model.slug, model.name, scenario.corpus, scenario.isl, scenario.osl,
  sum(place.curves)::bigint AS curves, max(place.newest) AS newest
FROM (SELECT language_model_id, scenario_id, count(*) AS curves, max(published_at) AS newest
  FROM results_curve GROUP BY language_model_id, scenario_id) place
JOIN results_languagemodel model ON model.id = place.language_model_id
JOIN results_scenario scenario ON scenario.id = place.scenario_id
GROUP BY model.slug, model.name, scenario.corpus, scenario.isl, scenario.osl
ORDER BY newest DESC, curves DESC, model.slug, scenario.isl, scenario.osl
"""


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
    with connection.cursor() as cursor:
        cursor.execute(_PLACES)
        rows = cursor.fetchall()
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

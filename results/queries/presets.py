"""Comparisons worth a link: hardware against hardware, engine against engine, where both were measured."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import cast

from django.db import connection

from results.queries.sides import Asked

#: Curves of each part and of each engine, by place and precision; names are joined to what is counted.
_COUNTED = """
WITH counted AS (
  SELECT curve.language_model_id, curve.scenario_id, recipe.hardware_id, recipe.engine_id, recipe.precision,
    count(*) AS curves
  FROM results_curve curve JOIN results_recipe recipe ON recipe.id = curve.recipe_id
  GROUP BY GROUPING SETS (
    (curve.language_model_id, curve.scenario_id, recipe.hardware_id, recipe.precision),
    (curve.language_model_id, curve.scenario_id, recipe.engine_id, recipe.precision)))
SELECT CASE WHEN engine.id IS NULL THEN 'hardware' ELSE 'engine' END, model.slug, model.name,
  COALESCE(scenario.corpus, scenario.isl || '/' || scenario.osl), COALESCE(engine.slug, hardware.slug),
  COALESCE(engine.name, hardware.name), counted.precision, counted.curves
FROM counted
JOIN results_languagemodel model ON model.id = counted.language_model_id
JOIN results_scenario scenario ON scenario.id = counted.scenario_id
LEFT JOIN results_hardware hardware ON hardware.id = counted.hardware_id
LEFT JOIN results_engine engine ON engine.id = counted.engine_id
"""
#: Kind, model, its name and scenario.
_Place = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Preset:
    """``pair`` is the end of its address, ``curves`` the fewer of both sides."""

    kind: str
    pair: str
    names: tuple[str, str]
    model: str
    model_name: str
    scenario: str
    curves: int


def presets(most: int = 6) -> tuple[Preset, ...]:
    """At most so many of each kind, those with most curves on both sides first. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTED)
        rows = cursor.fetchall()
    counts: dict[_Place, dict[str, Counter[str]]] = {}
    names: dict[tuple[str, str], str] = {}
    for *place, slug, name, precision, curves in rows:
        here = counts.setdefault(cast(_Place, tuple(place)), {})
        # Two versions of a corpus have one name.
        here.setdefault(slug, Counter())[precision] += curves
        names[place[0], slug] = name
    found = sorted(_pairs(counts, names), key=lambda one: (-one.curves, one.pair, one.model, one.scenario))
    return tuple(preset for kind in ("hardware", "engine") for preset in _best(found, kind, most))


def sides_of(pair: str, hardware: Iterable[str], engines: Iterable[str]) -> Asked | None:
    """What ``a-vs-b`` names; None unless both are hardware, or both are engines, of the catalogue."""
    names = tuple(dict.fromkeys(pair.split("-vs-")))
    if len(names) < 2:
        return None
    if set(names) <= set(hardware):
        return Asked(hardware=names)
    return Asked(engines=names) if set(names) <= set(engines) else None


def _pairs(
    counts: Mapping[_Place, Mapping[str, Counter[str]]], names: Mapping[tuple[str, str], str]
) -> Iterator[Preset]:
    for (kind, model, model_name, scenario), here in counts.items():
        for (one, n), (other, m) in combinations(sorted(here.items()), 2):
            shared = sum(min(n[precision], m[precision]) for precision in n.keys() & m.keys())
            if shared:
                titles = (names[kind, one], names[kind, other])
                yield Preset(kind, f"{one}-vs-{other}", titles, model, model_name, scenario, shared)


def _best(found: Iterable[Preset], kind: str, most: int) -> list[Preset]:
    """Every pair once, at the place where it has most; ``found`` is in that order."""
    kept: dict[str, Preset] = {}
    for one in found:
        if one.kind == kind:
            kept.setdefault(one.pair, one)
    return list(kept.values())[:most]

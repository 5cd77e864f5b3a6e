"""What Explore shows: the points of one model and scenario, and what could be chosen instead."""

import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, F, Max, Q, QuerySet, When

from results.models import LIVE, Point, Run
from results.queries.points import PUBLISHED, RELATED, RESULT, PointRow, point_row, scenario_condition
from results.queries.recipes_seen import RECIPE, RecipeSeen, recipes_seen

#: A browser draws this many without a pause; more are said to be left out.
LIMIT = 5_000
#: Parameter to the field it filters, in the order the filter rail shows.
FIELDS: Mapping[str, str] = {
    "hardware": "run__recipe__hardware__slug",
    "engine": "run__recipe__engine__slug",
    "precision": "run__recipe__precision",
    "label": "run__label",
    "offload": "run__recipe__kv_offload",
    "host": "attempt__host__name",
    "block": "run__block",
}
#: Who chooses by one of these asks for certain runs, published or not.
OF_RUNS = frozenset({"label", "host", "block"})
_MODEL = "run__recipe__language_model__slug"
_SCENARIO = ("run__scenario__corpus", "run__scenario__isl", "run__scenario__osl")


@dataclass(frozen=True, slots=True)
class Selection:
    """``chosen`` maps a key of ``FIELDS`` to accepted values; absent means all.

    ``validity`` is one of auto, all, valid, diagnostic, invalid, failed; auto is valid, or diagnostic when
    nothing valid is there. ``recipes`` are fingerprint prefixes. Only published curves are shown unless the
    choice names runs: ``run``, or a key of ``OF_RUNS``.
    """

    model: str | None = None
    scenario: str | None = None
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    validity: str = "auto"
    recipes: tuple[str, ...] = ()
    run: uuid.UUID | None = None

    @property
    def published(self) -> bool:
        return self.run is None and not OF_RUNS & self.chosen.keys()


@dataclass(frozen=True, slots=True)
class Explored:
    """``model`` and ``scenario`` are None when there is no point at all."""

    model: str | None
    scenario: str | None
    models: Mapping[str, str]
    scenarios: Mapping[str, int]
    facets: Mapping[str, Mapping[str, int]]
    recipes: tuple[RecipeSeen, ...]
    points: tuple[PointRow, ...]
    validity: str
    scope_total: int
    left_out: Mapping[str, int]
    newest_at: datetime | None


def explore(selection: Selection) -> Explored:
    """Four queries whatever the number of points."""
    places = list(_results().values(_MODEL, *_SCENARIO, name=F("run__recipe__language_model__name"))
                  .annotate(n=Count("id"), newest=Max("created_at")).order_by("-newest"))  # fmt: skip
    model, scenario = _place(places, selection)
    scope = _scope(model, scenario)
    if selection.run is not None:
        scope = scope.filter(run=selection.run)
    asked = scope.annotate(published=Case(When(PUBLISHED, then=True), default=False))
    groups = list(asked.values(*FIELDS.values(), RECIPE, "validity", "published").annotate(n=Count("id")))
    validity, left_out = _judge(groups, selection)
    points = _fetch(_filter(scope, selection, validity))
    shown = sum(group["n"] for group in groups) - sum(left_out.values())
    if shown > len(points):
        left_out["limit"] = shown - len(points)
    return Explored(
        model=model,
        scenario=scenario,
        models={row[_MODEL]: row["name"] for row in reversed(places)},
        scenarios={_scenario(row): row["n"] for row in places if row[_MODEL] == model},
        facets={name: _facet(groups, path) for name, path in FIELDS.items()},
        recipes=recipes_seen(scope),
        points=points,
        validity=validity,
        scope_total=sum(group["n"] for group in groups),
        left_out=left_out,
        newest_at=max((row["newest"] for row in places), default=None),
    )


def live_runs() -> int:
    """How many runs are still to deliver points."""
    return Run.objects.filter(state__in=LIVE).count()


def _results() -> QuerySet[Point]:
    return Point.objects.filter(RESULT).order_by()


def _place(places: list[dict[str, Any]], selection: Selection) -> tuple[str | None, str | None]:
    """The asked model and scenario; where one is not asked for, that of the newest point."""
    fitting = [row for row in places if selection.model in (None, row[_MODEL])]
    fitting = [row for row in fitting if selection.scenario in (None, _scenario(row))]
    if not fitting:
        return selection.model, selection.scenario
    return fitting[0][_MODEL], _scenario(fitting[0])


def _scenario(row: Mapping[str, Any]) -> str:
    corpus, isl, osl = (row[path] for path in _SCENARIO)
    return str(corpus) if corpus is not None else f"{isl}/{osl}"


def _scope(model: str | None, scenario: str | None) -> QuerySet[Point]:
    if model is None or scenario is None:
        return Point.objects.none()
    return _results().filter(scenario_condition(scenario), **{_MODEL: model})


def _misses(group: Mapping[str, Any], selection: Selection) -> str | None:
    """The first filter a group of points does not pass, or None."""
    for name, path in FIELDS.items():
        wanted = selection.chosen.get(name)
        if wanted and _word(group[path]) not in wanted:
            return name
    if selection.recipes and not str(group[RECIPE]).startswith(selection.recipes):
        return "recipe"
    return "replaced" if selection.published and not group["published"] else None


def _judge(groups: list[dict[str, Any]], selection: Selection) -> tuple[str, Counter[str]]:
    """The validity to show, and how many points of the scope are left out for which reason."""
    left_out: Counter[str] = Counter()
    by_validity: Counter[str] = Counter()
    for group in groups:
        missed = _misses(group, selection)
        if missed is None:
            by_validity[group["validity"]] += group["n"]
        else:
            left_out[missed] += group["n"]
    validity = selection.validity
    if validity == "auto":
        validity = "diagnostic" if by_validity["diagnostic"] and not by_validity["valid"] else "valid"
    if validity != "all":
        left_out.update({name: n for name, n in by_validity.items() if name != validity})
    return validity, left_out


def _filter(scope: QuerySet[Point], selection: Selection, validity: str) -> QuerySet[Point]:
    if selection.published:
        scope = scope.filter(PUBLISHED)
    for name, wanted in selection.chosen.items():
        scope = scope.filter(_any(FIELDS[name], wanted))
    if selection.recipes:
        matches = Q()
        for prefix in selection.recipes:
            matches |= Q(**{f"{RECIPE}__startswith": prefix})
        scope = scope.filter(matches)
    return scope if validity == "all" else scope.filter(validity=validity)


def _any(path: str, wanted: tuple[str, ...]) -> Q:
    named = Q(**{f"{path}__in": [value for value in wanted if value != "none" or path == FIELDS["offload"]]})
    return named | Q(**{f"{path}__isnull": True}) if "none" in wanted else named


def _word(value: Any) -> str:
    return "none" if value is None else str(value)


def _facet(groups: list[dict[str, Any]], path: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for group in groups:
        counts[_word(group[path])] += group["n"]
    return dict(sorted(counts.items()))


def _fetch(points: QuerySet[Point]) -> tuple[PointRow, ...]:
    return tuple(point_row(point) for point in points.select_related(*RELATED).order_by("-id")[:LIMIT])

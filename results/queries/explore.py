"""What Explore shows: the published points of a model and scenario, and what could be chosen instead."""

import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from django.db.models import Q, QuerySet

from results.analysis.newest_builds import BuildRun, outdated
from results.models import LIVE, Attempt, Run
from results.queries.among import Among
from results.queries.filters import FIELDS, OF_RECIPES, OF_RUNS, facets
from results.queries.published import (
    Place,
    Scope,
    open_runs,
    places,
    places_of,
    published_curves,
    published_until,
    runs_of,
)
from results.queries.recipes_seen import RecipeSeen, recipes_of, runs_seen
from results.queries.replaced import Replaced, replaced_runs
from results.queries.seen_points import LIMIT, Found, SeenPoint, points_found, points_seen

#: Any agentic corpus.
AGENTIC = "agentic"


@dataclass(frozen=True, slots=True)
class Selection:
    """``chosen`` maps a key of ``FIELDS`` to accepted values; absent means all.

    ``models`` are slugs, ``scenarios`` corpus names, ``<isl>/<osl>`` or ``agentic``; where none is named,
    that of what was published last. ``validity`` is one of auto, all, valid, diagnostic, invalid, failed;
    auto is valid, or diagnostic when nothing valid is there. ``recipes`` are fingerprint prefixes. Only
    published curves are shown, those of the end of the UTC day ``as_of`` if given, unless the choice names
    runs: ``runs``, or a key of ``OF_RUNS``. Of what several builds of one configuration measured at the same
    load only the newest is shown unless ``every_build``.
    """

    models: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    validity: str = "auto"
    recipes: tuple[str, ...] = ()
    runs: tuple[uuid.UUID, ...] = ()
    as_of: date | None = None
    every_build: bool = False

    @property
    def published(self) -> bool:
        return not self.runs and not OF_RUNS.keys() & self.chosen.keys()

    @property
    def newest(self) -> bool:
        """Whether runs that newer builds replaced need only be counted: none is shown, none asked for."""
        return self.published and not self.every_build and not self.recipes and self.as_of is None


@dataclass(frozen=True, slots=True)
class Explored:
    """``places`` are those looked at; all that could be are in ``choices``.

    ``recipes`` are those of the scope before any filter, but for builds that newer ones replaced;
    ``left_out`` counts points by the first filter they miss. ``older_runs`` are runs that no curve shows.
    """

    places: tuple[Place, ...]
    choices: tuple[Place, ...]
    facets: Mapping[str, Mapping[str, int]]
    recipes: tuple[RecipeSeen, ...]
    points: tuple[SeenPoint, ...]
    validity: str
    scope_total: int
    left_out: Mapping[str, int]
    older_runs: int

    @property
    def newest_at(self) -> datetime | None:
        """When the newest of the shown points was measured."""
        return max((point.measured_at for point in self.points), default=None)


def explore(selection: Selection, metrics: Collection[str]) -> Explored:
    """A number of queries that depends on neither points nor runs. ``metrics`` are the numbers to fetch."""
    opened = open_runs()
    choices = places(opened)
    looked = _looked(places_of(selection.runs) if selection.runs else choices, selection)
    scope = Scope(tuple({place.model: 0 for place in looked}), tuple(row for p in looked for row in p.rows))
    replaced = replaced_runs(scope) if selection.newest else []
    runs = runs_seen(_runs(scope, selection, opened))
    known = points_found(runs)
    every = selection.every_build or not selection.published
    older = set[int]() if every else _outdated(known)
    validity, left_out, kept = _judge(known, selection, older)
    left_out.update(_replaced(replaced, selection))
    if len(kept) > LIMIT:
        left_out["limit"] = len(kept) - LIMIT
        kept = {number: kept[number] for number in sorted(kept, reverse=True)[:LIMIT]}
    counted = len(runs) + sum(one.runs for one in replaced)
    return Explored(
        places=tuple(looked),
        choices=tuple(choices),
        facets=facets(known, replaced, older),
        recipes=_standing(recipes_of(runs.values()), known, older),
        points=tuple(points_seen(kept, metrics)),
        validity=validity,
        scope_total=sum(len(one.points) for one in known) + sum(one.points for one in replaced),
        left_out=left_out,
        older_runs=max(0, runs_of(scope).count() - counted) if selection.published else 0,
    )


def live_runs() -> int:
    """How many runs are still to deliver points."""
    return Run.objects.filter(state__in=LIVE).count()


def _looked(choices: list[Place], selection: Selection) -> list[Place]:
    """The asked models and scenarios; where none is asked for, those of the newest place."""
    fitting = [place for place in choices if not selection.models or place.model in selection.models]
    fitting = [place for place in fitting if not selection.scenarios or _is(place, selection.scenarios)]
    if fitting and not selection.models:
        fitting = [place for place in fitting if place.model == fitting[0].model]
    if fitting and not selection.scenarios:
        fitting = [place for place in fitting if place.scenario == fitting[0].scenario]
    return fitting


def _is(place: Place, names: tuple[str, ...]) -> bool:
    return place.scenario in names or (place.agentic and AGENTIC in names)


def _runs(scope: Scope, selection: Selection, opened: list[uuid.UUID]) -> QuerySet[Run]:
    everything = runs_of(scope)
    if selection.runs:
        return everything.filter(id__in=selection.runs)
    if selection.as_of is None:
        curves = published_curves(scope)
        curves = curves.filter(superseded=False) if selection.newest else curves
        ids = [*curves.values_list("run_id", flat=True), *opened]
    else:
        ids = published_until(scope, selection.as_of)
    # Points of the published runs stay countable beside those of the runs that are asked for.
    spoken = Q(Among("id", ids))
    return everything.filter(spoken if selection.published else spoken | _named(selection))


def _named(selection: Selection) -> Q:
    """Runs that the labels, blocks and hosts of a choice ask for; exactly which, the points decide."""
    named = Q()
    if "label" in selection.chosen:
        named &= Q(label__in=selection.chosen["label"])
    if numbers := [value for value in selection.chosen.get("block", ()) if value.isdecimal()]:
        named &= Q(block__in=numbers)
    if hosts := [name for name in selection.chosen.get("host", ()) if name != "none"]:
        named &= Q(id__in=Attempt.objects.filter(host__name__in=hosts).values("run"))
    return named


def _outdated(known: Iterable[Found]) -> set[int]:
    """Points that a newer build measured again; a run that still measures replaces nothing."""
    return outdated(
        BuildRun(
            configuration=one.of.recipe.build.configuration,
            scenario=one.of.scenario_id,
            at=one.of.measured_at,
            named=bool(one.of.recipe.engine_version),
            points=one.points,
        )
        for one in known
        if not one.of.live
    )


def _standing(
    recipes: tuple[RecipeSeen, ...], known: Iterable[Found], older: Collection[int]
) -> tuple[RecipeSeen, ...]:
    """Without those of which nothing is left but what newer builds measured again."""
    measured = {one.of.recipe.fingerprint for one in known if one.points}
    standing = {
        one.of.recipe.fingerprint
        for one in known
        if any(number not in older for number, _load, _validity in one.points)
    }
    gone = measured - standing
    return tuple(recipe for recipe in recipes if recipe.fingerprint not in gone)


def _replaced(replaced: Iterable[Replaced], selection: Selection) -> Counter[str]:
    """How many points of older builds are left out for which reason."""
    counts: Counter[str] = Counter()
    for one in replaced:
        missed = _missed({name: OF_RECIPES[name](one.recipe) for name in selection.chosen}, selection)
        counts[missed or "older_build"] += one.points
    return counts


def _missed(has: Mapping[str, str], selection: Selection) -> str | None:
    """The first choice that what is there does not fit, or None."""
    return next((name for name, wanted in selection.chosen.items() if has[name] not in wanted), None)


def _misses(one: Found, selection: Selection) -> str | None:
    """The first filter that these points do not pass, or None."""
    missed = _missed({name: FIELDS[name](one) for name in selection.chosen}, selection)
    if missed is not None:
        return missed
    if selection.recipes and not one.of.recipe.fingerprint.startswith(selection.recipes):
        return "recipe"
    return None


def _judge(
    known: Iterable[Found], selection: Selection, older: Collection[int]
) -> tuple[str, Counter[str], dict[int, Found]]:
    """The validity to show, how many points are left out for which reason, and the rest by identifier."""
    left_out: Counter[str] = Counter()
    kept: dict[str, dict[int, Found]] = {}
    for one in known:
        missed = _misses(one, selection)
        if missed is not None:
            left_out[missed] += len(one.points)
            continue
        for number, _load, validity in one.points:
            if number in older:
                left_out["older_build"] += 1
            else:
                kept.setdefault(validity, {})[number] = one
    validity = selection.validity
    if validity == "auto":
        validity = "diagnostic" if "diagnostic" in kept and "valid" not in kept else "valid"
    if validity == "all":
        return validity, left_out, {number: one for some in kept.values() for number, one in some.items()}
    left_out.update({other: len(some) for other, some in kept.items() if other != validity})
    return validity, left_out, kept.get(validity, {})

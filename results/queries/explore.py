"""What Explore shows: the published points of a model and scenario, and what could be chosen instead."""

import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from operator import attrgetter

from django.db.models import Q, QuerySet

from results.analysis.natural_order import natural
from results.analysis.newest_builds import BuildRun, outdated
from results.models import LIVE, Attempt, Run
from results.queries.among import Among
from results.queries.published import (
    Place,
    Scope,
    open_runs,
    places,
    places_of,
    published_runs,
    published_until,
    runs_of,
)
from results.queries.recipes_seen import RecipeSeen, recipes_of, runs_seen
from results.queries.seen_points import LIMIT, Found, Located, SeenPoint, points_found, points_seen

#: What recipes can be filtered by, in the order the filter rail shows.
OF_RECIPES: Mapping[str, Callable[[RecipeSeen], str]] = {
    "hardware": attrgetter("hardware"),
    "vendor": attrgetter("vendor"),
    "engine": attrgetter("engine"),
    "precision": attrgetter("precision"),
    "deployment": attrgetter("deployment"),
    "speculative": lambda recipe: recipe.speculative or "none",
    "offload": attrgetter("offload"),
    "gpus": lambda recipe: str(recipe.gpu_count),
    "accuracy": attrgetter("accuracy"),
}
#: Who chooses by one of these asks for certain runs, published or not.
OF_RUNS: Mapping[str, Callable[[Located], str]] = {
    "label": attrgetter("of.label"),
    "host": lambda point: point.host or "none",
    "block": lambda point: "none" if point.of.block is None else str(point.of.block),
}


def _of_recipe(read: Callable[[RecipeSeen], str]) -> Callable[[Located], str]:
    return lambda point: read(point.of.recipe)


#: What can be filtered by, and where a point has it.
FIELDS: Mapping[str, Callable[[Located], str]] = {
    **{name: _of_recipe(read) for name, read in OF_RECIPES.items()},
    **OF_RUNS,
}
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


@dataclass(frozen=True, slots=True)
class Explored:
    """``places`` are those looked at; all that could be are in ``choices``.

    ``recipes`` are those of the scope before any filter, ``left_out`` counts points by the first filter they
    miss. ``older_runs`` are runs of the scope that no curve shows.
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
    runs = runs_seen(_runs(scope, selection, opened))
    known = points_found(runs)
    every = selection.every_build or not selection.published
    older = set[int]() if every else _outdated(known)
    validity, left_out, kept = _judge(known, selection, older)
    if len(kept) > LIMIT:
        left_out["limit"] = len(kept) - LIMIT
        kept = {number: kept[number] for number in sorted(kept, reverse=True)[:LIMIT]}
    return Explored(
        places=tuple(looked),
        choices=tuple(choices),
        facets={name: _facet(known, read) for name, read in FIELDS.items()},
        recipes=recipes_of(runs.values()),
        points=tuple(points_seen(kept, metrics)),
        validity=validity,
        scope_total=sum(len(one.points) for one in known),
        left_out=left_out,
        older_runs=max(0, runs_of(scope).count() - len(runs)) if selection.published else 0,
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
        ids = [*published_runs(scope), *opened]
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


def _misses(one: Found, selection: Selection) -> str | None:
    """The first filter that these points do not pass, or None."""
    for name, wanted in selection.chosen.items():
        if FIELDS[name](one) not in wanted:
            return name
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


def _facet(known: Iterable[Found], read: Callable[[Found], str]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for one in known:
        counts[read(one)] += len(one.points)
    return dict(sorted(counts.items(), key=lambda item: natural(item[0])))

"""Prefix hit rates against load: where device memory stops holding the working set, what offload gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from results.analysis.cache import (
    CachePoint,
    Cliff,
    OffloadPair,
    OffloadPoint,
    cliff,
    offload_family,
    offload_pairs,
)
from results.queries.curves import latest
from results.queries.lean_points import LeanPoint, RecipeRow, lean_points, recipe_rows
from results.queries.places import Place, choose, places

LIMIT = 5_000
#: Characters of a family that name it in addresses.
KEY = 12
RATES = (
    "gpu_cache_hit_rate", "host_cache_hit_rate", "external_cache_hit_rate", "overall_cache_hit_rate",
    "client_cache_hit_rate", "theoretical_cache_hit_rate",
)  # fmt: skip
#: What is compared with and without offload.
PAIRED = ("total_throughput_per_gpu", "ttft_p90", "interactivity_p50", "overall_cache_hit_rate")


@dataclass(frozen=True, slots=True)
class LoadRates:
    """Medians of one load and offload mode, shares of prompt tokens; None where not measured, never 0.

    ``device`` is device memory alone, ``other`` host memory or an external store, ``overall`` all tiers,
    ``theoretical`` a cache without limit.
    """

    load: int
    offload: str
    device: float | None
    other: float | None
    overall: float | None
    theoretical: float | None
    points: tuple[LeanPoint, ...]

    @property
    def missed(self) -> float | None:
        """Share that an unlimited cache would have hit and this one computed again."""
        if self.overall is None or self.theoretical is None:
            return None
        return self.theoretical - self.overall


@dataclass(frozen=True, slots=True)
class Family:
    """Points of one configuration with and without KV offload on one scenario."""

    key: str
    recipe: RecipeRow
    loads: tuple[LoadRates, ...]
    cliff: Cliff | None
    pairs: tuple[OffloadPair, ...]


@dataclass(frozen=True, slots=True)
class CacheFound:
    """``family`` is the one that is shown; ``without`` counts points that carry no hit rate."""

    place: Place | None
    places: tuple[Place, ...]
    families: tuple[Family, ...] = ()
    family: Family | None = None
    points: int = 0
    without: int = 0


def cache_rates(model: str | None, scenario: str | None, family: str | None) -> CacheFound:
    """Three queries. Without a choice: the newest agentic place, the family with a cliff or most loads."""
    found = places()
    ranked = sorted(found, key=lambda place: not place.agentic)
    place = choose(ranked, model, scenario)
    if place is None:
        return CacheFound(None, found)
    points = lean_points(latest(place.model, scenario=place.scenario), (*RATES, *PAIRED), LIMIT)
    usable = [point for point in points if point.validity in ("valid", "diagnostic")]
    rated = [point for point in usable if any(key in point.values for key in RATES)]
    recipes = recipe_rows(point.recipe for point in rated)
    families = _families(rated, recipes)
    chosen = next((one for one in families if family and one.key.startswith(family)), None)
    return CacheFound(
        place=place,
        places=found,
        families=families,
        family=chosen or (families[0] if families and not family else None),
        points=len(usable),
        without=len(usable) - len(rated),
    )


def device_rate(values: Mapping[str, float], offload: str) -> float | None:
    """Hit rate of device memory; without offload whatever was hit was there."""
    if "gpu_cache_hit_rate" in values:
        return values["gpu_cache_hit_rate"]
    return overall_rate(values) if offload == "none" else None


def overall_rate(values: Mapping[str, float]) -> float | None:
    return values.get("overall_cache_hit_rate", values.get("client_cache_hit_rate"))


def _families(points: Sequence[LeanPoint], recipes: Mapping[int, RecipeRow]) -> tuple[Family, ...]:
    names = {key: offload_family(recipe.document) for key, recipe in recipes.items()}
    groups: dict[tuple[str, int], list[LeanPoint]] = {}
    for point in points:
        groups.setdefault((names[point.recipe], point.scenario), []).append(point)
    found = [_family(name, members, recipes) for (name, _scenario), members in groups.items()]
    return tuple(sorted(found, key=lambda one: (one.cliff is None, -len(one.loads), one.key)))


def _family(name: str, points: Sequence[LeanPoint], recipes: Mapping[int, RecipeRow]) -> Family:
    modes = {point.id: recipes[point.recipe].offload for point in points}
    rated = [
        CachePoint(
            point.id,
            point.load,
            device_rate(point.values, modes[point.id]),
            point.values.get("theoretical_cache_hit_rate"),
        )
        for point in points
    ]
    offloads = [OffloadPoint(point.id, point.load, name, modes[point.id], point.values) for point in points]
    by_load: dict[tuple[int, str], list[LeanPoint]] = {}
    for point in points:
        by_load.setdefault((point.load, modes[point.id]), []).append(point)
    return Family(
        key=name[:KEY],
        recipe=recipes[points[0].recipe],
        loads=tuple(_rates(load, mode, members) for (load, mode), members in sorted(by_load.items())),
        cliff=cliff(rated),
        pairs=offload_pairs(offloads),
    )


def _rates(load: int, mode: str, points: Sequence[LeanPoint]) -> LoadRates:
    values = [point.values for point in points]
    return LoadRates(
        load=load,
        offload=mode,
        device=_median([device_rate(one, mode) for one in values]),
        other=_median([_other(one) for one in values]) if mode != "none" else None,
        overall=_median([overall_rate(one) for one in values]),
        theoretical=_median([one.get("theoretical_cache_hit_rate") for one in values]),
        points=tuple(points),
    )


def _other(values: Mapping[str, float]) -> float | None:
    """Host memory where the engine says so, else the external tier: some count the same bytes as both."""
    return values.get("host_cache_hit_rate", values.get("external_cache_hit_rate"))


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None

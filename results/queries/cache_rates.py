"""Prefix hit rates against load: where device memory stops holding the working set, what offload gives."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from results.analysis.cache import (
    CachePoint,
    Cliff,
    Memory,
    OffloadPair,
    OffloadPoint,
    cliff,
    offload_family,
    offload_pairs,
)
from results.analysis.roofline import kv_bytes_per_token
from results.documents.shapes import ModelShape
from results.models import Point
from results.queries.among import Among
from results.queries.lean_points import LeanPoint, RecipeRow, lean_points, recipe_rows
from results.queries.places import Place, choose, places
from results.queries.points import RESULT
from results.queries.published_lean import published_lean
from results.queries.shapes import shipped_shapes

LIMIT = 5_000
#: Characters of a family that name it in addresses.
KEY = 12
RATES = (
    "gpu_cache_hit_rate", "host_cache_hit_rate", "external_cache_hit_rate", "overall_cache_hit_rate",
    "client_cache_hit_rate", "theoretical_cache_hit_rate",
)  # fmt: skip
#: What the cliff does to users, and what the memory of a load is computed from.
FELT = ("ttft_p50", "output_throughput")
SIZES = ("input_tokens_mean", "output_tokens_mean", "kv_cache_pool_tokens")
#: What is compared with and without offload.
PAIRED = ("total_throughput_per_gpu", "ttft_p90", "interactivity_p50", "overall_cache_hit_rate")
_KEYS = (*RATES, *FELT, *SIZES, *PAIRED)


@dataclass(frozen=True, slots=True)
class LoadRates:
    """Medians of one load and offload, shares of prompt tokens; None where not measured, never 0.

    ``offload`` is what ``tier`` names it.
    ``device`` is device memory alone, ``other`` host memory or an external store, ``overall`` all tiers,
    ``theoretical`` a cache without limit. ``ttft`` is the median of the points' P50 in seconds,
    ``throughput`` output tokens per second, ``working_set`` and ``pool`` bytes of keys and values.
    """

    load: int
    offload: str
    device: float | None
    other: float | None
    overall: float | None
    theoretical: float | None
    ttft: float | None
    throughput: float | None
    working_set: float | None
    pool: float | None
    points: tuple[LeanPoint, ...]

    @property
    def missed(self) -> float | None:
        """Share that an unlimited cache would have hit and this one computed again."""
        if self.overall is None or self.theoretical is None:
            return None
        return self.theoretical - self.overall


@dataclass(frozen=True, slots=True)
class Family:
    """Points of one configuration with and without KV offload on one scenario.

    ``host_tier`` is the host memory that offload may use, in bytes, by offload.
    """

    key: str
    recipe: RecipeRow
    loads: tuple[LoadRates, ...]
    cliff: Cliff | None
    pairs: tuple[OffloadPair, ...]
    host_tier: Mapping[str, float]

    @property
    def pool(self) -> float | None:
        """Bytes that device memory holds, the median of all loads."""
        return _median([one.pool for one in self.loads])

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(point.label for one in self.loads for point in one.points)

    @property
    def uneven(self) -> tuple[int, ...]:
        """Loads that were not repeated equally often without and with offload."""
        counts: dict[int, list[int]] = {}
        for one in self.loads:
            counts.setdefault(one.load, []).append(len(one.points))
        sides = min(2, len({one.offload for one in self.loads}))
        return tuple(load for load, found in counts.items() if len(found) < sides or len(set(found)) > 1)

    @property
    def offloads(self) -> tuple[str, ...]:
        """Every offload of the family, that without first."""
        return tuple(sorted({one.offload for one in self.loads}, key=lambda name: (name != "none", name)))


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
    """Five queries. Without a choice: the newest agentic place, the family with a cliff or most loads."""
    found = places()
    ranked = sorted(found, key=lambda place: not place.agentic)
    place = choose(ranked, model, scenario)
    if place is None:
        return CacheFound(None, found)
    points = published_lean(place, _KEYS, LIMIT)
    points += _other_blocks(points)
    usable = [point for point in points if point.validity in ("valid", "diagnostic")]
    rated = [point for point in usable if any(key in point.values for key in RATES)]
    recipes = recipe_rows(point.recipe for point in rated)
    families = _families(rated, recipes, shipped_shapes().get(place.model))
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


def _other_blocks(points: Sequence[LeanPoint]) -> list[LeanPoint]:
    """Points of the blocks that repeat a published run of ours: same recipe, scenario and label."""
    published = {(point.recipe, point.scenario, point.label) for point in points}
    runs = {point.run for point in points}
    repeats = Point.objects.filter(
        RESULT, current=True, attempt__isnull=False, run__block__isnull=False,
        run__recipe__in={recipe for recipe, _scenario, _label in published},
    ).exclude(Among("run_id", runs))  # fmt: skip
    found = lean_points(repeats, _KEYS, LIMIT)
    return [one for one in found if (one.recipe, one.scenario, one.label) in published]


def _families(
    points: Sequence[LeanPoint], recipes: Mapping[int, RecipeRow], shape: ModelShape | None
) -> tuple[Family, ...]:
    names = {key: offload_family(recipe.document) for key, recipe in recipes.items()}
    groups: dict[tuple[str, int], list[LeanPoint]] = {}
    for point in points:
        groups.setdefault((names[point.recipe], point.scenario), []).append(point)
    found = [_family(name, members, recipes, shape) for (name, _scenario), members in groups.items()]
    return tuple(sorted(found, key=lambda one: (one.cliff is None, -len(one.loads), one.key)))


def _family(
    name: str, points: Sequence[LeanPoint], recipes: Mapping[int, RecipeRow], shape: ModelShape | None
) -> Family:
    modes = {point.id: tier(recipes[point.recipe]) for point in points}
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
        loads=tuple(
            _rates(load, mode, members, recipes, shape) for (load, mode), members in sorted(by_load.items())
        ),
        cliff=cliff(rated),
        pairs=offload_pairs(offloads),
        host_tier=_host_tiers(recipes[point.recipe] for point in points),
    )


def tier(recipe: RecipeRow) -> str:
    """Mode of KV offload with the backend that does it, such as ``dram/vllm-native``; ``none`` without."""
    backend = recipe.document.get("kv_offload", {}).get("backend")
    return f"{recipe.offload}/{backend}" if backend else recipe.offload


def _host_tiers(recipes: Iterable[RecipeRow]) -> dict[str, float]:
    """Decimal gigabytes of each recipe's offload, in bytes."""
    stated = ((tier(recipe), recipe.document.get("kv_offload", {}).get("dram_gb")) for recipe in recipes)
    return {mode: gigabytes * 1e9 for mode, gigabytes in stated if gigabytes}


def _rates(
    load: int,
    mode: str,
    points: Sequence[LeanPoint],
    recipes: Mapping[int, RecipeRow],
    shape: ModelShape | None,
) -> LoadRates:
    values = [point.values for point in points]
    memory = [Memory.of(one.values, load, _kv(one, recipes, shape)) for one in points]
    return LoadRates(
        load=load,
        offload=mode,
        device=_median([device_rate(one, mode) for one in values]),
        other=_median([_other(one) for one in values]) if mode != "none" else None,
        overall=_median([overall_rate(one) for one in values]),
        theoretical=_median([one.get("theoretical_cache_hit_rate") for one in values]),
        ttft=_median([one.get("ttft_p50") for one in values]),
        throughput=_median([one.get("output_throughput") for one in values]),
        working_set=_median([one.working_set for one in memory]),
        pool=_median([one.pool for one in memory]),
        points=tuple(points),
    )


def _kv(point: LeanPoint, recipes: Mapping[int, RecipeRow], shape: ModelShape | None) -> float | None:
    return kv_bytes_per_token(point.values, recipes[point.recipe].document, shape)


def _other(values: Mapping[str, float]) -> float | None:
    """Host memory where the engine says so, else the external tier: some count the same bytes as both."""
    return values.get("host_cache_hit_rate", values.get("external_cache_hit_rate"))


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None

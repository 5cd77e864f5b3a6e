"""Which published points meet a service level objective."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from results.analysis.prices import deployment_rate
from results.analysis.slo import Answer, Measured, Objective, Offer, answer
from results.documents.prices import PriceTable, Tier
from results.models import Recipe
from results.queries.lean_points import LeanPoint, RecipeRow, recipe_rows
from results.queries.places import Place, choose, places
from results.queries.prices import shipped_prices
from results.queries.published_lean import published_lean

#: Published points of one model and scenario that one search looks at.
LIMIT = 20_000
PERCENTILES = ("p50", "p75", "p90", "p95", "p99")
KINDS = ("total", "output", "input")


@dataclass(frozen=True, slots=True)
class Question:
    """``percentile`` is that of TTFT and speed; ``kind`` says which tokens are counted and paid.

    ``prices`` is the version of a price table, None the newest.
    """

    objective: Objective = field(default_factory=Objective)
    model: str | None = None
    scenario: str | None = None
    percentile: str = "p90"
    kind: str = "total"
    prices: str | None = None
    tier: Tier = Tier.RENTAL
    precision: tuple[str, ...] = ()

    @property
    def ttft(self) -> str:
        return f"ttft_{self.percentile}"

    @property
    def speed(self) -> str:
        return f"interactivity_{self.percentile}"

    @property
    def throughput(self) -> str:
        return f"{self.kind}_throughput_per_gpu"


@dataclass(frozen=True, slots=True)
class Offered:
    """One offer with its evidence; rank 1 is best."""

    rank: int
    offer: Offer
    point: LeanPoint
    recipe: RecipeRow


@dataclass(frozen=True, slots=True)
class Answered:
    """``place`` is None when nothing is published there; ``cut`` when more points may exist."""

    question: Question
    place: Place | None
    places: tuple[Place, ...]
    table: PriceTable
    offers: tuple[Offered, ...] = ()
    misses: Mapping[str, int] = field(default_factory=dict)
    behind: int = 0
    points: tuple[LeanPoint, ...] = ()
    recipes: Mapping[int, RecipeRow] = field(default_factory=dict)
    precisions: Mapping[str, int] = field(default_factory=dict)
    diagnostic: bool = False
    cut: bool = False

    @property
    def met(self) -> bool:
        return bool(self.offers)


def search(question: Question) -> Answered:
    """Four queries. NoPriceTableError for an unknown version of the prices."""
    book, found = shipped_prices(), places()
    table = book.newest if question.prices is None else book.version(question.prices)
    place = choose(found, question.model, question.scenario)
    if place is None:
        return Answered(question, None, found, table)
    keys = (question.ttft, question.speed, question.throughput)
    everything = published_lean(place, keys, LIMIT)
    recipes = recipe_rows(point.recipe for point in everything)
    precisions: dict[str, int] = {}
    for point in everything:
        name = recipes[point.recipe].precision
        precisions[name] = precisions.get(name, 0) + 1
    wanted = question.precision
    points = [point for point in everything if not wanted or recipes[point.recipe].precision in wanted]
    result = _answer(question, table, points, recipes)
    return Answered(
        question=question,
        place=place,
        places=found,
        table=table,
        offers=_offered(result.offers, points, recipes),
        misses={miss.value: count for miss, count in result.misses.items()},
        behind=result.behind,
        points=tuple(points),
        recipes=recipes,
        precisions=dict(sorted(precisions.items())),
        diagnostic=bool(points) and not any(point.validity == "valid" for point in points),
        cut=len(everything) == LIMIT,
    )


def _answer(
    question: Question, table: PriceTable, points: Sequence[LeanPoint], recipes: Mapping[int, RecipeRow]
) -> Answer:
    known = {identifier: recipes[identifier] for identifier in {point.recipe for point in points}}
    rates = {key: deployment_rate(table, question.tier, one.gpus_by_hardware) for key, one in known.items()}
    # Every build of a configuration was published by itself; a buyer wants it once.
    groups = {key: one.build.configuration for key, one in known.items()}
    # A fast wrong answer is no offer.
    wrong = {key for key, one in known.items() if one.accuracy == Recipe.Accuracy.FAIL}
    measured = (
        Measured(
            id=point.id,
            load=point.load,
            group=groups[point.recipe],
            gpus=recipes[point.recipe].gpus,
            ttft=point.values.get(question.ttft),
            speed=point.values.get(question.speed),
            throughput=point.values.get(question.throughput),
            rate=rates[point.recipe],
            validity="invalid" if point.recipe in wrong else point.validity,
        )
        for point in points
    )
    return answer(measured, question.objective)


def _offered(
    offers: Sequence[Offer], points: Sequence[LeanPoint], recipes: Mapping[int, RecipeRow]
) -> tuple[Offered, ...]:
    by_id = {point.id: point for point in points}
    ranked = ((rank, offer, by_id[offer.point.id]) for rank, offer in enumerate(offers, start=1))
    return tuple(Offered(rank, offer, point, recipes[point.recipe]) for rank, offer, point in ranked)

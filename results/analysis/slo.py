"""Which measured deployments meet a service level objective, best first. Measured points only."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import floor, inf, isfinite
from typing import NamedTuple

from results.analysis.cost import cost_per_million
from results.analysis.frontier import comparable
from results.analysis.prices import Rate


@dataclass(frozen=True, slots=True)
class Objective:
    """What is asked; None asks nothing. ValueError for a limit that is not a positive finite number.

    ``ttft`` in seconds at most and ``speed`` in tokens per second per user at least, both at the percentile
    the caller read the measurements at; ``budget`` in US dollars per hour and ``power`` in provisioned
    kilowatts, at most, for all deployments together.
    """

    ttft: float | None = None
    speed: float | None = None
    budget: float | None = None
    power: float | None = None

    def __post_init__(self) -> None:
        for name in ("ttft", "speed", "budget", "power"):
            value = getattr(self, name)
            if value is not None and not (isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a positive finite number")

    @property
    def capped(self) -> bool:
        return self.budget is not None or self.power is not None


# A named tuple: pages make thousands of them, and a frozen dataclass takes ten times as long to make.
class Measured(NamedTuple):
    """One point. ``group`` is what is offered once: hardware, engine and recipe. ``throughput`` per GPU."""

    id: int
    load: int
    group: Hashable
    gpus: int
    ttft: float | None
    speed: float | None
    throughput: float | None
    rate: Rate
    validity: str = "valid"


class Miss(StrEnum):
    """Why a point is no offer; the first rule that it breaks, in this order."""

    NOT_COMPARABLE = "not_comparable"
    NO_THROUGHPUT = "throughput_missing"
    NO_SPEED = "speed_missing"
    SPEED = "speed_too_low"
    NO_TTFT = "ttft_missing"
    TTFT = "ttft_too_long"
    NO_PRICE = "price_unknown"
    BUDGET = "over_budget"
    NO_POWER = "power_unknown"
    POWER = "over_power"


#: What a rule looks at, and a limit on it with the misses of a number that is absent and of one that is over.
Read = Callable[[Measured], float | None]
Rule = tuple[float, Read, Miss, Miss]


class Offer(NamedTuple):
    """``deployments`` equal copies, as many as the caps allow, one without caps.

    ``throughput`` in tokens per second, ``dollars`` per hour and ``kilowatts`` are for all of them;
    ``cost`` is US dollars per million tokens. None where price or power is unknown.
    """

    point: Measured
    deployments: int
    throughput: float
    dollars: float | None
    kilowatts: float | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """Offers best first, one per group, and how many points are none for which reason.

    ``behind`` counts points that meet the objective and stand behind a better one of their group, so that
    offers, misses and ``behind`` add up to all points.
    """

    offers: tuple[Offer, ...]
    misses: Mapping[Miss, int]
    behind: int

    @property
    def met(self) -> bool:
        """False: no measured configuration meets the objective."""
        return bool(self.offers)


def answer(points: Iterable[Measured], objective: Objective) -> Answer:
    """Rank what meets the objective.

    With a cap on budget or power: the most tokens per second from as many deployments as fit in. Without:
    the cheapest token; points without a price come last, by throughput per GPU. Ties go to the cheaper,
    then the shorter TTFT, the higher speed, the lower load, the lower id. The order of points is no matter.
    """
    everything = list(points)
    kind = comparable(point.validity for point in everything)
    rules = _rules(objective)
    misses: Counter[Miss] = Counter()
    fitting: list[Offer] = []
    for point in everything:
        found = _judge(point, objective, kind, rules)
        if isinstance(found, Miss):
            misses[found] += 1
        else:
            fitting.append(found)
    best: dict[Hashable, Offer] = {}
    for offer in sorted(fitting, key=lambda offer: _rank(offer, objective)):
        best.setdefault(offer.point.group, offer)
    return Answer(tuple(best.values()), dict(misses), len(fitting) - len(best))


def _rules(objective: Objective) -> list[Rule]:
    """Those in play, in the order in which they are judged."""
    # Speed is better when higher, so it is turned over to share the rule "at most".
    rules: tuple[tuple[float | None, Read, Miss, Miss], ...] = (
        (_negative(objective.speed), lambda point: _negative(point.speed), Miss.NO_SPEED, Miss.SPEED),
        (objective.ttft, lambda point: point.ttft, Miss.NO_TTFT, Miss.TTFT),
        (_slack(objective.budget), _dollars, Miss.NO_PRICE, Miss.BUDGET),
        (_slack(objective.power), _kilowatts, Miss.NO_POWER, Miss.POWER),
    )
    return [(limit, read, missing, broken) for limit, read, missing, broken in rules if limit is not None]


def _judge(point: Measured, objective: Objective, kind: str | None, rules: Iterable[Rule]) -> Offer | Miss:
    if point.validity != kind:
        return Miss.NOT_COMPARABLE
    if point.throughput is None or point.throughput <= 0:
        return Miss.NO_THROUGHPUT
    for limit, read, missing, broken in rules:
        # Absent is not zero: it meets no limit.
        value = read(point)
        if value is None or value > limit:
            return missing if value is None else broken
    dollars, kilowatts = _dollars(point), _kilowatts(point)
    copies = _copies(objective, dollars, kilowatts) if objective.capped else 1
    return Offer(
        point=point,
        deployments=copies,
        throughput=point.throughput * point.gpus * copies,
        dollars=_times(dollars, copies),
        kilowatts=_times(kilowatts, copies),
        cost=cost_per_million(point.throughput, point.rate),
    )


def _dollars(point: Measured) -> float | None:
    """Per hour, of one deployment."""
    return _times(point.rate.dollars_per_hour, point.gpus)


def _kilowatts(point: Measured) -> float | None:
    return _times(point.rate.kilowatts, point.gpus)


def _copies(objective: Objective, dollars: float | None, kilowatts: float | None) -> int:
    """How many whole deployments fit under every cap; one where nothing is capped."""
    caps = ((_slack(objective.budget), dollars), (_slack(objective.power), kilowatts))
    fits = [floor(limit / one) for limit, one in caps if limit is not None and one is not None]
    return min(fits, default=1)


def _rank(offer: Offer, objective: Objective) -> tuple[float, ...]:
    point = offer.point
    cost = inf if offer.cost is None else offer.cost
    ttft = inf if point.ttft is None else point.ttft
    speed = -inf if point.speed is None else point.speed
    first = (-offer.throughput, cost) if objective.capped else (cost, -(point.throughput or 0))
    return (*first, ttft, -speed, point.load, point.id)


def _slack(limit: float | None) -> float | None:
    """A cap that equals the bill to the cent must not fail on binary fractions."""
    return None if limit is None else limit * (1 + 1e-12)


def _times(value: float | None, count: int) -> float | None:
    return None if value is None else value * count


def _negative(value: float | None) -> float | None:
    return None if value is None else -value

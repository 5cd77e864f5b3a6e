import itertools
import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.prices import Rate
from results.analysis.slo import Answer, Measured, Miss, Objective, answer

CHEAP, DEAR, UNPRICED = Rate(1.0, 1.0), Rate(4.0, 2.0), Rate(None, None)


def point(number: int, group: str, **change: Any) -> Measured:
    """8 GPUs, P90 TTFT 1 s, 50 tok/s/user, 1,000 tok/s/GPU at one dollar per hour."""
    fields: dict[str, Any] = {
        "id": number, "load": number, "group": group, "gpus": 8, "ttft": 1.0, "speed": 50.0,
        "throughput": 1000.0, "rate": CHEAP,
    }  # fmt: skip
    return Measured(**fields | change)


def ids(found: Answer) -> list[int]:
    return [offer.point.id for offer in found.offers]


def test_limits_are_inclusive_and_both_apply() -> None:
    points = [
        point(1, "exact", ttft=2.0, speed=30.0),
        point(2, "late", ttft=2.0001, speed=90.0),
        point(3, "slow", ttft=0.1, speed=29.9),
    ]
    found = answer(points, Objective(ttft=2.0, speed=30.0))
    assert ids(found) == [1]
    assert found.misses == {Miss.TTFT: 1, Miss.SPEED: 1}


def test_no_measured_configuration_meets_this() -> None:
    found = answer([point(1, "a"), point(2, "b", ttft=9.0)], Objective(ttft=0.5))
    assert not found.met
    assert (found.offers, found.misses) == ((), {Miss.TTFT: 2})
    assert not answer([], Objective()).met


def test_without_a_cap_the_cheapest_token_is_first_and_a_recipe_is_offered_once() -> None:
    points = [
        point(1, "dear", rate=DEAR, throughput=2000.0),
        point(2, "cheap"),
        point(3, "cheap", throughput=1500.0),
        point(4, "unpriced", rate=UNPRICED, throughput=9e9),
    ]
    found = answer(points, Objective(ttft=2.0))
    assert ids(found) == [3, 1, 4]
    assert found.behind == 1
    best = found.offers[0]
    assert best.cost == pytest.approx(1.0 / (3600 * 1500 / 1e6))
    assert (best.deployments, best.throughput, best.dollars, best.kilowatts) == (1, 12_000.0, 8.0, 8.0)
    assert (found.offers[-1].cost, found.offers[-1].dollars) == (None, None)


def test_under_a_budget_most_tokens_win_and_whole_deployments_are_bought() -> None:
    points = [
        point(1, "small", gpus=1, throughput=900.0),
        point(2, "large", gpus=16, throughput=1000.0),
    ]
    found = answer(points, Objective(budget=20.0))
    assert [(offer.point.id, offer.deployments, offer.dollars) for offer in found.offers] == [
        (1, 20, 20.0),
        (2, 1, 16.0),
    ]
    assert [offer.throughput for offer in found.offers] == [18_000.0, 16_000.0]


def test_the_tighter_of_two_caps_counts() -> None:
    (offer,) = answer([point(1, "a", rate=DEAR)], Objective(budget=100.0, power=33.0)).offers
    assert (offer.deployments, offer.dollars, offer.kilowatts) == (2, 64.0, 32.0)


def test_a_bill_that_is_the_budget_to_the_cent_fits() -> None:
    (offer,) = answer([point(1, "a", gpus=1, rate=Rate(0.1, None))], Objective(budget=0.3)).offers
    assert offer.deployments == 3


@pytest.mark.parametrize(
    ("objective", "change", "miss"),
    [
        (Objective(budget=7.9), {}, Miss.BUDGET),
        (Objective(power=7.9), {}, Miss.POWER),
        (Objective(budget=99.0), {"rate": UNPRICED}, Miss.NO_PRICE),
        (Objective(power=99.0), {"rate": UNPRICED}, Miss.NO_POWER),
        (Objective(ttft=9.0), {"ttft": None}, Miss.NO_TTFT),
        (Objective(speed=1.0), {"speed": None}, Miss.NO_SPEED),
        (Objective(), {"throughput": None}, Miss.NO_THROUGHPUT),
        (Objective(), {"throughput": 0.0}, Miss.NO_THROUGHPUT),
        (Objective(), {"validity": "failed"}, Miss.NOT_COMPARABLE),
        (Objective(), {"validity": "diagnostic"}, Miss.NOT_COMPARABLE),
    ],
)
def test_why_a_point_is_no_offer(objective: Objective, change: dict[str, Any], miss: Miss) -> None:
    """Absent is not zero: a TTFT that was not measured meets no limit."""
    found = answer([point(1, "a", **change), point(2, "b", rate=Rate(0.1, 0.1))], objective)
    assert ids(found) == [2]
    assert found.misses == {miss: 1}


def test_what_is_not_asked_may_be_missing() -> None:
    assert answer([point(1, "a", ttft=None, speed=None, rate=UNPRICED)], Objective()).met


def test_ties_go_to_the_shorter_ttft_then_the_higher_speed_then_load_and_id() -> None:
    points = [
        point(1, "a", ttft=None, load=1),
        point(2, "b", load=4),
        point(3, "c", load=2),
        point(4, "d", load=2),
        point(5, "e", speed=60.0),
        point(6, "f", ttft=0.5, speed=None),
    ]
    assert ids(answer(points, Objective())) == [6, 5, 3, 4, 2, 1]


@pytest.mark.parametrize("name", ["ttft", "speed", "budget", "power"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_limit_is_a_positive_finite_number(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        Objective(**{name: value})


limits = st.none() | st.floats(0.1, 1e3)
numbers = st.none() | st.sampled_from([0.0, 1.0, 2.0]) | st.floats(0.01, 1e3)
measurements = st.builds(
    Measured,
    id=st.integers(1, 99), load=st.integers(1, 4), group=st.sampled_from("abc"), gpus=st.integers(1, 72),
    ttft=numbers, speed=numbers, throughput=numbers,
    rate=st.builds(Rate, st.none() | st.floats(0.1, 9), st.none() | st.floats(0.1, 9)),
    validity=st.sampled_from(["valid", "diagnostic", "failed"]),
)  # fmt: skip
points_of_one_id = st.lists(measurements, max_size=15, unique_by=lambda measured: measured.id)


@given(points_of_one_id, limits, limits, limits, limits, st.randoms(use_true_random=False))
def test_every_point_is_accounted_for_and_every_offer_keeps_every_limit(
    points: list[Measured],
    ttft: float | None,
    speed: float | None,
    budget: float | None,
    power: float | None,
    order: random.Random,
) -> None:
    objective = Objective(ttft, speed, budget, power)
    found = answer(points, objective)
    assert len(found.offers) + sum(found.misses.values()) + found.behind == len(points)
    for offer in found.offers:
        assert ttft is None or (offer.point.ttft is not None and offer.point.ttft <= ttft)
        assert speed is None or (offer.point.speed is not None and offer.point.speed >= speed)
        assert budget is None or (offer.dollars is not None and offer.dollars <= budget * (1 + 1e-9))
        assert power is None or (offer.kilowatts is not None and offer.kilowatts <= power * (1 + 1e-9))
        assert offer.deployments >= 1
    if not objective.capped:
        costs = [math.inf if offer.cost is None else offer.cost for offer in found.offers]
        assert all(before <= after for before, after in itertools.pairwise(costs))
    shuffled = list(points)
    order.shuffle(shuffled)
    assert answer(shuffled, objective) == found

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.cache import (
    CachePoint,
    OffloadPoint,
    Step,
    cliff,
    offload_family,
    offload_pairs,
    steps,
)

THEORY = 0.97


def points(rates: dict[int, float | None], theory: float | None = THEORY) -> list[CachePoint]:
    return [CachePoint(load, load, rate, theory) for load, rate in rates.items()]


def test_the_cliff_lies_where_the_device_rate_falls_and_theory_does_not() -> None:
    """The shape of a real sweep: users fit in GPU memory up to 16, and not at 24."""
    sweep: dict[int, float | None] = {1: 0.949, 2: 0.935, 4: 0.925, 8: 0.898, 16: 0.873, 24: 0.068, 32: 0.001}
    found = cliff(points(sweep))
    assert found is not None
    assert (found.before, found.at, found.device_before, found.device_at) == (16, 24, 0.873, 0.068)
    assert found.fall == pytest.approx(0.949 - 0.068)
    assert found.theoretical_at == THEORY


def test_one_noisy_point_is_no_cliff() -> None:
    assert cliff(points({1: 0.95, 8: 0.90, 12: 0.80, 16: 0.87})) is None
    found = cliff(points({1: 0.95, 8: 0.90, 12: 0.80, 16: 0.87, 24: 0.07, 32: 0.01}))
    assert found is not None and found.at == 24


def test_traffic_that_repeats_less_is_no_cliff() -> None:
    falling = [CachePoint(n, n, rate, rate + 0.02) for n, rate in ((1, 0.9), (2, 0.6), (4, 0.3))]
    assert cliff(falling) is None


def test_a_theoretical_rate_far_above_a_falling_one_shows() -> None:
    found = cliff(points({16: 0.83, 64: 0.47, 256: 0.12}, theory=0.975))
    assert found is not None and (found.before, found.at) == (16, 64)


@pytest.mark.parametrize(
    "sweep", [[], points({4: 0.5}), points({1: 0.9, 2: None, 4: None}), points({1: 0.9, 2: 0.1}, theory=None)]
)
def test_too_little_measured_shows_no_cliff(sweep: list[CachePoint]) -> None:
    assert cliff(sweep) is None


def test_repeats_count_with_their_median() -> None:
    repeats = [CachePoint(1, 4, 0.2, 0.9), CachePoint(2, 4, 0.8, 0.9), CachePoint(3, 4, 0.7, 0.96)]
    assert steps([*repeats, CachePoint(4, 4, None, 0.9)]) == (Step(4, 0.7, 0.9),)


shares = st.none() | st.floats(0, 1)
sweeps = st.lists(st.builds(CachePoint, st.integers(1, 99), st.integers(1, 9), shares, shares), max_size=20)


@given(sweeps, st.randoms(use_true_random=False))
def test_a_cliff_is_a_fall_of_the_asked_size_whatever_the_order(
    sweep: list[CachePoint], order: random.Random
) -> None:
    found = cliff(sweep)
    shuffled = list(sweep)
    order.shuffle(shuffled)
    assert cliff(shuffled) == found
    if found is not None:
        assert found.fall >= 0.10
        assert found.before < found.at
        later = [step for step in steps(sweep) if step.load >= found.at]
        best = max(step.device for step in steps(sweep) if step.load <= found.before)
        assert all(max(best, step.device) - step.device >= 0 for step in later)
        assert found.device_at <= best - found.fall + 1e-12


def offload(number: int, load: int, mode: str, family: str = "f", **values: float) -> OffloadPoint:
    return OffloadPoint(number, load, family, mode, values)


def test_pairs_exist_where_both_sides_measured_a_load() -> None:
    pairs = offload_pairs(
        [
            offload(1, 8, "none", ttft_p90=4.0),
            offload(2, 8, "dram", ttft_p90=1.0),
            offload(3, 16, "dram"),
            offload(4, 32, "none"),
            offload(5, 8, "dram", family="other"),
        ]
    )
    (pair,) = pairs
    assert (pair.load, pair.offload, pair.values("ttft_p90"), pair.ratio("ttft_p90")) == (
        8,
        "dram",
        (4.0, 1.0),
        0.25,
    )


def test_repeats_of_a_side_stand_side_by_side_with_their_median() -> None:
    (pair,) = offload_pairs(
        [
            offload(1, 8, "none", x=2.0),
            offload(2, 8, "none", x=4.0),
            offload(3, 8, "none"),
            offload(4, 8, "dram", x=6.0),
        ]
    )
    assert [point.id for point in pair.without] == [1, 2, 3]
    assert (pair.values("x"), pair.ratio("x")) == ((3.0, 6.0), 2.0)


def test_a_ratio_needs_both_sides_and_a_base() -> None:
    (pair,) = offload_pairs([offload(1, 8, "none", zero=0.0, left=1.0), offload(2, 8, "dram", zero=1.0)])
    assert (pair.ratio("zero"), pair.ratio("left"), pair.values("left")) == (None, None, (1.0, None))


def test_a_family_is_the_recipe_without_its_offload() -> None:
    base = {"model": {"name": "m"}, "kv_offload": {"mode": "none"}, "arguments": {"max_num_seqs": 4}}
    offloaded = {
        "model": {"name": "m"},
        "kv_offload": {"mode": "dram", "dram_gb": 512},
        "arguments": {"max_num_seqs": 4, "kv_offloading_gib": 512},
    }
    other = base | {"arguments": {"max_num_seqs": 8}}
    assert offload_family(base) == offload_family(offloaded) != offload_family(other)

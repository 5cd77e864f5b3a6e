import math
import random
import statistics

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.percentiles import PERCENTILES, describe, deviation, mean, percentile

# Squares of subnormal numbers vanish; no measurement is that small.
values = st.lists(
    st.floats(-1e9, 1e9, allow_subnormal=False).map(lambda value: round(value, 9)), min_size=1, max_size=60
)


@pytest.mark.parametrize(
    ("ordered", "percent", "expected"),
    [
        ([5.0], 90, 5.0),
        ([1.0, 2.0], 50, 1.5),
        ([1.0, 2.0, 3.0, 4.0], 90, 3.7),
        ([0.02, 0.025, 0.05], 50, 0.025),
        ([1.0, 2.0, 3.0], 0, 1.0),
        ([1.0, 2.0, 3.0], 100, 3.0),
    ],
)
def test_known_percentiles(ordered: list[float], percent: float, expected: float) -> None:
    assert percentile(ordered, percent) == pytest.approx(expected, rel=1e-15)


def test_nothing_has_no_statistics() -> None:
    assert describe([]) == {}
    with pytest.raises(ValueError, match="percentile of no values"):
        percentile([], 50)
    with pytest.raises(ValueError, match="mean of no values"):
        mean([])
    with pytest.raises(ValueError, match="of no values"):
        deviation([])


@pytest.mark.parametrize("percent", [-0.1, 100.1, math.nan])
def test_percent_outside_the_scale_is_refused(percent: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 100"):
        percentile([1.0], percent)


def test_spread_is_that_of_the_population() -> None:
    assert deviation([7.0]) == 0
    assert deviation([1.0, 3.0]) == 1.0


@given(values)
def test_statistics_agree_with_independent_implementations(sample: list[float]) -> None:
    described = describe(sample)
    scale = max(abs(value) for value in sample) or 1.0
    for name, percent in PERCENTILES.items():
        assert described[name] == pytest.approx(float(numpy.percentile(sample, percent)), abs=1e-12 * scale)
    assert described["mean"] == pytest.approx(statistics.fmean(sample), abs=1e-12 * scale)
    assert described["std"] == pytest.approx(statistics.pstdev(sample), abs=1e-7 * scale)


@given(values)
def test_percentiles_are_ordered_and_inside_the_sample(sample: list[float]) -> None:
    described = describe(sample)
    ranks = [described[name] for name in PERCENTILES]
    assert ranks == sorted(ranks)
    assert min(sample) <= ranks[0] <= ranks[-1] <= max(sample)


@given(values, st.randoms(use_true_random=False))
def test_order_of_the_sample_does_not_matter(sample: list[float], order: random.Random) -> None:
    shuffled = list(sample)
    order.shuffle(shuffled)
    assert describe(shuffled) == describe(sample)

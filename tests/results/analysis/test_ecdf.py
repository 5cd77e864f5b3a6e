import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.ecdf import Ecdf, ecdf

numbers = st.lists(st.sampled_from([0.0, 1.0, 2.5]) | st.floats(-1e9, 1e9), min_size=1, max_size=300)


def share(values: list[float], at: float) -> float:
    return sum(value <= at for value in values) / len(values)


def test_few_values_keep_every_step() -> None:
    assert ecdf([3, 1, 2, 2]).steps == ((1, 0.25), (2, 0.75), (3, 1.0))


def test_absent_values_are_counted_and_change_nothing() -> None:
    assert ecdf([None, 4.0, None]) == Ecdf(1, 2, ((4.0, 1.0),), 0.0)
    assert ecdf([None]) == Ecdf(0, 1, (), 0.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_numbers_are_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        ecdf([1.0, bad])


def test_one_step_is_no_distribution() -> None:
    with pytest.raises(ValueError, match="two steps"):
        ecdf([1.0], steps=1)


@given(numbers, st.integers(4, 40))
def test_every_step_is_exact_and_the_gap_is_true(values: list[float], limit: int) -> None:
    found = ecdf(values, steps=limit)
    assert len(found.steps) <= max(limit, 2)
    assert all(at == pytest.approx(share(values, value)) for value, at in found.steps)
    assert (found.steps[0][0], found.steps[-1]) == (min(values), (max(values), 1.0))
    assert [value for value, _ in found.steps] == sorted({value for value, _ in found.steps})
    drawn = [max(at for place, at in found.steps if place <= value) for value in values]
    gap = max(share(values, value) - at for value, at in zip(values, drawn, strict=True))
    assert gap == pytest.approx(found.largest_gap, abs=1e-9)


@given(numbers, st.randoms(use_true_random=False))
def test_order_does_not_matter(values: list[float], order: random.Random) -> None:
    shuffled = list(values)
    order.shuffle(shuffled)
    assert ecdf(shuffled, steps=10) == ecdf(values, steps=10)


def test_a_hundred_thousand_requests_keep_their_tail_in_four_hundred_steps() -> None:
    values = [math.exp(n / 20_000) for n in range(100_000)]
    found = ecdf(values)
    assert found.n == 100_000 and len(found.steps) <= 400
    assert found.largest_gap <= 0.006
    tail = [at for _value, at in found.steps if at >= 0.999]
    assert len(tail) >= 40, "the last request in a thousand is still drawn"

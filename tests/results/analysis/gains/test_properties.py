"""What must not matter, does not: order, units, names; and swapping the sides mirrors everything."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results.analysis.gains.blocks import Block
from results.analysis.gains.compare import compare
from results.analysis.gains.verdicts import GAINS, REGRESSIONS, MetricVerdict
from results.analysis.gains.vocabulary import Verdict
from tests.results.analysis.gains.samples import (
    LOAD,
    THROUGHPUT,
    TTFT,
    blocks_of,
    plan,
    ratio_blocks,
    swapped,
)

factors = st.lists(st.floats(0.5, 2), min_size=3, max_size=9)
keys = st.sampled_from([THROUGHPUT, TTFT])


def judged(blocks: list[Block], key: str = THROUGHPUT) -> MetricVerdict:
    (found,) = compare(blocks, plan(key, blocks=len(blocks))).primary
    return found


def numbers(found: MetricVerdict) -> list[float]:
    return [
        math.nan if value is None else value
        for value in (found.gain, found.ci_low, found.ci_high, found.p, found.mde, found.robust_gain)
    ]


@settings(deadline=None, max_examples=40)
@given(factors, keys)
def test_swapping_the_sides_mirrors_gain_interval_and_verdict(ratios: list[float], key: str) -> None:
    blocks = ratio_blocks(ratios, key)
    there, back = judged(blocks, key), judged(swapped(blocks), key)
    assert there.gain is not None and back.gain is not None
    assert 1 + back.gain == pytest.approx(1 / (1 + there.gain), rel=1e-9)
    if there.ci_low is not None and there.ci_high is not None:
        mirrored = (1 / (1 + there.ci_high) - 1, 1 / (1 + there.ci_low) - 1)
        assert (back.ci_low, back.ci_high) == pytest.approx(mirrored, rel=1e-6, abs=1e-9)
    assert back.p == pytest.approx(there.p) if there.p is not None else back.p is None
    if there.verdict in GAINS:
        assert back.verdict in REGRESSIONS
    elif there.verdict in REGRESSIONS:
        assert back.verdict in GAINS
    else:
        assert back.verdict == there.verdict


@settings(deadline=None, max_examples=40)
@given(factors, keys, st.sampled_from([1e-9, 1e-3, 0.1, 7, 1e6, 1e12]))
def test_units_do_not_matter(ratios: list[float], key: str, scale: float) -> None:
    here = judged(ratio_blocks(ratios, key), key)
    there = judged(ratio_blocks(ratios, key, level=100 * scale), key)
    assert there.verdict == here.verdict
    assert numbers(there) == pytest.approx(numbers(here), rel=1e-6, abs=1e-9, nan_ok=True)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_the_order_of_blocks_does_not_matter(data: st.DataObject) -> None:
    ratios = data.draw(factors)
    blocks = ratio_blocks(ratios)
    order = data.draw(st.permutations(range(len(blocks))))
    moved = [blocks[place] for place in order]
    assert judged(moved) == judged(blocks)
    renumbered = [replace(blocks[place], number=number) for number, place in enumerate(order)]
    again = judged(renumbered)
    assert numbers(again) == pytest.approx(numbers(judged(blocks)), rel=0, abs=0, nan_ok=True)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_nothing_that_can_be_measured_breaks_a_comparison(data: st.DataObject) -> None:
    """Whatever stands in the values, the answer is a verdict with finite numbers or a reason."""
    value = st.none() | st.floats() | st.sampled_from([0.0, -1.0, 1e-300, 1e300, 5e-324])
    count = data.draw(st.integers(0, 6))
    before = data.draw(st.lists(value, min_size=count, max_size=count))
    after = data.draw(st.lists(value, min_size=count, max_size=count))
    (found,) = compare(blocks_of(before, after), plan()).primary
    assert found.load == LOAD
    for number in (found.gain, found.ci_low, found.ci_high, found.p, found.mde):
        assert number is None or math.isfinite(number)
    if found.n < 3:
        assert found.verdict not in {
            Verdict.GAIN,
            Verdict.STRONG_GAIN,
            Verdict.REGRESSION,
            Verdict.EQUIVALENT,
        }
        assert found.reasons


def test_absurd_ratios_stay_finite() -> None:
    found = judged(ratio_blocks([1e300, 1.0, 1.0]))
    assert found.ci_high is not None and math.isfinite(found.ci_high)
    assert found.verdict is Verdict.INCONCLUSIVE

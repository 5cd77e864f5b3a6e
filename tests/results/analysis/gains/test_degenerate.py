"""Values that do not vary, vary too little, or tie."""

import math

import numpy as np
import pytest
from scipy import stats

from results.analysis.gains.compare import compare
from results.analysis.gains.modes import differ, kernel_density, modes
from results.analysis.gains.sentences import render, sentence
from results.analysis.gains.vocabulary import Reason, Verdict
from tests.results.analysis.gains.samples import (
    EIGHT,
    FIVE,
    LOAD,
    THROUGHPUT,
    TTFT,
    block,
    blocks_of,
    plan,
    ratio_blocks,
)


@pytest.mark.parametrize("factor", [1.0, 1.05, 0.7])
def test_blocks_without_variation_are_not_infinitely_significant(factor: float) -> None:
    (found,) = compare(ratio_blocks([factor] * 5), plan()).primary
    assert (found.verdict, found.p, found.ci_low, found.mde) == (Verdict.DEGENERATE, None, None, None)
    assert found.gain == pytest.approx(factor - 1)
    assert found.reasons[0] is Reason.NO_VARIATION
    assert "without an interval" in render(sentence(found))


def test_counts_are_no_more_certain_than_counting_is() -> None:
    """Two more preemptions of ten, five times: the step of one alone explains 4 % of spread."""
    (found,) = compare(blocks_of([10.0] * 5, [12.0] * 5, "preemptions"), plan("preemptions")).primary
    assert found.p is not None and 1e-4 < found.p < 0.05
    assert found.verdict is Verdict.REGRESSION
    (one,) = compare(blocks_of([1.0] * 5, [2.0] * 5, "preemptions"), plan("preemptions", blocks=5)).primary
    assert one.ci_low is not None and one.ci_high is not None and one.ci_high - one.ci_low > 0.2


def test_a_test_without_p_counts_in_no_family() -> None:
    """A metric that never varies must not make another one harder to prove."""

    blocks = [
        block(
            number, {LOAD: {THROUGHPUT: 100.0, TTFT: 1.0}}, {LOAD: {THROUGHPUT: 103 * (1 + one), TTFT: 1.0}}
        )
        for number, one in enumerate(FIVE, start=1)
    ]
    first, second = compare(blocks, plan(THROUGHPUT, TTFT)).primary
    assert first.adjusted_p == first.p
    assert second.verdict is Verdict.DEGENERATE


@pytest.mark.parametrize("sign", [1, -1])
def test_a_mean_that_outliers_made_is_unstable(sign: int) -> None:
    """Six blocks below the floor of 1 % and two that lift the mean above it."""
    logs = [0.0080, 0.0081, 0.0079, 0.0080, 0.0082, 0.0078, 0.020, 0.021]
    (found,) = compare(ratio_blocks([math.exp(sign * one) for one in logs]), plan(blocks=8)).primary
    assert found.gain is not None and found.robust_gain is not None and found.p is not None
    assert found.p < 0.01 and abs(found.gain) > found.floor > abs(found.robust_gain)
    assert (found.verdict, found.reasons[0]) == (Verdict.UNSTABLE, Reason.RANKS_DISAGREE)
    (short,) = compare(ratio_blocks([math.exp(sign * one) for one in logs[3:]]), plan()).primary
    assert short.robust_gain is None


def test_blocks_that_lack_a_side_are_left_out_and_said() -> None:
    before = [100.0, 101.0, None, 99.0, 100.0]
    after = [105.0, 107.0, 104.0, None, 106.0]
    (found,) = compare(blocks_of(before, after), plan()).primary
    assert found.n == 3 and Reason.BLOCKS_INCOMPLETE in found.reasons


@pytest.mark.parametrize(
    ("values", "count"),
    [([5.0] * 9, 1), ([1.0], 1), (list(EIGHT), 1), ([*EIGHT, *(one + 1 for one in EIGHT)], 2)],
)
def test_modes(values: list[float], count: int) -> None:
    assert modes(np.array(values)) == count


def test_the_density_is_the_known_one() -> None:
    values, places = np.array(EIGHT), np.linspace(-0.05, 0.05, 21)
    assert kernel_density(values, places) == pytest.approx(stats.gaussian_kde(values)(places), rel=1e-10)


def test_few_values_have_no_shape() -> None:
    assert differ(np.array(EIGHT[:7]), np.array(EIGHT)) is None
    assert differ(np.array(EIGHT), np.array(EIGHT)) is False

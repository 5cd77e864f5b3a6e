import math
from dataclasses import replace
from datetime import timedelta

import pytest
from scipy import stats

from results.analysis.gains.blocks import Observation, Side
from results.analysis.gains.noise import FalsePositives, Noise
from results.analysis.gains.unpaired import compare_sets
from results.analysis.gains.verdicts import MetricVerdict
from results.analysis.gains.vocabulary import Method, Reason, Verdict
from tests.results.analysis.gains.samples import ALIKE, LOAD, START, THROUGHPUT, TTFT, observation, plan

BEFORE = [100.0, 101.0, 99.5, 100.4, 98.9, 100.8, 99.7]
AFTER = [105.2, 104.1, 106.0, 105.5, 104.8, 105.9]


def runs(side: Side, values: list[float], key: str = THROUGHPUT) -> list[Observation]:
    return [observation(side, number, {LOAD: {key: value}}) for number, value in enumerate(values)]


def judged(before: list[float], after: list[float], key: str = THROUGHPUT) -> MetricVerdict:
    found = compare_sets([*runs(Side.BASELINE, before, key), *runs(Side.CANDIDATE, after, key)], plan(key))
    (one,) = found.primary
    return one


def test_a_clear_gain_is_only_indicative() -> None:
    found = judged(BEFORE, AFTER)
    logs = [[math.log(value) for value in side] for side in (AFTER, BEFORE)]
    interval = stats.ttest_ind(*logs, equal_var=False).confidence_interval(0.95)
    assert (found.verdict, found.method, found.n) == (Verdict.INDICATIVE_GAIN, Method.WELCH_T, 6)
    assert (found.ci_low, found.ci_high) == pytest.approx(
        (math.expm1(interval.low), math.expm1(interval.high))
    )
    assert found.reasons[0] is Reason.UNPAIRED
    assert found.rank_p is not None and found.rank_p_floor == pytest.approx(2 / math.comb(13, 6))


def test_swapping_the_sides_and_the_direction() -> None:
    assert judged(AFTER, BEFORE).verdict is Verdict.INDICATIVE_REGRESSION
    assert judged(BEFORE, AFTER, TTFT).verdict is Verdict.INDICATIVE_REGRESSION
    assert judged(AFTER, BEFORE, TTFT).verdict is Verdict.INDICATIVE_GAIN


def test_equality_is_never_concluded_without_blocks() -> None:
    found = judged([100.0, 100.1, 99.9] * 5, [100.0, 100.05, 99.95] * 5)
    assert found.verdict is Verdict.INCONCLUSIVE and Reason.UNPAIRED in found.reasons


@pytest.mark.parametrize(("before", "after"), [(2, 6), (6, 2), (1, 1)])
def test_three_launches_on_each_side(before: int, after: int) -> None:
    found = judged(BEFORE[:before], AFTER[:after])
    assert (found.verdict, found.p, found.mde) == (Verdict.INSUFFICIENT, None, None)
    assert found.gain == pytest.approx(0.05, abs=0.02)


def test_no_side_and_no_baseline() -> None:
    assert compare_sets([], plan()).headline.verdict is Verdict.NO_BASELINE
    assert compare_sets(runs(Side.CANDIDATE, AFTER), plan()).headline.verdict is Verdict.NO_BASELINE
    assert compare_sets(runs(Side.BASELINE, BEFORE), plan()).headline.verdict is Verdict.INSUFFICIENT


def test_a_launch_on_both_sides_counts_on_neither() -> None:
    shared = [
        replace(one, launch="same") for one in (*runs(Side.BASELINE, [100.0]), *runs(Side.CANDIDATE, [500.0]))
    ]
    found = compare_sets([*shared, *runs(Side.BASELINE, BEFORE), *runs(Side.CANDIDATE, AFTER)], plan())
    assert found.primary[0].gain == judged(BEFORE, AFTER).gain
    assert Reason.REPEATED_LAUNCH in found.deviations


def test_identical_values_are_degenerate() -> None:
    found = judged([100.0] * 4, [105.0] * 4)
    assert (found.verdict, found.p, found.ci_low) == (Verdict.DEGENERATE, None, None)
    assert found.gain == pytest.approx(0.05)


def test_guards_apply_but_those_of_blocks_do_not() -> None:
    other = replace(ALIKE, precision="fp8")
    at = START + timedelta(days=30)
    late = [replace(one, started_at=at, conditions=other) for one in runs(Side.CANDIDATE, AFTER)]
    found = compare_sets([*runs(Side.BASELINE, BEFORE), *late], plan())
    assert found.headline.verdict is Verdict.NOT_COMPARABLE
    warned = {one.reason for one in found.guards if one.warns}
    assert Reason.FAR_APART in warned and Reason.NOT_INTERLEAVED not in warned


def test_a_distrusted_host_is_named() -> None:
    noise = Noise(false_positives=FalsePositives(10, 40, 40, 0.14, 0.4))
    found = compare_sets([*runs(Side.BASELINE, BEFORE), *runs(Side.CANDIDATE, AFTER)], plan(), noise)
    assert Reason.FALSE_POSITIVES in found.primary[0].reasons

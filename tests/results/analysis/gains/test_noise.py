import math
from datetime import timedelta

import pytest
from scipy.stats import binomtest

from results.analysis.gains.compare import compare
from results.analysis.gains.noise import (
    EqualComparison,
    FalsePositives,
    Noise,
    false_positives,
    noise,
    noise_floor,
    rejection_rate,
)
from results.analysis.gains.vocabulary import Basis, Reason, Verdict
from tests.results.analysis.gains.samples import FIVE, LOAD, START, THROUGHPUT, plan, ratio_blocks

KEY = (THROUGHPUT, Basis.FIXED_LOAD, LOAD)


def equal(
    week: int, log_gain: float = 0.001, p: float = 0.5, n: int = 5, **changed: object
) -> EqualComparison:
    fields: dict[str, object] = {
        "comparison": f"{week}", "host_class": "cpu", "model": "tiny", "metric": THROUGHPUT,
        "basis": Basis.FIXED_LOAD, "load": LOAD, "n": n, "at": START + timedelta(weeks=week),
        "log_gain": log_gain, "p": p,
    }  # fmt: skip
    return EqualComparison(**(fields | changed))  # type: ignore[arg-type]


def test_the_floor_is_the_95th_percentile_of_what_equal_recipes_differed() -> None:
    sizes = [(-1) ** week * week / 1000 for week in range(1, 21)]
    same_day = [equal(0, size) for size in sizes]
    assert noise_floor(same_day) == pytest.approx(0.019, abs=0.0011)
    assert noise_floor(same_day[:19]) is None


def test_newer_comparisons_weigh_more() -> None:
    loud_then_quiet = [equal(week, 0.05 if week < 30 else 0.005) for week in range(200)]
    quiet_then_loud = [equal(week, 0.005 if week < 170 else 0.05) for week in range(200)]
    assert noise_floor(loud_then_quiet) == 0.005
    assert noise_floor(quiet_then_loud) == 0.05
    assert noise_floor(list(reversed(quiet_then_loud))) == 0.05


def test_a_floor_belongs_to_host_model_metric_load_and_number_of_blocks() -> None:
    history = [equal(week, 0.03) for week in range(20)]
    assert noise(history, "cpu", "tiny", 5).floors == {KEY: 0.03}
    for other in (("gpu", "tiny", 5), ("cpu", "large", 5), ("cpu", "tiny", 8)):
        assert noise(history, *other).floors == {}
    mixed = [*history[:10], *(equal(week, load=1) for week in range(10))]
    assert noise(mixed, "cpu", "tiny", 5).floors == {}


def test_a_gain_must_exceed_the_floor_of_the_host() -> None:
    blocks = ratio_blocks([1.05 * (1 + one) for one in FIVE])
    loud = Noise({KEY: math.log1p(0.06)})
    (found,) = compare(blocks, plan(), loud).primary
    assert found.verdict is Verdict.INCONCLUSIVE and Reason.BELOW_FLOOR in found.reasons
    assert (found.sesoi, found.floor, found.aa_floor) == pytest.approx((0.01, 0.06, 0.06))
    assert Reason.FLOOR_UNKNOWN not in found.reasons
    (plain,) = compare(blocks, plan()).primary
    assert plain.verdict is Verdict.STRONG_GAIN
    assert (plain.floor, plain.aa_floor) == (0.01, None) and Reason.FLOOR_UNKNOWN in plain.reasons
    (quiet,) = compare(blocks, plan(), Noise({KEY: math.log1p(0.002)})).primary
    assert quiet.floor == 0.01


def test_false_positives_are_counted_with_their_uncertainty() -> None:
    found = false_positives([equal(week, p=0.01 if week < 3 else 0.3) for week in range(40)])
    assert found is not None
    assert (found.rejected, found.tests, found.comparisons, found.rate) == (3, 40, 40, 0.075)
    assert found.low < 0.075 < found.high and found.is_trusted
    assert false_positives([equal(week) for week in range(19)]) is None


def test_quantities_of_one_comparison_count_as_one_for_the_interval() -> None:
    history = [equal(week, p=0.01 if week < 2 else 0.3, load=load) for week in range(20) for load in range(9)]
    found, alone = false_positives(history), rejection_rate(history[:9])
    assert found is not None and alone is not None
    assert (found.tests, found.comparisons, found.rate) == (180, 20, 0.1)
    expected = binomtest(2, 20).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert (alone.comparisons, alone.is_enough) == (1, False)
    assert false_positives(history[: 19 * 9]) is None


def test_a_host_that_errs_too_often_only_indicates() -> None:
    blocks = ratio_blocks([1.05 * (1 + one) for one in FIVE])
    bad = FalsePositives(5, 40, 40, 0.05, 0.26)
    (found,) = compare(blocks, plan(), Noise(false_positives=bad)).primary
    assert found.verdict is Verdict.INDICATIVE_GAIN and Reason.FALSE_POSITIVES in found.reasons
    good = FalsePositives(4, 40, 40, 0.04, 0.23)
    assert compare(blocks, plan(), Noise(false_positives=good)).headline.verdict is Verdict.STRONG_GAIN

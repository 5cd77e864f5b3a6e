"""Operating characteristics on simulated blocks: what the rules promise on average."""

import math
from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from results.analysis.gains.compare import compare
from results.analysis.gains.inference import paired, welch
from results.analysis.gains.judge import Rule, judge
from results.analysis.gains.noise import EqualComparison, noise
from results.analysis.gains.plan import ALPHA, ALPHA_OF_TWO_LOOKS
from results.analysis.gains.ranks import signed_rank_p
from results.analysis.gains.verdicts import GAINS, REGRESSIONS, ComparisonVerdict
from results.analysis.gains.vocabulary import Basis, Family, Verdict
from tests.results.analysis.gains.samples import LOAD, START, THROUGHPUT, plan, ratio_blocks

DRAWS = 4000
Array = NDArray[np.float64]


def differences(n: int, effect: float, deviation: float, seed: int = 1) -> Array:
    return np.random.default_rng(seed).normal(effect, deviation, (DRAWS, n))


def verdicts(n: int, effect: float, deviation: float, sesoi: float = 0.01) -> Counter[Verdict]:
    rule = Rule(math.log1p(sesoi), math.log1p(sesoi), ALPHA, Family.PRIMARY)
    rows = paired(differences(n, math.log1p(effect), deviation), ALPHA).rows()
    return Counter(judge(row, row.p, rule)[0] for row in rows)


@pytest.mark.parametrize("n", [5, 8, 10])
def test_equal_recipes_differ_in_one_of_twenty_comparisons(n: int) -> None:
    rate = np.mean(paired(differences(n, 0, 0.02), ALPHA).p < ALPHA)
    assert 0.03 <= rate <= 0.07


@pytest.mark.parametrize("n", [3, 5, 8, 10])
def test_the_interval_holds_the_truth_as_often_as_it_says(n: int) -> None:
    found = paired(differences(n, 0.01, 0.02, seed=2), ALPHA)
    assert np.mean((found.low <= 0.01) & (found.high >= 0.01)) == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize(("n", "coverage"), [(3, 0.967), (5, 0.953), (8, 0.955), (10, 0.950)])
def test_unpaired_intervals_hold_the_truth_as_often_as_tabulated(n: int, coverage: float) -> None:
    random = np.random.default_rng(3)
    before, after = (random.normal(0, 0.02, (DRAWS, n)) for _ in range(2))
    found = welch(before, after, ALPHA)
    assert np.mean((found.low <= 0) & (found.high >= 0)) == pytest.approx(coverage, abs=0.012)


@pytest.mark.parametrize(("n", "power"), [(5, 0.71), (6, 0.83), (8, 0.94), (10, 0.99)])
def test_power_of_the_paired_t(n: int, power: float) -> None:
    found = paired(differences(n, 0.03, 0.02), ALPHA)
    assert np.mean(found.p < ALPHA) == pytest.approx(power, abs=0.03)


@pytest.mark.parametrize(("n", "power"), [(5, 0.0), (6, 0.64), (8, 0.90), (10, 0.98)])
def test_power_of_the_signed_ranks(n: int, power: float) -> None:
    drawn = differences(n, 0.03, 0.02)
    p = stats.wilcoxon(drawn, axis=1, method="exact").pvalue
    assert [signed_rank_p(row) for row in drawn[:20]] == pytest.approx(p[:20])
    assert np.mean(p < ALPHA) == pytest.approx(power, abs=0.03)


@pytest.mark.parametrize(
    ("n", "effect", "gain", "strong"),
    [
        (5, 0.00, 0.018, 0.0), (8, 0.00, 0.014, 0.0), (10, 0.00, 0.011, 0.0),
        (5, 0.02, 0.61, 0.21), (8, 0.02, 0.89, 0.36), (10, 0.02, 0.96, 0.46),
        (5, 0.03, 0.90, 0.60), (8, 0.03, 0.997, 0.89), (10, 0.03, 1.00, 0.96),
    ],
)  # fmt: skip
def test_gains_are_found_as_often_as_tabulated(n: int, effect: float, gain: float, strong: float) -> None:
    """The rank check may only take gains away, and from six blocks on it hardly does."""
    found = verdicts(n, effect, 0.015)
    gains = (found[Verdict.GAIN] + found[Verdict.STRONG_GAIN]) / DRAWS
    assert gains == pytest.approx(gain, abs=0.03)
    assert found[Verdict.STRONG_GAIN] / DRAWS == pytest.approx(strong, abs=0.03)


@pytest.mark.parametrize(("n", "share"), [(5, 0.07), (8, 0.17), (10, 0.27), (20, 0.77), (25, 0.88)])
def test_equality_takes_many_blocks(n: int, share: float) -> None:
    assert verdicts(n, 0, 0.015)[Verdict.EQUIVALENT] / DRAWS == pytest.approx(share, abs=0.03)


def test_two_planned_looks_share_the_error() -> None:
    ten = differences(10, 0, 0.02)
    first, second = (paired(ten[:, :n], ALPHA_OF_TWO_LOOKS).p < ALPHA_OF_TWO_LOOKS for n in (5, 10))
    assert 0.03 <= np.mean(first | second) <= 0.06


def test_blocks_save_the_power_that_drift_takes() -> None:
    """Drift of 3 %, noise of 1 %, an effect of 2 %: 5 % power without pairing, 67 % with it."""
    random = np.random.default_rng(4)
    drift = random.normal(0, 0.03, (DRAWS, 5))
    before, after = (drift + effect + random.normal(0, 0.01, (DRAWS, 5)) for effect in (0, 0.02))
    assert np.mean(welch(before, after, ALPHA).p < ALPHA) == pytest.approx(0.056, abs=0.03)
    assert np.mean(paired(after - before, ALPHA).p < ALPHA) == pytest.approx(0.669, abs=0.03)


def equal_recipes(count: int, seed: int) -> list[ComparisonVerdict]:
    factors = np.exp(np.random.default_rng(seed).normal(0, 0.02, (count, 5)))
    return [compare(ratio_blocks(row.tolist()), plan()) for row in factors]


def as_history(found: ComparisonVerdict, week: int) -> EqualComparison:
    (one,) = found.primary
    assert one.gain is not None and one.p is not None
    at = START + timedelta(weeks=week)
    log_gain = math.log1p(one.gain)
    return EqualComparison(
        str(week), "cpu", "tiny", one.metric, one.basis, one.load, one.n, at, log_gain, one.p
    )


def test_of_200_comparisons_of_equal_recipes_at_most_one_in_twenty_is_not_neutral() -> None:
    """The host is known by then: its floor comes from comparisons of equal recipes made before."""
    before = [as_history(found, week) for week, found in enumerate(equal_recipes(60, seed=5))]
    known = noise(before, "cpu", "tiny", 5)
    assert known.floors[THROUGHPUT, Basis.FIXED_LOAD, LOAD] == pytest.approx(0.0175, rel=0.25)
    factors = np.exp(np.random.default_rng(6).normal(0, 0.02, (200, 5)))
    found = [compare(ratio_blocks(row.tolist()), plan(), known).headline.verdict for row in factors]
    assert sum(verdict in GAINS | REGRESSIONS for verdict in found) <= 10

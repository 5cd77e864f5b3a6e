"""The same numbers as SciPy and statsmodels give for one sample at a time, and as the tables say."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW

from results.analysis.gains.attainable import rank_sum_floor, signed_rank_floor
from results.analysis.gains.compare import compare
from results.analysis.gains.families import benjamini_hochberg, holm
from results.analysis.gains.inference import paired, welch
from results.analysis.gains.power import needed_blocks, paired_effect, unpaired_effect
from results.analysis.gains.ranks import pseudo_median, rank_shift, signed_rank_p
from tests.results.analysis.gains.samples import EIGHT, plan, ratio_blocks

BEFORE = np.array([100.0, 103.3, 98.0, 101.5, 99.2, 102.8, 97.5, 100.9])
AFTER = np.array([104.1, 106.0, 103.5, 104.9, 103.0, 107.7, 100.2, 105.5])
D = np.log(AFTER / BEFORE)


@pytest.mark.parametrize("alpha", [0.05, 0.029])
def test_paired_is_the_one_sample_t_on_log_ratios(alpha: float) -> None:
    found = paired(D[None, :], alpha)
    known = stats.ttest_1samp(D, 0)
    related = stats.ttest_rel(np.log(AFTER), np.log(BEFORE))
    outer, inner = (known.confidence_interval(1 - size) for size in (alpha, 2 * alpha))
    assert found.p[0] == pytest.approx(known.pvalue, rel=1e-12) == pytest.approx(related.pvalue)
    assert (found.low[0], found.high[0]) == pytest.approx((outer.low, outer.high), rel=1e-12)
    assert (found.inner_low[0], found.inner_high[0]) == pytest.approx((inner.low, inner.high), rel=1e-12)
    assert found.deviation[0] == pytest.approx(D.std(ddof=1))


@pytest.mark.parametrize("size", [3, 5, 8])
def test_unpaired_is_welch(size: int) -> None:
    found = welch(np.log(BEFORE)[None, :], np.log(AFTER[:size])[None, :], 0.05)
    known = stats.ttest_ind(np.log(AFTER[:size]), np.log(BEFORE), equal_var=False)
    interval = known.confidence_interval(0.95)
    assert found.p[0] == pytest.approx(known.pvalue, rel=1e-10)
    assert (found.low[0], found.high[0]) == pytest.approx((interval.low, interval.high), rel=1e-10)


def test_an_interval_within_the_margin_is_two_one_sided_tests() -> None:
    found = paired(D[None, :], 0.05)
    described = DescrStatsW(D)
    for margin in (0.03, 0.04, 0.0441, 0.0443, 0.05):
        p, _low, _high = described.ttost_mean(-margin, margin)
        within = bool(-margin < found.inner_low[0] and found.inner_high[0] < margin)
        assert within == (p < 0.05), margin


def test_pseudo_median_is_the_median_of_all_averages_of_two() -> None:
    averages = [(a + b) / 2 for a, b in itertools.combinations_with_replacement(D, 2)]
    assert pseudo_median(D[None, :])[0] == pytest.approx(np.median(averages), rel=1e-14)


def test_signed_ranks() -> None:
    assert signed_rank_p(D) == pytest.approx(stats.wilcoxon(D, method="exact").pvalue) == 2 / 2**8
    flips = stats.permutation_test((D,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert signed_rank_p(D) == pytest.approx(flips.pvalue)
    assert signed_rank_p(np.zeros(6)) == 1


def test_signed_ranks_with_ties_count_sign_patterns() -> None:
    values = np.array([1.0, 1.0, 2.0, 2.0, -1.0, 3.0, 4.0])
    ranks = stats.rankdata(np.abs(values))
    observed = abs((np.sign(values) * ranks).sum())
    patterns = itertools.product((-1, 1), repeat=7)
    extreme = [abs(np.dot(pattern, ranks)) >= observed - 1e-9 for pattern in patterns]
    assert signed_rank_p(values) == pytest.approx(np.mean(extreme))


def test_long_tied_samples_use_the_normal_approximation() -> None:
    values = np.repeat([1.0, -1.0, 2.0], 7)
    assert signed_rank_p(values) == pytest.approx(stats.wilcoxon(values, method="approx").pvalue)


def test_rank_shift_counts_wins_and_half_ties() -> None:
    before, after = np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 5.0, 6.0])
    wins = sum((b > a) + 0.5 * (b == a) for a in before for b in after)
    found = rank_shift(before, after)
    assert found.superiority == pytest.approx(wins / 12)
    assert found.delta == pytest.approx(2 * wins / 12 - 1)
    assert found.shift == np.median([b - a for a in before for b in after])
    distinct = rank_shift(BEFORE, AFTER)
    assert distinct.p == pytest.approx(stats.mannwhitneyu(AFTER, BEFORE, method="exact").pvalue)


@pytest.mark.parametrize("p", [[0.01], [0.01, 0.02, 0.03], [0.04, 0.001, 0.2, 0.04, 0.9], []])
def test_adjusted_p(p: list[float]) -> None:
    known = {"holm": holm(p), "fdr_bh": benjamini_hochberg(p)}
    for method, found in known.items():
        expected = multipletests(p, method=method)[1] if p else []
        assert found == pytest.approx(list(expected), rel=1e-12)


#: Standard deviation in percent; n; paired and unpaired detectable effects in percent.
@pytest.mark.parametrize(
    ("deviation", "paired_", "unpaired"),
    [
        (0.5, (1.6, 0.8, 0.6, 0.5), (1.5, 1.0, 0.8, 0.7)),
        (1, (3.3, 1.7, 1.2, 1.0), (3.1, 2.0, 1.5, 1.3)),
        (2, (6.5, 3.4, 2.3, 2.0), (6.1, 4.0, 3.0, 2.6)),
        (3, (9.8, 5.0, 3.5, 3.0), (9.2, 6.1, 4.5, 4.0)),
        (5, (16.3, 8.4, 5.8, 5.0), (15.4, 10.1, 7.5, 6.6)),
    ],
)
def test_detectable_effects(
    deviation: float, paired_: tuple[float, ...], unpaired: tuple[float, ...]
) -> None:
    for n, one, two in zip((3, 5, 8, 10), paired_, unpaired, strict=True):
        assert deviation * paired_effect(n, 0.05) == pytest.approx(one, abs=0.06)
        assert deviation * unpaired_effect(n, n, 0.05) == pytest.approx(two, abs=0.06)


def test_needed_blocks_are_the_fewest_with_the_power() -> None:
    for size in (0.2, 0.29, 0.5, 0.7, 1.0, 2.0, 5.0):
        n = needed_blocks(1.0, size, 0.05)
        assert n is not None
        assert paired_effect(n, 0.05) <= size < paired_effect(n - 1, 0.05)
    assert needed_blocks(1.0, 20.0, 0.05) == 2
    assert needed_blocks(1.0, 0.01, 0.05) is None


@pytest.mark.parametrize("n", [0, 1])
def test_effects_need_two_launches(n: int) -> None:
    with pytest.raises(ValueError, match="at least 2"):
        paired_effect(n, 0.05)
    with pytest.raises(ValueError, match="at least 2"):
        unpaired_effect(n, 5, 0.05)


@pytest.mark.parametrize(
    ("n", "signed", "unpaired"),
    [(3, 0.25, 0.1), (4, 0.125, 0.029), (5, 0.0625, 0.0079), (6, 0.031, 0.0022), (8, 0.0078, 0.00016)],
)
def test_attainable_p(n: int, signed: float, unpaired: float) -> None:
    assert signed_rank_floor(n) == pytest.approx(signed, rel=0.02)
    assert rank_sum_floor(n, n) == pytest.approx(unpaired, rel=0.05)


def test_a_comparison_shows_these_numbers() -> None:
    factors = [math.exp(0.04 + one) for one in EIGHT]
    (found,) = compare(ratio_blocks(factors), plan(blocks=8)).primary
    d = np.log(factors)
    known = stats.ttest_1samp(d, 0)
    interval = known.confidence_interval(0.95)
    assert found.gain == pytest.approx(math.expm1(d.mean()))
    assert (found.ci_low, found.ci_high) == pytest.approx(
        (math.expm1(interval.low), math.expm1(interval.high))
    )
    assert (found.p, found.adjusted_p) == pytest.approx((known.pvalue, known.pvalue))
    assert found.mde == pytest.approx(math.expm1(d.std(ddof=1) * paired_effect(8, 0.05)))
    assert found.robust_gain == pytest.approx(math.expm1(pseudo_median(d[None, :])[0]))
    assert (found.rank_p, found.rank_p_floor) == pytest.approx((2 / 256, 2 / 256))
    assert found.block_gains == pytest.approx([factor - 1 for factor in factors])
    assert found.confidence == pytest.approx(0.95)

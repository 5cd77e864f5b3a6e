"""Failures that users of other result dashboards reported, as black-box tests."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from results.analysis.changes import Night, changes
from results.analysis.frontier import Candidate, frontier
from results.analysis.gains.baselines import NoBaseline, Origin, choose_baseline
from results.analysis.gains.blocks import Block, Side
from results.analysis.gains.compare import compare
from results.analysis.gains.frontiers import median_points
from results.analysis.gains.plan import FrontierAxes, Plan, Purpose
from results.analysis.gains.sentences import percent, render, sentence
from results.analysis.gains.vocabulary import Basis, Reason, Verdict
from results.metrics import METRICS, Direction
from tests.results.analysis.gains.samples import (
    ALIKE,
    EIGHT,
    FIVE,
    LOAD,
    START,
    THROUGHPUT,
    TTFT,
    block,
    blocks_of,
    observation,
    plan,
    ratio_blocks,
)

UP = [1.05 * (1 + one) for one in FIVE]
DOWN = [0.95 * (1 + one) for one in FIVE]


def text(blocks: Sequence[Block], planned: Plan | None = None) -> str:
    (found,) = compare(blocks, planned or plan(blocks=len(blocks))).primary
    return render(sentence(found))


def test_unknown_unit_or_metric_is_refused_instead_of_guessed() -> None:
    with pytest.raises(ValueError, match="metrics: tokens_per_fortnight is not a registered metric"):
        Plan(("tokens_per_fortnight",), (LOAD,))
    found = compare(ratio_blocks(UP, "tokens_per_fortnight"), plan())
    assert found.exploratory == ()


def test_ten_percent_more_throughput_is_a_gain_and_more_ttft_a_regression() -> None:
    tenth = [1.1 * (1 + one) for one in FIVE]
    assert compare(ratio_blocks(tenth), plan()).headline.verdict is Verdict.STRONG_GAIN
    assert compare(ratio_blocks(tenth, TTFT), plan(TTFT)).headline.verdict is Verdict.REGRESSION


def test_a_withdrawn_run_turns_evidence_into_withdrawn() -> None:
    blocks = ratio_blocks(UP)
    values = {LOAD: {THROUGHPUT: 105.0}}
    gone = observation(Side.CANDIDATE, 5, values, withdrawn=True)
    found = compare([*blocks[:4], Block(5, (*blocks[4].of(Side.BASELINE), gone))], plan())
    assert found.headline.verdict is Verdict.WITHDRAWN
    assert found.primary[0].gain is None
    assert not found.is_evidence
    assert "withdrawn" in render(sentence(found.primary[0]))


def origin(run: str, commit: str, **changed: object) -> Origin:
    return Origin(run, commit, "recipe", "loads", "host", **changed)  # type: ignore[arg-type]


def test_the_baseline_of_a_pull_request_is_its_merge_base_on_the_same_host_and_recipe() -> None:
    runs = [origin("parent", "p"), origin("base", "b"), origin("push", "c1"), origin("again", "b")]
    found = choose_baseline(origin("new", "c2"), "b", runs)
    assert (found.runs, found.missing) == (("base", "again"), None)


@pytest.mark.parametrize(
    ("run", "missing"),
    [
        (Origin("r", "other", "recipe", "loads", "host"), NoBaseline.NEVER_MEASURED),
        (Origin("new", "b", "recipe", "loads", "host"), NoBaseline.NEVER_MEASURED),
        (Origin("r", "b", "fp8", "loads", "host"), NoBaseline.OTHER_RECIPE),
        (Origin("r", "b", "recipe", "more loads", "host"), NoBaseline.OTHER_MEASUREMENT),
        (Origin("r", "b", "recipe", "loads", "elsewhere"), NoBaseline.OTHER_HOST),
        (Origin("r", "b", "recipe", "loads", "host", usable=False), NoBaseline.NOT_USABLE),
    ],
)
def test_a_missing_baseline_has_a_reason(run: Origin, missing: NoBaseline) -> None:
    found = choose_baseline(origin("new", "c"), "b", [run])
    assert (found.runs, found.missing) == ((), missing)


def test_no_baseline_is_a_verdict_of_its_own() -> None:
    alone = [Block(1, (observation(Side.CANDIDATE, 1, {LOAD: {THROUGHPUT: 1.0}}),))]
    assert compare(alone, plan()).headline.verdict is Verdict.NO_BASELINE
    assert compare([], plan()).headline.verdict is Verdict.NO_BASELINE


def test_with_github_unreachable_there_is_a_reason_and_no_failure() -> None:
    found = choose_baseline(origin("new", "c"), None, [origin("base", "b")])
    assert found.missing is NoBaseline.MERGE_BASE_UNKNOWN


def test_ten_thousand_requests_of_one_launch_are_one_launch() -> None:
    blocks = [
        Block(
            number,
            tuple(
                observation(side, number, {LOAD: {THROUGHPUT: value + number % 7}}, launch=str(side))
                for side, value in ((Side.BASELINE, 100.0), (Side.CANDIDATE, 120.0))
            ),
        )
        for number in range(1, 10_001)
    ]
    (found,) = compare(blocks, plan()).primary
    assert (found.verdict, found.n, found.p) == (Verdict.INSUFFICIENT, 1, None)
    assert {Reason.TOO_FEW_LAUNCHES, Reason.REPEATED_LAUNCH} <= set(found.reasons)


def test_passes_of_one_launch_count_once() -> None:
    passes = tuple(
        observation(side, number, {LOAD: {THROUGHPUT: value * (1 + number / 100)}}, launch=f"{side}")
        for side, value in ((Side.BASELINE, 100.0), (Side.CANDIDATE, 110.0))
        for number in range(50)
    )
    (found,) = compare([Block(1, passes)], plan()).primary
    assert (found.verdict, found.n) == (Verdict.INSUFFICIENT, 1)
    assert found.gain == pytest.approx(0.1)


def test_sides_measured_one_after_the_other_are_only_indicative() -> None:
    later = START + timedelta(days=2)
    blocks = [
        Block(
            one.number,
            tuple(
                observation(run.side, one.number, run.values,
                            started_at=(later if run.side is Side.CANDIDATE else START)
                            + timedelta(hours=one.number))
                for run in one.observations
            ),
        )
        for one in ratio_blocks(UP)
    ]  # fmt: skip
    found = compare(blocks, plan())
    assert found.headline.verdict is Verdict.INDICATIVE_GAIN
    assert Reason.NOT_INTERLEAVED in found.deviations
    assert "interleaved" in render(sentence(found.primary[0]))


def test_an_effect_below_the_declared_floor_is_never_a_gain() -> None:
    tiny = [1.005 * (1 + one / 50) for one in FIVE]
    (found,) = compare(ratio_blocks(tiny), plan()).primary
    assert found.p is not None and found.p < 0.001
    assert found.verdict is Verdict.EQUIVALENT
    (strict,) = compare(ratio_blocks([1.0099 * (1 + one / 20) for one in FIVE]), plan()).primary
    assert strict.verdict is Verdict.INCONCLUSIVE
    assert Reason.BELOW_FLOOR in strict.reasons


def test_the_text_of_a_verdict_states_effect_interval_n_and_floor() -> None:
    said = text(ratio_blocks([1.041 * (1 + one) for one in EIGHT]))
    assert said == (
        "strong gain: Output throughput per GPU +4.1\u00a0% [95\u00a0% CI +3.3\u00a0%, +4.9\u00a0%] "
        "at load 32, n = 8, adjusted p = <0.0001, floor 1.0\u00a0%, MDE 1.1\u00a0%"
    )


def test_a_baseline_of_zero_has_no_ratio_and_zero_is_printed_as_zero() -> None:
    (found,) = compare(blocks_of([0.0, 1, 1], [1.0, 1, 1]), plan(blocks=3)).primary
    assert (found.verdict, found.gain) == (Verdict.NOT_COMPUTABLE, None)
    assert Reason.BASELINE_ZERO in found.reasons
    assert render(percent(0.0)) == "0.00\u00a0%" and percent(None) == "–"
    assert "nan" not in text(blocks_of([0.0] * 3, [0.0] * 3)).lower()


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0, 0.0])
@pytest.mark.parametrize("side", [0, 1])
def test_one_value_without_a_ratio_spoils_the_metric_and_is_not_imputed(bad: float, side: int) -> None:
    values = [[100.0, 101.0, 99.0, 100.5, 98.0], [105.0, 106.0, 104.0, 105.0, 103.0]]
    values[side][2] = bad
    (found,) = compare(blocks_of(values[0], values[1]), plan()).primary
    assert (found.verdict, found.gain) == (Verdict.NOT_COMPUTABLE, None)
    assert found.reasons


def test_points_of_one_side_are_listed_and_aggregates_rest_on_the_others() -> None:
    blocks = [
        block(
            number,
            {1: {THROUGHPUT: 10.0}, 2: {THROUGHPUT: 20.0}, 4: {THROUGHPUT: 30.0}},
            {2: {THROUGHPUT: 22.0 + number / 10}, 4: {THROUGHPUT: 33.0}, 8: {THROUGHPUT: 50.0}},
        )
        for number in range(1, 6)
    ]
    found = compare(blocks, plan())
    assert (found.coverage.common, found.coverage.baseline_only, found.coverage.candidate_only) == (
        (2, 4), (1,), (8,),
    )  # fmt: skip
    (mean,) = [one for one in found.exploratory if one.basis is Basis.ACROSS_LOADS]
    assert mean.loads == (2, 4)
    reasons = {one.load: one.reasons for one in found.exploratory if one.verdict is Verdict.NOT_COMPUTABLE}
    assert Reason.CANDIDATE_MISSING in reasons[1] and Reason.BASELINE_MISSING in reasons[8]


def test_the_smallest_attainable_p_is_stated() -> None:
    (four,) = compare(ratio_blocks(UP[:4]), plan(blocks=4)).primary
    assert (four.rank_p, four.rank_p_floor) == (None, 0.125)
    (eight,) = compare(ratio_blocks([1.05 * (1 + one) for one in EIGHT]), plan(blocks=8)).primary
    assert eight.rank_p_floor == 2 / 256


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_launches_per_side_give_no_verdict(n: int) -> None:
    (found,) = compare(ratio_blocks([1.5, 1.6][:n]), plan()).primary
    assert (found.verdict, found.n) == (Verdict.INSUFFICIENT, n)
    assert (found.ci_low, found.ci_high, found.p, found.mde) == (None, None, None, None)
    assert found.gain is not None
    assert f"n = {n}" in render(sentence(found))


def test_the_smallest_effect_of_interest_is_set_per_metric() -> None:
    factors = [1.03 * (1 + one / 10) for one in FIVE]
    blocks = [
        block(
            number,
            {LOAD: {THROUGHPUT: 100.0, TTFT: 1.02 * factor}},
            {LOAD: {THROUGHPUT: 100.0 * factor, TTFT: 1.0}},
        )
        for number, factor in enumerate(factors, start=1)
    ]
    found = compare(blocks, plan(THROUGHPUT, TTFT, sesoi={THROUGHPUT: 0.10}))
    verdicts = {one.metric: (one.verdict, one.sesoi) for one in found.primary}
    assert verdicts[THROUGHPUT] == (Verdict.EQUIVALENT, 0.10)
    assert verdicts[TTFT] == (Verdict.STRONG_GAIN, 0.03)


def test_the_headline_counts_regressions_that_nobody_declared() -> None:
    others = ("ttft_p50", "ttft_p90", "itl_p50", "e2e_latency_p50")
    blocks = [
        block(
            number,
            {LOAD: {THROUGHPUT: 100.0} | dict.fromkeys(others, 1.0)},
            {LOAD: {THROUGHPUT: 100 * (1 + one / 20)} | dict.fromkeys(others, 1.4 * (1 + one))},
        )
        for number, one in enumerate(FIVE, start=1)
    ]
    found = compare(blocks, plan())
    assert found.headline.verdict is Verdict.EQUIVALENT
    assert found.headline.regressions == 4


def test_equal_points_are_one_and_dominated_ties_are_off_the_frontier() -> None:
    points = [Candidate(1, 1, 5.0, 5.0), Candidate(2, 2, 5.0, 5.0), Candidate(3, 4, 5.0, 4.0)]
    (knot,) = frontier(points, x=Direction.HIGHER, y=Direction.HIGHER).knots
    assert knot.ids == (1, 2)


def test_per_gpu_is_the_total_over_prefill_and_decode_gpus() -> None:
    """What the registry promises; the two role-local denominators are other metrics with other names."""
    assert METRICS[THROUGHPUT].denominator == "all GPUs"
    assert METRICS["decode_output_throughput_per_gpu"].denominator == "decode GPUs"
    assert METRICS["prefill_input_throughput_per_gpu"].denominator == "prefill GPUs"


def test_a_missing_percentile_leaves_a_gap_and_other_axes_make_another_frontier() -> None:
    sides = [{1: {"ttft_p50": 1.0, THROUGHPUT: 9.0}, 2: {"ttft_p99": 4.0, THROUGHPUT: 12.0}}]
    found = median_points(sides, FrontierAxes("ttft_p50", THROUGHPUT))
    assert [(one.load, one.x, one.y) for one in found] == [(1, 1.0, 9.0)]
    assert [one.load for one in median_points(sides, FrontierAxes("ttft_p99", THROUGHPUT))] == [2]


def test_unequal_or_unknown_prefix_hits_are_warned_of() -> None:
    rates = {0.50: 0.505, 0.51: 0.55}
    for before, after in rates.items():
        blocks = [
            block(
                number,
                {LOAD: {THROUGHPUT: 100.0, "client_cache_hit_rate": before}},
                {LOAD: {THROUGHPUT: 105.0 * (1 + one), "client_cache_hit_rate": after}},
            )
            for number, one in enumerate(FIVE, start=1)
        ]
        (guard,) = [one for one in compare(blocks, plan()).guards if one.reason is Reason.PREFIX_HITS]
        assert guard.warns == (after == 0.55)
    (guard,) = [one for one in compare(ratio_blocks(UP), plan()).guards if one.reason is Reason.PREFIX_HITS]
    assert guard.warns and not guard.stops


@pytest.mark.parametrize("changed", [{"throttled": True}, {"clock_mhz": 2061.0}])
def test_throttling_and_clock_differences_are_no_evidence(changed: dict[str, object]) -> None:
    blocks = [
        Block(
            one.number,
            tuple(
                replace(run, conditions=replace(ALIKE, **changed)) if run.side is Side.CANDIDATE else run  # type: ignore[arg-type]
                for run in one.observations
            ),
        )
        for one in ratio_blocks(UP)
    ]
    assert compare(ratio_blocks(UP), plan()).is_evidence
    assert not compare(blocks, plan()).is_evidence


def test_other_hardware_may_be_compared_but_is_no_gain_of_a_pull_request() -> None:
    blocks = [
        Block(
            one.number,
            tuple(
                replace(run, conditions=replace(ALIKE, hardware=f"GPU of the {run.side}"))
                for run in one.observations
            ),
        )
        for one in ratio_blocks(UP)
    ]
    assert compare(blocks, plan()).headline.verdict is Verdict.NOT_COMPARABLE
    found = compare(blocks, plan(purpose=Purpose.COMPARISON))
    assert found.headline.verdict is Verdict.STRONG_GAIN
    assert Reason.NOT_A_PR_GAIN in found.primary[0].reasons
    assert not found.is_evidence


def test_ten_steps_of_one_percent_are_seen_against_the_pinned_release() -> None:
    """Each step hides below the floor of the night before; the paired weekly comparison sees the sum."""
    nights = [Night(f"r{n}", 100 * 0.99 ** (n // 3)) for n in range(33)]
    steps = {round(after.value / before.value, 9) for before, after in pairwise(nights)
             if before.value and after.value}  # fmt: skip
    assert steps == {1.0, 0.99} and not changes(nights[:6], Direction.HIGHER, floor=0.02)
    drift = ratio_blocks([0.99**10 * (1 + one) for one in FIVE])
    (found,) = compare(drift, plan()).primary
    assert found.verdict is Verdict.REGRESSION
    assert found.gain == pytest.approx(-0.096, abs=0.005)


def test_the_headline_of_a_regression_is_a_regression() -> None:
    assert compare(ratio_blocks(DOWN), plan()).headline.verdict is Verdict.REGRESSION

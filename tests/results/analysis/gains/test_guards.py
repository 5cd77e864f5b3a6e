from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from results.analysis.gains.blocks import Block, Conditions, Observation, Side, is_interleaved
from results.analysis.gains.compare import compare
from results.analysis.gains.guards import Guard, Outcome
from results.analysis.gains.plan import Plan, Purpose
from results.analysis.gains.vocabulary import REASON_TEXTS, VERDICT_TEXTS, Reason, Verdict
from tests.results.analysis.gains.samples import (
    ALIKE,
    EIGHT,
    FIVE,
    LOAD,
    START,
    THROUGHPUT,
    block,
    blocks_of,
    observation,
    plan,
    ratio_blocks,
)

UP = [1.05 * (1 + one) for one in FIVE]


def changed(change: Callable[[Observation], Observation], side: Side = Side.CANDIDATE) -> list[Block]:
    return [
        Block(one.number, tuple(change(run) if run.side is side else run for run in one.observations))
        for one in ratio_blocks(UP)
    ]


def under(**conditions: object) -> list[Block]:
    """The candidate ran under other conditions."""
    other = replace(ALIKE, **conditions)  # type: ignore[arg-type]
    return changed(lambda run: replace(run, conditions=other))


def guard(blocks: list[Block], reason: Reason, planned: Plan | None = None) -> Guard:
    found = [one for one in compare(blocks, planned or plan()).guards if one.reason is reason]
    return next((one for one in found if one.outcome is Outcome.FAILED), found[0])


def test_alike_runs_pass_everything_that_is_known() -> None:
    found = compare(ratio_blocks(UP), plan())
    assert {one.outcome for one in found.guards} == {Outcome.PASSED, Outcome.UNKNOWN}
    assert {one.reason for one in found.guards if one.outcome is Outcome.UNKNOWN} == {
        Reason.SUCCESS_RATE, Reason.PREFIX_HITS, Reason.MODES_DIFFER,
    }  # fmt: skip
    assert found.headline.verdict is Verdict.STRONG_GAIN and found.is_evidence


HARD: list[tuple[Reason, dict[str, object]]] = [
    (Reason.MODEL_DIFFERS, {"model": "tiny@2"}),
    (Reason.ENGINE_DIFFERS, {"engine": "vllm"}),
    (Reason.PRECISION_DIFFERS, {"precision": "fp8"}),
    (Reason.DATASET_DIFFERS, {"dataset": "b"}),
    (Reason.LENGTHS_DIFFER, {"lengths": "1024/1024"}),
    (Reason.SEED_DIFFERS, {"request_seed": "2"}),
    (Reason.HARDWARE_DIFFERS, {"hardware": "h200"}),
    (Reason.GPU_COUNT_DIFFERS, {"gpus": 2}),
    (Reason.PARALLELISM_DIFFERS, {"parallelism": "tp2"}),
    (Reason.ARGUMENTS_DIFFER, {"arguments": {"context": 4096}}),
    (Reason.CLIENT_DIFFERS, {"client": "aiperf 0.12"}),
    (Reason.ACCURACY, {"accuracy_passed": False}),
]
SOFT: list[tuple[Reason, dict[str, object]]] = [
    (Reason.DRIVER_DIFFERS, {"driver": "2"}),
    (Reason.CLOCK_DIFFERS, {"clock_mhz": 1930.0}),
    (Reason.THROTTLED, {"throttled": True}),
    (Reason.TEMPERATURE_DIFFERS, {"temperature_celsius": 75.0}),
    (Reason.ACCEPTANCE, {"acceptance_rate": 0.72}),
]


@pytest.mark.parametrize(("reason", "conditions"), HARD)
def test_a_hard_guard_allows_no_verdict_and_no_number(reason: Reason, conditions: dict[str, object]) -> None:
    found = compare(under(**conditions), plan())
    (one,) = found.primary
    assert (one.verdict, one.gain, one.ci_low) == (Verdict.NOT_COMPARABLE, None, None)
    assert one.reasons[0] is reason
    assert guard(under(**conditions), reason).stops
    assert not found.is_evidence


@pytest.mark.parametrize(("reason", "conditions"), SOFT)
def test_a_soft_guard_warns(reason: Reason, conditions: dict[str, object]) -> None:
    found = guard(under(**conditions), reason)
    assert found.warns and not found.stops
    assert compare(under(**conditions), plan()).headline.verdict is Verdict.STRONG_GAIN


@pytest.mark.parametrize(("reason", "conditions"), [*HARD, *SOFT])
def test_what_is_unknown_is_neither_equal_nor_different(
    reason: Reason, conditions: dict[str, object]
) -> None:
    found = guard(under(**dict.fromkeys(conditions)), reason)
    assert (found.outcome, found.stops) == (Outcome.UNKNOWN, False)


def test_a_difference_is_shown() -> None:
    found = guard(under(hardware="h200"), Reason.HARDWARE_DIFFERS)
    assert (found.baseline, found.candidate) == ("cpu", "h200")
    arguments = guard(under(arguments={"context": 4096}), Reason.ARGUMENTS_DIFFER)
    assert (arguments.baseline, arguments.candidate) == ("context=8192", "context=4096")


def test_declared_arguments_may_differ_and_no_others() -> None:
    blocks = under(arguments={"context": 8192, "cache_prompt": True})
    assert guard(blocks, Reason.ARGUMENTS_DIFFER).stops
    assert guard(blocks, Reason.ARGUMENTS_DIFFER).baseline == "cache_prompt=–"
    declared = plan(declared_changes=frozenset({"cache_prompt"}))
    assert not guard(blocks, Reason.ARGUMENTS_DIFFER, declared).stops
    assert guard(under(arguments={"context": True}), Reason.ARGUMENTS_DIFFER, declared).stops


@pytest.mark.parametrize("reason", [Reason.ENGINE_DIFFERS, Reason.HARDWARE_DIFFERS, Reason.MODEL_DIFFERS])
def test_a_mere_comparison_may_cross_engines_and_machines_but_not_models(reason: Reason) -> None:
    planned = plan(purpose=Purpose.COMPARISON)
    crossed = under(engine="vllm", hardware="h200", model="tiny@2")
    assert guard(crossed, reason, planned).stops == (reason is Reason.MODEL_DIFFERS)


def test_the_seed_may_change_from_block_to_block() -> None:
    blocks = [
        Block(
            one.number,
            tuple(
                replace(run, conditions=replace(ALIKE, request_seed=str(one.number)))
                for run in one.observations
            ),
        )
        for one in ratio_blocks(UP)
    ]
    assert guard(blocks, Reason.SEED_DIFFERS).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        (0.0, 0.0, Outcome.PASSED),
        (0.01, 0.005, Outcome.PASSED),
        (0.002, 0.0071, Outcome.FAILED),
        (0.011, 0.011, Outcome.FAILED),
        (None, 0.0, Outcome.UNKNOWN),
    ],
)
def test_success_rates(before: float | None, after: float | None, outcome: Outcome) -> None:
    blocks = [
        block(
            number,
            {LOAD: {THROUGHPUT: 100.0, "error_rate": before}},
            {LOAD: {THROUGHPUT: 105.0 * (1 + one), "error_rate": after}},
        )
        for number, one in enumerate(FIVE, start=1)
    ]
    assert guard(blocks, Reason.SUCCESS_RATE).outcome is outcome
    stopped = compare(blocks, plan()).headline.verdict is Verdict.NOT_COMPARABLE
    assert stopped == (outcome is Outcome.FAILED)


def test_failing_requests_at_one_load_leave_other_loads_their_verdict() -> None:
    blocks = [
        block(
            number,
            {load: {THROUGHPUT: 100.0, "error_rate": 0.0} for load in (1, 64)},
            {
                1: {THROUGHPUT: 105.0 * (1 + one), "error_rate": 0.0},
                64: {THROUGHPUT: 150.0 * (1 + one), "error_rate": 0.3},
            },
        )
        for number, one in enumerate(FIVE, start=1)
    ]
    found = compare(blocks, Plan((THROUGHPUT,), (1, 64)))
    assert [one.verdict for one in found.primary] == [Verdict.STRONG_GAIN, Verdict.NOT_COMPARABLE]
    assert found.primary[1].reasons[0] is Reason.SUCCESS_RATE
    assert found.headline.verdict is Verdict.NOT_COMPARABLE


@pytest.mark.parametrize(("tokens", "fixed", "outcome"), [
    (101.0, False, Outcome.PASSED), (98.9, False, Outcome.FAILED), (50.0, True, Outcome.PASSED),
])  # fmt: skip
def test_output_lengths(tokens: float, fixed: bool, outcome: Outcome) -> None:
    conditions = replace(ALIKE, fixed_output=fixed)
    blocks = [
        Block(
            number,
            (
                observation(Side.BASELINE, number, {LOAD: {THROUGHPUT: 100.0, "output_tokens_mean": 100.0}},
                            conditions=conditions),
                observation(Side.CANDIDATE, number,
                            {LOAD: {THROUGHPUT: 105.0 * (1 + one), "output_tokens_mean": tokens}},
                            conditions=conditions),
            ),
        )
        for number, one in enumerate(FIVE, start=1)
    ]  # fmt: skip
    assert guard(blocks, Reason.OUTPUT_TOKENS).outcome is outcome


@pytest.mark.parametrize(("requests", "warns"), [(2999.0, True), (3000.0, False)])
def test_a_p99_needs_three_thousand_requests(requests: float, warns: bool) -> None:
    blocks = [
        block(number, *({LOAD: {"ttft_p99": value, "requests_successful": requests}} for value in (1.0, one)))
        for number, one in enumerate(UP, start=1)
    ]
    assert guard(blocks, Reason.TAIL_UNDERSAMPLED, plan("ttft_p99")).warns == warns
    reasons = {one.reason for one in compare(blocks, plan("ttft_p90")).guards}
    assert Reason.TAIL_UNDERSAMPLED not in reasons


def test_a_second_clock_state_on_one_side_is_noticed() -> None:
    steady = [100 * (1 + one / 10) for one in (*EIGHT, *EIGHT)]
    split = [value * (1.2 if place % 2 else 1.0) for place, value in enumerate(steady)]
    assert guard(blocks_of(steady, split), Reason.MODES_DIFFER, plan(blocks=16)).warns
    assert not guard(blocks_of(steady, steady), Reason.MODES_DIFFER, plan(blocks=16)).warns


def test_designs_that_are_warned_of() -> None:
    few = compare(ratio_blocks(UP[:4]), plan(blocks=4)).guards
    assert [one.warns for one in few if one.reason is Reason.FEW_BLOCKS] == [True]
    late = changed(lambda run: replace(run, started_at=START + timedelta(days=20)))
    assert guard(late, Reason.FAR_APART).warns
    assert not guard(ratio_blocks(UP), Reason.ORDER_UNBALANCED).warns
    unbalanced = [
        Block(
            one.number,
            tuple(
                replace(
                    run, started_at=START + timedelta(hours=2 * one.number + (run.side is Side.CANDIDATE))
                )
                for run in one.observations
            ),
        )
        for one in ratio_blocks(UP)
    ]
    assert guard(unbalanced, Reason.ORDER_UNBALANCED).warns


def test_interleaving_must_be_shown() -> None:
    blocks = ratio_blocks(UP)
    assert is_interleaved(blocks) and is_interleaved(list(reversed(blocks)))
    assert not is_interleaved(changed(lambda run: replace(run, started_at=None)))
    assert not is_interleaved(changed(lambda run: replace(run, host="other")))
    assert is_interleaved([])


def test_every_word_has_a_text() -> None:
    assert set(VERDICT_TEXTS) == set(Verdict)
    assert set(REASON_TEXTS) == set(Reason)


def test_unknown_conditions_block_nothing_by_themselves() -> None:
    blank = changed(lambda run: replace(run, conditions=Conditions()))
    assert compare(blank, plan()).headline.verdict is Verdict.STRONG_GAIN

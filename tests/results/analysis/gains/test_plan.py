from collections import Counter

import pytest

from results.analysis.gains.blocks import Side
from results.analysis.gains.compare import compare
from results.analysis.gains.plan import FrontierAxes, Plan, default_blocks, schedule
from results.analysis.gains.vocabulary import Reason, Verdict
from tests.results.analysis.gains.samples import FIVE, THROUGHPUT, block, plan, ratio_blocks


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"metrics": ()}, "metrics: 1 to 3"),
        ({"metrics": ("ttft_p50", "ttft_p90", "itl_p50", "itl_p90")}, "metrics: 1 to 3"),
        ({"metrics": ("ttft_p50", "ttft_p50")}, "metrics: 1 to 3"),
        ({"metrics": ("duration",)}, "metrics: duration has no better direction"),
        ({"loads": ()}, "loads: positive"),
        ({"loads": (0, 1)}, "loads: positive"),
        ({"loads": (2, 1)}, "loads: positive"),
        ({"loads": (1, 1)}, "loads: positive"),
        ({"blocks": 2}, "blocks: at least 3"),
        ({"sesoi": {"ttft_p50": 0.0}}, "sesoi: ttft_p50 must lie between"),
        ({"sesoi": {"nonsense": 0.1}}, "sesoi: nonsense is not a registered metric"),
    ],
)
def test_a_plan_names_the_field_that_breaks_a_rule(changed: dict[str, object], message: str) -> None:
    fields: dict[str, object] = {"metrics": (THROUGHPUT,), "loads": (1, 2)} | changed
    with pytest.raises(ValueError, match=message):
        Plan(**fields)  # type: ignore[arg-type]


def test_axes_need_directions() -> None:
    with pytest.raises(ValueError, match=r"frontier\.x: duration has no better direction"):
        FrontierAxes("duration", THROUGHPUT)


@pytest.mark.parametrize(
    ("key", "size"),
    [(THROUGHPUT, 0.01), ("ttft_p50", 0.03), ("ttft_p90", 0.05), ("ttft_p99", 0.10), ("error_rate", 0.01)],
)
def test_default_smallest_effects(key: str, size: float) -> None:
    assert plan(key).smallest_effect(key) == size


def test_small_effects_need_more_blocks() -> None:
    assert [default_blocks(size) for size in (0.01, 0.03)] == [8, 5]


def test_the_order_of_sides_is_random_balanced_and_repeatable() -> None:
    orders = set()
    for seed in range(40):
        planned = schedule(plan(blocks=8, seed=seed))
        assert Counter(one.first for one in planned) == {Side.BASELINE: 4, Side.CANDIDATE: 4}
        assert planned == schedule(plan(blocks=8, seed=seed))
        orders.add(tuple(one.first for one in planned))
    assert len(orders) > 10


def test_an_extension_continues_the_schedule_with_new_requests() -> None:
    planned, extended = (schedule(plan(seed=7), extended=one) for one in (False, True))
    assert extended[:5] == planned and len(extended) == 10
    assert len({one.seed for one in extended}) == 10


def test_an_inconclusive_first_look_asks_for_the_extension_once() -> None:
    wide = [1.02 * (1 + 2 * one) for one in FIVE]
    planned = plan(extend_once=True)
    first = compare(ratio_blocks(wide), planned)
    assert first.headline.verdict is Verdict.INCONCLUSIVE
    assert first.needs_extension and first.deviations == ()
    assert first.primary[0].confidence == pytest.approx(0.971)
    second = compare(ratio_blocks(wide * 2), planned)
    assert not second.needs_extension and second.deviations == ()
    assert not compare(ratio_blocks(wide), plan()).needs_extension
    assert not compare(ratio_blocks([1.2 * (1 + one) for one in FIVE]), planned).needs_extension


@pytest.mark.parametrize(
    ("n", "extend", "reason"),
    [
        (4, False, Reason.PLAN_UNFINISHED),
        (6, False, Reason.MORE_BLOCKS_THAN_PLANNED),
        (7, True, Reason.PLAN_UNFINISHED),
        (11, True, Reason.MORE_BLOCKS_THAN_PLANNED),
    ],
)
def test_looking_at_another_time_than_planned_is_only_indicative(
    n: int, extend: bool, reason: Reason
) -> None:
    factors = [1.2 * (1 + one) for one in (FIVE * 3)[:n]]
    found = compare(ratio_blocks(factors), plan(extend_once=extend))
    assert found.deviations == (reason,)
    assert found.headline.verdict is Verdict.INDICATIVE_GAIN
    assert reason in found.primary[0].reasons


def test_declared_metrics_pay_for_each_other() -> None:
    """Holm over 3 metrics x 2 loads: a lone p of 0.02 is nothing among six."""
    quiet = ("ttft_p50", "itl_p50")
    shape = (0.0, 0.02, 0.045, 0.05, 0.06)
    blocks = [
        block(
            number,
            {load: {THROUGHPUT: 100.0} | dict.fromkeys(quiet, 1.0) for load in (1, 2)},
            {
                load: {THROUGHPUT: 100 * (1 + (one if load == 1 else noise))}
                | dict.fromkeys(quiet, 1.0 + 2 * noise)
                for load in (1, 2)
            },
        )
        for number, (one, noise) in enumerate(zip(shape, FIVE, strict=True), start=1)
    ]
    alone = compare(blocks, Plan((THROUGHPUT,), (1,))).primary[0]
    among = compare(blocks, Plan((THROUGHPUT, *quiet), (1, 2)))
    assert alone.verdict is Verdict.GAIN
    (same,) = [one for one in among.primary if (one.metric, one.load) == (THROUGHPUT, 1)]
    assert same.p == alone.p and same.adjusted_p == pytest.approx(6 * (alone.p or 0))
    assert same.verdict is Verdict.INCONCLUSIVE and Reason.FAMILY in same.reasons
    assert len(among.primary) == 6
    assert [one.metric for one in among.primary] == [THROUGHPUT] * 2 + ["ttft_p50"] * 2 + ["itl_p50"] * 2

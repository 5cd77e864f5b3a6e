import math
from collections.abc import Callable

import numpy as np
import pytest

from results.analysis.gains.compare import compare
from results.analysis.gains.frontiers import frontier_sample, median_points
from results.analysis.gains.hypervolume import Reference, hypervolume, hypervolume_change
from results.analysis.gains.plan import FrontierAxes, Plan
from results.analysis.gains.sentences import frontier_sentence, render
from results.analysis.gains.verdicts import ComparisonVerdict, FrontierVerdict
from results.analysis.gains.vocabulary import Basis, Family, Reason, Verdict
from results.metrics import Direction
from tests.results.analysis.gains.samples import FIVE, THROUGHPUT, block

SPEED = "interactivity_p50"
AXES = FrontierAxes(SPEED, THROUGHPUT)
LOADS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
Values = dict[int, dict[str, float | None]]


def curve(speed_up: float = 1.0, loads: tuple[int, ...] = LOADS, noise: float = 0.0) -> Values:
    """A server whose users share it: speed falls and throughput saturates as load rises."""
    values: Values = {}
    for load in loads:
        speed = 120 / (1 + load / 20) * speed_up * (1 + noise)
        values[load] = {SPEED: speed, THROUGHPUT: load * speed}
    return values


def measured(
    candidate: Callable[[float], Values], baseline: Callable[[float], Values] | None = None
) -> ComparisonVerdict:
    before = baseline or (lambda noise: curve(noise=noise))
    blocks = [block(number, before(0.0), candidate(one / 5)) for number, one in enumerate(FIVE, start=1)]
    return compare(blocks, Plan((THROUGHPUT,), (32,), frontier=AXES))


def along(found: ComparisonVerdict) -> FrontierVerdict:
    assert found.frontier is not None
    return found.frontier


def test_a_speed_up_of_three_percent_is_more_at_equal_interactivity_than_at_equal_load() -> None:
    found = measured(lambda noise: curve(1.03, noise=noise))
    (at_load,) = found.primary
    frontier = along(found)
    assert (at_load.basis, frontier.verdict.basis) == (Basis.FIXED_LOAD, Basis.FRONTIER)
    assert at_load.gain == pytest.approx(0.03, abs=0.001)
    assert frontier.verdict.gain is not None and 0.06 < frontier.verdict.gain < 0.2
    assert frontier.verdict.verdict is Verdict.STRONG_GAIN
    text = render(frontier_sentence(frontier))
    assert "at equal Interactivity P50 from" in text and "tok/s/user" in text and "load" not in text


def test_a_frontier_that_the_plan_does_not_declare_is_exploratory() -> None:
    blocks = [block(one, curve(), curve(1.03, noise=noise / 5)) for one, noise in enumerate(FIVE, start=1)]
    found = compare(blocks, Plan((THROUGHPUT,), (32,)))
    assert along(found).verdict.family is Family.EXPLORATORY
    assert along(found).verdict.gain != pytest.approx(found.primary[0].gain, rel=0.5)
    slower = [block(one, curve(1.03, noise=noise / 5), curve()) for one, noise in enumerate(FIVE, start=1)]
    assert compare(slower, Plan((THROUGHPUT,), (32,))).headline.regressions > 1
    one_load = [block(one, curve(loads=(4,)), curve(1.03 + one / 99, loads=(4,))) for one in range(5)]
    assert compare(one_load, Plan((THROUGHPUT,), (4,))).frontier is None


def test_the_gain_is_that_of_the_known_curve() -> None:
    """T(x) = 20 (120 - x) for any load; a candidate with 10 % more of it at every x gains 10 %."""

    def taller(noise: float) -> Values:
        values = curve(noise=0.0)
        for load in values:
            values[load][THROUGHPUT] = 1.1 * (1 + noise) * (values[load][THROUGHPUT] or 0)
        return values

    frontier = along(measured(taller))
    assert frontier.verdict.gain == pytest.approx(0.1, abs=1e-4)
    assert frontier.area is not None and frontier.area.gain == pytest.approx(0.1, abs=1e-4)
    assert (frontier.low, frontier.high) == pytest.approx((120 / 13.8, 120 / 1.05))
    inside = {mark.x: mark.shift for mark in frontier.marks}
    assert set(inside) == {20, 50, 100}
    assert all(one is not None and one.gain == pytest.approx(0.1, abs=1e-4) for one in inside.values())


def test_marks_outside_the_common_range_have_no_number() -> None:
    frontier = along(measured(lambda noise: curve(noise=noise, loads=(8, 16, 32, 64)),
                              lambda noise: curve(noise=noise, loads=(8, 16, 32, 64))))  # fmt: skip
    assert [mark.x for mark in frontier.marks if mark.shift is None] == [20.0, 100.0]


@pytest.mark.parametrize("loads", [LOADS[:-1], (*LOADS, 512), LOADS[::2]])
def test_sides_with_other_loads_are_refused(loads: tuple[int, ...]) -> None:
    verdict = along(measured(lambda noise: curve(loads=loads, noise=noise))).verdict
    assert (verdict.verdict, verdict.gain) == (Verdict.NOT_COMPUTABLE, None)
    assert Reason.LOADS_DIFFER in verdict.reasons


@pytest.mark.parametrize("speed_up", [20.0, 120.0])
def test_without_a_common_range_there_is_no_extrapolation(speed_up: float) -> None:
    frontier = along(measured(lambda noise: curve(speed_up)))
    assert (frontier.low, frontier.high, frontier.verdict.gain) == (None, None, None)
    assert Reason.NO_COMMON_RANGE in frontier.verdict.reasons


def test_a_single_shared_point_is_no_range() -> None:
    found = measured(lambda noise: curve(loads=(4,)), lambda noise: curve(loads=(4,)))
    assert Reason.NO_COMMON_RANGE in along(found).verdict.reasons


def test_dominated_and_equal_points_do_not_move_the_curve() -> None:
    plain, worse = curve(), curve()
    for values in (plain, worse):
        values[512] = dict(values[4])
    worse[512][THROUGHPUT] = (plain[4][THROUGHPUT] or 0) / 2
    sample, other = (frontier_sample([one], [one], AXES) for one in (plain, worse))
    assert not isinstance(sample, tuple) and not isinstance(other, tuple)
    assert [(knot.x, knot.y) for knot in sample.baseline[0].knots] == [
        (k.x, k.y) for k in other.baseline[0].knots
    ]


def test_a_place_that_is_not_positive_is_refused() -> None:
    broken = curve()
    broken[4][SPEED] = 0.0
    assert frontier_sample([broken], [broken], AXES) == (Reason.NOT_POSITIVE,)


def test_latency_on_the_axis_counts_as_better_when_lower() -> None:
    """Throughput at equal TTFT: the candidate reaches the same throughput with half the TTFT."""
    axes = FrontierAxes("ttft_p50", THROUGHPUT)

    def side(scale: float, noise: float = 0.0) -> Values:
        return {
            load: {"ttft_p50": scale * (1 + noise) * 0.1 * load**0.7, THROUGHPUT: 100 * math.sqrt(load)}
            for load in LOADS
        }

    blocks = [block(number, side(1.0), side(0.5, one / 5)) for number, one in enumerate(FIVE, start=1)]
    found = along(compare(blocks, Plan((THROUGHPUT,), (32,), frontier=axes)))
    assert found.verdict.gain == pytest.approx(2 ** (0.5 / 0.7) - 1, rel=0.05)
    assert found.marks == ()


def test_identical_systems_with_noise_have_no_frontier_gain() -> None:
    """Median first: the best of three repeats on one side alone would "gain" 1.7 %."""
    noise = np.random.default_rng(0)
    rejected = 0
    for _ in range(40):
        blocks = [
            block(number, *(curve(noise=float(noise.normal(0, 0.02))) for _side in range(2)))
            for number in range(1, 6)
        ]
        verdict = along(compare(blocks, Plan((THROUGHPUT,), (32,), frontier=AXES))).verdict
        rejected += (verdict.p or 1) < 0.05
    assert rejected <= 5


def test_what_is_drawn_is_the_median_of_the_repeats() -> None:
    repeats: list[Values] = [{4: {SPEED: x, THROUGHPUT: y}} for x, y in ((10, 300), (30, 100), (20, 900))]
    (point,) = median_points(repeats, AXES)
    assert (point.x, point.y) == (20, 300)


BOTH_HIGHER = (Direction.HIGHER, Direction.HIGHER)


def test_hypervolume_is_the_sum_of_rectangles_in_logarithms() -> None:
    e = math.e
    reference = Reference(1.0, 1.0, "v1")
    points = [(e, e**3), (e**2, e**2), (e**2, e), (e**4, e), (0.5, e**9)]
    assert hypervolume(points, reference, BOTH_HIGHER) == pytest.approx(3 + 2 + 2)
    assert hypervolume([], reference, BOTH_HIGHER) == 0
    mirrored = [(1 / x, y) for x, y in points]
    assert hypervolume(mirrored, reference, (Direction.LOWER, Direction.HIGHER)) == pytest.approx(7)


def test_hypervolume_changes_by_block() -> None:
    reference = Reference(1.0, 1.0, "v1")
    before = [[(10.0, 10.0)]] * 3
    after = [[(10.0, 10.0 * math.exp(size))] for size in (0.1, 0.2, 0.3)]
    found = hypervolume_change(before, after, reference, BOTH_HIGHER)
    assert found is not None
    assert found.change == pytest.approx(0.2 * math.log(10))
    assert found.ci_low < found.change < found.ci_high
    assert hypervolume_change(before[:2], after[:2], reference, BOTH_HIGHER) is None
    assert hypervolume_change(before, before, reference, BOTH_HIGHER) is None


def test_hypervolume_refuses_what_has_no_logarithm_or_direction() -> None:
    with pytest.raises(ValueError, match="positive"):
        Reference(0.0, 1.0, "v1")
    with pytest.raises(ValueError, match="positive"):
        hypervolume([(0.0, 1.0)], Reference(1.0, 1.0, "v1"), BOTH_HIGHER)
    with pytest.raises(ValueError, match="direction"):
        hypervolume([(1.0, 1.0)], Reference(1.0, 1.0, "v1"), (Direction.NEUTRAL, Direction.HIGHER))

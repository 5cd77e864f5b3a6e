import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results.analysis.changes import Change, Detector, Night, changes, is_resolved
from results.metrics import Direction

H, L = Direction.HIGHER, Direction.LOWER
FLOOR = 0.02
BOTH = frozenset(Detector)


def nights(levels: list[float], noise: float = 0.005, seed: int = 1) -> list[Night]:
    random = np.random.default_rng(seed)
    return [Night(f"r{n}", level * math.exp(random.normal(0, noise))) for n, level in enumerate(levels)]


def test_a_step_is_seen_by_both_detectors_and_opens_an_alert() -> None:
    (found,) = changes(nights([100.0] * 25 + [94.0] * 10), H, FLOOR)
    assert (found.run, found.index, found.votes) == ("r25", 25, BOTH)
    assert found.gain == pytest.approx(-0.06, abs=0.01)
    assert found.before == pytest.approx(100, rel=0.01)
    assert found.opens_alert and not found.confirmed


def test_the_direction_decides_what_is_a_regression() -> None:
    series = nights([100.0] * 25 + [94.0] * 10)
    (found,) = changes(series, L, FLOOR)
    assert found.gain == pytest.approx(1 / 0.94 - 1, abs=0.01) and not found.opens_alert
    with pytest.raises(ValueError, match="direction"):
        changes(series, Direction.NEUTRAL, FLOOR)


def test_a_single_bad_night_is_no_change() -> None:
    series = nights([100.0] * 20 + [70.0] + [100.0] * 14)
    assert changes(series, H, FLOOR) == ()


def test_three_bad_nights_open_an_alert_only_after_a_confirming_run() -> None:
    series = nights([100.0] * 20 + [94.0] * 3)
    (found,) = changes(series, H, FLOOR)
    assert (found.index, found.votes, found.opens_alert) == (20, frozenset({Detector.ROBUST_Z}), False)
    for rerun, opens in ((94.3, True), (99.8, False), (106.0, False), (99.0, False)):
        again = [*series[:20], Night("r20", series[20].value, rerun), *series[21:]]
        (found,) = changes(again, H, FLOOR)
        assert (found.confirmed, found.opens_alert) == (opens, opens), rerun


def test_a_change_below_the_floor_is_none() -> None:
    series = nights([100.0] * 25 + [98.5] * 15, noise=0.001)
    assert changes(series, H, FLOOR) == ()
    assert len(changes(series, H, 0.005)) == 1


def test_two_detectors_at_work_twice_make_one_alert() -> None:
    series = nights([100.0] * 25 + [94.0] * 10)
    first, second = (changes(series, H, FLOOR)[0] for _ in range(2))
    later = changes(nights([100.0] * 25 + [94.0] * 30), H, FLOOR)[0]
    assert first.identity("host/ttft") == second.identity("host/ttft") == later.identity("host/ttft")
    assert first.identity("host/ttft") != first.identity("host/itl")


def test_steady_series_open_hardly_any_alert() -> None:
    alerts = [
        change
        for seed in range(60)
        for change in changes(nights([100.0] * 60, noise=0.02, seed=seed), H, FLOOR)
        if change.opens_alert
    ]
    assert len(alerts) <= 1


def test_several_steps_are_several_changes() -> None:
    found = changes(nights([100.0] * 25 + [90.0] * 25 + [99.0] * 25), H, FLOOR)
    assert [change.index for change in found] == [25, 50]
    assert [round(change.gain, 1) for change in found] == [-0.1, 0.1]
    assert [change.opens_alert for change in found] == [True, False]


def test_missing_nights_are_not_filled_in_and_resolve_nothing() -> None:
    values = nights([100.0] * 25 + [94.0] * 10)
    holes = [Night(f"gap{n}", None) for n in range(6)]
    (found,) = changes([*values[:25], *holes, *values[25:]], H, FLOOR)
    assert (found.run, found.index) == ("r25", 31)
    assert not is_resolved(found, holes, FLOOR)
    assert not is_resolved(found, [*holes, *nights([100.0] * 2)], FLOOR)
    assert is_resolved(found, [*nights([94.0, 94.0]), *holes, *nights([100.0] * 3)], FLOOR)
    assert not is_resolved(found, nights([94.0] * 9), FLOOR)


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_values_without_logarithm_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="values"):
        changes([Night("r", value)], H, FLOOR)
    with pytest.raises(ValueError, match="floor"):
        changes([], H, 0.0)


def test_identical_values_have_no_change() -> None:
    assert changes([Night(f"r{n}", 5.0) for n in range(60)], H, FLOOR) == ()
    assert changes([], H, FLOOR) == ()


def mirrored(change: Change) -> tuple[str, frozenset[Detector], float]:
    return change.run, change.votes, round(-math.log1p(change.gain), 9)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.floats(0.7, 1.4), st.sampled_from([1e-6, 3.0, 1e9]))
def test_units_and_direction_change_nothing_but_the_sign(seed: int, step: float, scale: float) -> None:
    series = nights([100.0] * 20 + [100.0 * step] * 12, seed=seed)
    scaled = [Night(night.run, (night.value or 0) * scale) for night in series]
    here, there, turned = (changes(one, way, FLOOR) for one, way in ((series, H), (scaled, H), (series, L)))
    assert [(one.run, one.votes, round(one.gain, 9)) for one in here] == [
        (one.run, one.votes, round(one.gain, 9)) for one in there
    ]
    assert [mirrored(one) for one in here] == [
        (one.run, one.votes, round(math.log1p(one.gain), 9)) for one in turned
    ]

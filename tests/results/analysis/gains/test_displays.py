"""What is shown beside a verdict: seeded resampling and the variance budget."""

import subprocess
import sys

import numpy as np
import pytest

from results.analysis.gains.bootstrap import display_spread
from results.analysis.gains.budget import Variance, variance
from results.metrics import Direction

BEFORE = [100.0, 103.0, 98.0, 101.0, 99.0]
AFTER = [104.0, 106.0, 103.0, 104.5, 103.0]
H, L = Direction.HIGHER, Direction.LOWER


def test_the_spread_is_the_same_in_every_process() -> None:
    here = display_spread(BEFORE, AFTER, H, "comparison-7")
    code = (
        "from results.analysis.gains.bootstrap import display_spread; from results.metrics import Direction; "
        f"print(display_spread({BEFORE}, {AFTER}, Direction.HIGHER, 'comparison-7'))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == str(here)
    assert here == display_spread(BEFORE, AFTER, H, "comparison-7")


def test_the_spread_holds_the_ratio_of_medians_and_turns_with_the_direction() -> None:
    found = display_spread(BEFORE, AFTER, H, "a")
    assert found is not None and found.gain == pytest.approx(104 / 100 - 1)
    assert found.low <= found.gain <= found.high
    turned = display_spread(BEFORE, AFTER, L, "a")
    assert turned is not None and turned.gain == pytest.approx(100 / 104 - 1)
    assert turned.low == pytest.approx(1 / (1 + found.high) - 1, abs=0.01)


def test_ties_have_a_spread_without_nan() -> None:
    found = display_spread([100.0] * 5, [105.0] * 5, H, "a")
    assert found is not None and found == pytest.approx((0.05, 0.05, 0.05))


def test_the_spread_needs_five_blocks_and_ratios() -> None:
    assert display_spread(BEFORE[:4], AFTER[:4], H, "a") is None
    for before, way in ((BEFORE[:4], H), (BEFORE, Direction.NEUTRAL), ([0.0, *BEFORE[1:]], H)):
        with pytest.raises(ValueError, match=r"one value per block|direction|positive"):
            display_spread(before, AFTER, way, "a")


def test_the_budget_of_the_published_example() -> None:
    """Launch 8 min, pass 4 min, 1.5 % between and 1 % within launches: 0.9, so one pass."""
    found = Variance(0.015**2, 0.01**2)
    assert found.best_passes(480, 240) == 1
    assert Variance(0.01**2, 0.05**2).best_passes(480, 240) == 7
    assert found.of_mean(5, 2) == pytest.approx(0.015**2 / 5 + 0.01**2 / 10)


def test_variances_of_both_levels_are_recovered() -> None:
    noise = np.random.default_rng(0)
    launches = [
        np.exp(3 + noise.normal(0, 0.02) + noise.normal(0, 0.01, 4)).tolist() for _launch in range(2000)
    ]
    found = variance(launches)
    assert found is not None
    assert found.between_launches**0.5 == pytest.approx(0.02, rel=0.05)
    assert found.within_launch**0.5 == pytest.approx(0.01, rel=0.05)


def test_variances_by_hand() -> None:
    e = np.e
    found = variance([[e, e**3], [e**5, e**7]])
    assert found is not None
    assert (found.within_launch, found.between_launches) == pytest.approx((2.0, (16 - 2) / 2))
    assert variance([[1.0, 2.0], [2.0, 1.0]]).between_launches == 0  # type: ignore[union-attr]


def test_without_repeated_passes_there_are_no_two_levels() -> None:
    assert variance([[1.0], [2.0]]) is None
    assert variance([[1.0, 2.0]]) is None
    with pytest.raises(ValueError, match="positive"):
        variance([[1.0, 0.0], [1.0]])
    with pytest.raises(ValueError, match="seconds"):
        Variance(1.0, 1.0).best_passes(0, 1)
    with pytest.raises(ValueError, match="do not differ"):
        Variance(0.0, 1.0).best_passes(1, 1)

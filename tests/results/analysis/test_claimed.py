"""Claims of authors on the scale of measured gains, or why they are not on it."""

import pytest

from results.analysis import claimed as module
from results.analysis.claimed import OffScale, claimed
from results.metrics import METRICS, Direction


@pytest.mark.parametrize(
    ("name", "before", "after", "change", "gain"),
    [
        ("output throughput", "100", "120", "", 0.2),
        ("median TTFT", "30", "20", "", 0.5),
        ("median TTFT", "20", "30", "", -1 / 3),
        ("mean end-to-end latency", "", "", "-50%", 1.0),
        ("output throughput", "", "", "+81.7%", 0.817),
        # Numbers count before a change in percent.
        ("mean TTFT", "117.22", "103.26", "-11.91%", 117.22 / 103.26 - 1),
    ],
)
def test_better_is_positive_whatever_the_direction(
    name: str, before: str, after: str, change: str, gain: float
) -> None:
    found = claimed(name, before, after, change)
    assert found.gain == pytest.approx(gain)
    assert found.off is None


@pytest.mark.parametrize(
    ("name", "before", "after", "change", "off"),
    [
        ("a quantity that nobody reviewed", "1", "2", "", OffScale.NO_DIRECTION),
        ("prefix-cache hit rate", "", ">95", "", OffScale.ONE_SIDE),
        ("peak throughput per GPU", "22.9k", "55.8k", "", OffScale.NOT_A_NUMBER),
        ("throughput per GPU", "", "", "+24% to +34%", OffScale.NOT_A_NUMBER),
        ("request-critical KV p99", "26.74 s", "125 ms", "", OffScale.NOT_A_NUMBER),
        ("request rate", "0", "12", "", OffScale.ZERO),
        ("mean TTFT", "", "", "-100%", OffScale.ZERO),
        ("mean TTFT", "", "", "", OffScale.ONE_SIDE),
    ],
)
def test_what_is_no_ratio_says_why(name: str, before: str, after: str, change: str, off: OffScale) -> None:
    assert (claimed(name, before, after, change).gain, claimed(name, before, after, change).off) == (
        None,
        off,
    )


def test_the_reviewed_directions_are_those_of_the_registry() -> None:
    tables = {Direction.HIGHER: module._HIGHER, Direction.LOWER: module._LOWER}
    assert not set(module._HIGHER) & set(module._LOWER)
    for direction, names in tables.items():
        assert {METRICS[key].direction for key in names.values() if key} == {direction}

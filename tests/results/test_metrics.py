import re

import pytest

from results.metrics import DEFAULT_METRICS, DERIVED, METRICS, Direction, Metric, find_metric

UNITS = {
    "s", "tok/s/user", "tok", "req/s", "tok/s", "tok/s/GPU", "req", "1", "B", "B/s", "GB",
    "W/GPU", "W", "J", "J/req", "J/tok", "USD/Mtok", "tok/USD", "tok/s/MW",
}  # fmt: skip


EVERY = (*METRICS.values(), *DERIVED.values())


@pytest.mark.parametrize("metric", EVERY, ids=lambda metric: metric.key)
def test_every_metric_is_complete(metric: Metric) -> None:
    assert re.fullmatch(r"[a-z0-9_]{3,63}", metric.key)
    assert metric.unit in UNITS
    assert metric.direction in Direction
    assert all((metric.name, metric.formula, metric.denominator, metric.source))


def test_labels_are_unique() -> None:
    labels = [metric.label for metric in EVERY]
    assert len(set(labels)) == len(labels)


def test_derived_metrics_are_found_but_never_stored() -> None:
    assert not set(DERIVED) & set(METRICS)
    assert all(find_metric(metric.key) is metric for metric in EVERY)
    with pytest.raises(KeyError):
        find_metric("cost")


def test_unit_label_and_key_of_a_derived_metric_agree() -> None:
    """A cost axis that reads percent is a defect people have shipped."""
    words = {
        "USD/Mtok": "cost per million",
        "tok/USD": "per dollar",
        "tok/s/MW": "per megawatt",
        "J/tok": "energy per",
    }
    for metric in DERIVED.values():
        kinds = {kind for kind in ("input", "output") if kind in metric.key}
        assert {kind for kind in ("input", "output") if kind in metric.label.lower()} == kinds
        assert words[metric.unit] in metric.label.lower().replace("provisioned ", "")
        lower = metric.unit in {"USD/Mtok", "J/tok"}
        assert metric.direction is (Direction.LOWER if lower else Direction.HIGHER)


def test_the_default_picker_is_short_and_registered() -> None:
    assert len(DEFAULT_METRICS) == 12
    assert set(DEFAULT_METRICS) <= set(METRICS)


@pytest.mark.parametrize(
    ("key", "unit", "direction"),
    [
        ("ttft_p50", "s", "lower"),
        ("interactivity_p90", "tok/s/user", "higher"),
        ("output_throughput_per_gpu", "tok/s/GPU", "higher"),
        ("ttft_std", "s", "neutral"),
        ("error_rate", "1", "lower"),
        ("joules_per_output_token", "J/tok", "lower"),
        ("theoretical_cache_hit_rate", "1", "neutral"),
    ],
)
def test_units_and_directions(key: str, unit: str, direction: str) -> None:
    assert (METRICS[key].unit, METRICS[key].direction) == (unit, direction)


def test_interactivity_has_no_spread() -> None:
    """The spread of reciprocals is on another basis than the other statistics: meaningless."""
    assert not {key for key in METRICS if "interactivity" in key and key.endswith("_std")}

"""A number over time: batches are never stitched, nothing is continued, and what is missing is counted."""

from datetime import UTC, datetime, timedelta

import pytest

from results.analysis.families import configuration_family, kind_family
from results.analysis.history import Reading, at_load, at_x, batch_lines, detect, short_version, usual_x
from results.metrics import Direction

UP = (Direction.HIGHER, Direction.HIGHER)
START = datetime(2026, 1, 1, tzinfo=UTC)


def reading(identifier: int, batch: str, load: int, x: float, y: float | None, **more: object) -> Reading:
    values: dict[str, object] = {
        "run": f"run-{batch}", "configuration": 1, "version": f"img:{batch}", "validity": "valid",
        "at": START + timedelta(days=identifier),
    } | more  # fmt: skip
    return Reading(id=identifier, batch=batch, load=load, x=x, y=y, **values)  # type: ignore[arg-type]


def test_at_a_load_repeats_of_a_batch_are_one_value_and_gaps_are_counted() -> None:
    readings = [
        reading(1, "a", 8, 1.0, 100.0), reading(2, "a", 8, 1.0, 120.0), reading(3, "b", 4, 1.0, 50.0),
        reading(4, "c", 8, 1.0, None), reading(5, "d", 8, 1.0, 90.0, validity="diagnostic"),
    ]  # fmt: skip
    found = at_load(readings, 8)
    assert [(one.value, one.points, one.version) for one in found.observed] == [(110.0, (1, 2), "img:a")]
    assert found.without == {"load_not_measured": 1, "metric_missing": 1}


def test_at_equal_x_no_line_joins_two_batches_and_none_is_extrapolated() -> None:
    apart = [reading(1, "a", 8, 20.0, 100.0), reading(2, "b", 2, 60.0, 40.0)]
    assert at_x(batch_lines(apart, UP), 40.0).observed == ()
    assert at_x(batch_lines(apart, UP), 40.0).without == {"x_not_reached": 2}
    together = [reading(1, "a", 8, 20.0, 100.0), reading(2, "a", 2, 60.0, 40.0)]
    (one,) = at_x(batch_lines(together, UP), 40.0).observed
    assert (one.value, one.interpolated, one.points, one.at) == (70.0, True, (1, 2), together[0].at)
    (measured,) = at_x(batch_lines(together, UP), 60.0).observed
    assert (measured.value, measured.interpolated, measured.error) == (40.0, False, None)


def test_the_usual_x_is_one_that_batches_reach() -> None:
    assert usual_x(batch_lines([reading(1, "a", 8, 20.0, 100.0), reading(2, "a", 2, 60.0, 40.0)], UP)) == 35.0
    assert usual_x(batch_lines([reading(1, "a", 8, 200.0, 9.0), reading(2, "a", 2, 400.0, 4.0)], UP)) == 300.0
    assert usual_x(batch_lines([], UP)) is None


@pytest.mark.parametrize(("key", "sign"), [("total_throughput_per_gpu", 1), ("ttft_p50", -1)])
def test_a_lasting_step_is_seen_with_the_sign_of_the_metric(key: str, sign: int) -> None:
    levels = [100.0 + n % 3 for n in range(12)] + [120.0 + n % 3 for n in range(6)]
    watched = at_load([reading(n, str(n), 1, 1.0, level) for n, level in enumerate(levels)], 1)
    (change,) = detect(watched.observed, key)
    assert change.run == "run-12"
    assert change.gain * sign > 0.1
    assert detect(watched.observed, "duration") == ()
    assert detect(watched.observed[:3], key) == ()


@pytest.mark.parametrize(
    ("text", "short"),
    [("lmsysorg/sglang:v0.5.9-cu130", "v0.5.9-cu130"), ("host:5000/a/b:1@sha256:00ff", "1"),
     ("2026.10.11549", "2026.10.11549"), ("", "")],
)  # fmt: skip
def test_builds_are_named_as_people_know_them(text: str, short: str) -> None:
    assert short_version(text) == short


def recipe(**changes: object) -> dict[str, object]:
    document: dict[str, object] = {
        "model": {"name": "m", "revision": "1"},
        "roles": {"serve": {"hardware": "h", "gpus": 8, "tp": 8}},
        "engine": {"name": "e", "version": "1", "image": None, "commit": None},
        "precision": "fp8",
        "speculative": None,
        "arguments": {},
    }
    return document | changes


def test_families_ignore_the_build_and_kinds_ignore_parallelism_as_well() -> None:
    newer = recipe(engine={"name": "e", "version": "2", "image": "i", "commit": None})
    wider = recipe(roles={"serve": {"hardware": "h", "gpus": 4, "tp": 4}}, arguments={"a": 1})
    other = recipe(precision="fp4")
    assert configuration_family(recipe()) == configuration_family(newer)
    assert configuration_family(recipe()) != configuration_family(wider)
    assert kind_family(recipe()) == kind_family(newer) == kind_family(wider)
    assert kind_family(recipe()) != kind_family(other)

"""What the database itself refuses, whatever the code above it intends."""

import math
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DataError, IntegrityError, transaction
from django.db.models import ProtectedError

from results import clock
from results.models import ApiToken, Artifact, Hardware, Point, Run, Scenario, State
from tests.factories import make_attempt, make_host, make_point, make_recipe, make_run

pytestmark = pytest.mark.django_db


def refused(write: Callable[[], Any]) -> str:
    """Name of the constraint that refused ``write``."""
    with pytest.raises((IntegrityError, DataError)) as caught, transaction.atomic():
        write()
    return str(caught.value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, -math.inf])
def test_points_hold_finite_numbers_only(value: float) -> None:
    point = make_point()
    assert "point_ttft_p50_finite" in refused(
        lambda: Point.objects.filter(pk=point.pk).update(ttft_p50=value)
    )


def test_absent_is_null_and_zero_is_zero() -> None:
    point = make_point(requests_failed=0.0)
    point.refresh_from_db()
    assert (point.value("requests_failed"), point.value("ttft_p50")) == (0.0, None)


def test_one_point_per_attempt_and_load() -> None:
    point = make_point(load=2)
    assert "point_per_attempt_and_load" in refused(lambda: make_point(point.run, load=2))


def test_a_point_that_is_not_valid_says_why() -> None:
    point = make_point()
    assert "point_not_valid_has_reason" in refused(
        lambda: Point.objects.filter(pk=point.pk).update(reasons=[])
    )


def test_one_live_attempt_per_run() -> None:
    run = make_run()
    make_attempt(run, 0)
    assert "one_live_attempt_per_run" in refused(lambda: make_attempt(run, 1))


def test_an_attempt_number_is_used_once() -> None:
    run = make_run()
    make_attempt(run, 0, state=State.CANCELLED)
    assert "attempt_number_unique" in refused(lambda: make_attempt(run, 0))


def test_one_held_attempt_per_host() -> None:
    host = make_host()
    held: dict[str, Any] = {
        "host": host,
        "state": State.RUNNING,
        "lease_expires_at": clock.now(),
        "deadline_at": clock.now(),
    }
    make_attempt(make_run(state=State.RUNNING), **held)
    assert "one_held_attempt_per_host" in refused(lambda: make_attempt(make_run(state=State.RUNNING), **held))


def test_a_held_attempt_has_a_lease() -> None:
    run = make_run(state=State.CLAIMED)
    assert "held_attempt_has_lease" in refused(
        lambda: make_attempt(run, state=State.CLAIMED, host=make_host())
    )


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({"state": "paused"}, "violates check constraint"),
        ({"state": "succeeded"}, "run_ended_iff_final"),
        ({"ended_at": clock.now()}, "run_ended_iff_final"),
        ({"hard_limit_seconds": 0}, "run_limit_positive"),
        ({"loads": []}, "run_loads_not_empty"),
        ({"state": "failed", "ended_at": clock.now()}, "run_failure_has_class"),
    ],
)
def test_runs_are_coherent(changes: dict[str, Any], constraint: str) -> None:
    run = make_run()
    assert constraint in refused(lambda: Run.objects.filter(pk=run.pk).update(**changes))


def test_an_attempt_ends_after_it_began() -> None:
    run = make_run(state=State.CANCELLED)
    early = clock.now() - timedelta(days=1)
    assert "attempt_ends_after_it_began" in refused(
        lambda: make_attempt(run, state=State.CANCELLED, ended_at=early)
    )


def test_equal_scenarios_are_one_even_with_nulls() -> None:
    Scenario.objects.create(kind="fixed", isl=8192, osl=1024)
    assert "scenario_unique" in refused(lambda: Scenario.objects.create(kind="fixed", isl=8192, osl=1024))


def test_a_scenario_is_agentic_or_fixed() -> None:
    assert "scenario_shape" in refused(lambda: Scenario.objects.create(kind="agentic", isl=1, osl=1))


def test_what_was_measured_keeps_its_recipe() -> None:
    run = make_run()
    with pytest.raises(ProtectedError):
        run.recipe.delete()
    with pytest.raises(ProtectedError):
        Hardware.objects.all().delete()


def test_fingerprints_and_digests_are_sha256() -> None:
    recipe = make_recipe()
    assert "recipe_fingerprint_sha256" in refused(
        lambda: type(recipe).objects.filter(pk=recipe.pk).update(fingerprint="xyz")
    )
    assert "artifact_sha256" in refused(
        lambda: Artifact.objects.create(sha256="x", size=0, media_type="t", stored_at=clock.now())
    )
    assert "token_digest_is_hmac" in refused(
        lambda: ApiToken.objects.create(
            name="n", scope="read", prefix="p", digest="secret", created_at=clock.now()
        )
    )

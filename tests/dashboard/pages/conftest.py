"""Pages are tested with plain static names: no collectstatic before a test."""

from pathlib import Path

import pytest
from pytest_django import Settings

from results.models import Point, Run, State
from tests.factories import make_attempt, make_host, make_point, make_recipe, make_run


@pytest.fixture(autouse=True)
def plain_static(settings: Settings, tmp_path: Path) -> None:
    """A manifest would have to be built first; whitenoise wants its folder to exist."""
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    settings.STATIC_ROOT = tmp_path


def measured(
    label: str, load: int, *, speed: float, validity: str = "diagnostic", **arguments: bool
) -> Point:
    """A point of a run of a recipe that ``arguments`` tell from others.

    The run still measures, so that it is shown beside other runs of its recipe.
    """
    run = make_run(state=State.RUNNING, label=label, recipe=make_recipe(**arguments))
    point = make_point(
        run,
        load,
        interactivity_p50=60.0 / load,
        output_throughput_per_gpu=10.0 * speed * load,
        request_throughput=0.1 * speed * load,
        ttft_p50=1.5 * load / speed,
    )
    if validity == "valid":
        Point.objects.filter(id=point.id).update(validity="valid", reasons=[])
    return point


def live_run() -> Run:
    """A running run with what a host reports about it."""
    run = make_run(state=State.RUNNING)
    now = run.created_at
    make_attempt(
        run,
        state=State.RUNNING,
        host=make_host(),
        phase="profile",
        phase_load=1,
        progress=0.4,
        eta_seconds=75.0,
        telemetry={"running": 2, "generated_tokens": 900},
        log_tail="engine healthy after 0.8 s\nslot 0 | <b>prompt</b>",
        phases=[{"name": "prepare", "load": None, "started_at": now.isoformat(), "ended_at": None}],
        heartbeat_at=now,
        claimed_at=now,
        lease_expires_at=now.replace(year=now.year + 1),
        deadline_at=now.replace(year=now.year + 1),
    )
    return run

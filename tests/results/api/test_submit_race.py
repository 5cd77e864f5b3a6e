"""Submissions at the same moment, and without a broker."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from results.broker import app
from results.models import Attempt, Recipe, Run, Scenario
from results.services import dispatch, hints
from results.services.hosts import register_host
from results.services.tokens import create_token
from tests.results.api.conftest import Actor

pytestmark = pytest.mark.django_db(transaction=True)
RUNS = "/api/v1/runs/"


def test_racing_submissions_share_one_recipe_and_one_scenario(
    catalogue: None, document: dict[str, Any]
) -> None:
    secret = create_token(name="ci", scope="submit")[1]
    barrier = Barrier(8)

    def racer(_number: int) -> int:
        client = APIClient(headers={"Authorization": f"Bearer {secret}"})
        try:
            barrier.wait(timeout=60)
            return int(client.post(RUNS, document, format="json").status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(racer, range(8))) == [201] * 8
    assert (Run.objects.count(), Attempt.objects.count()) == (8, 8)
    assert (Recipe.objects.count(), Scenario.objects.count()) == (1, 1)


def test_a_submission_outlives_the_broker(
    owner: Actor, document: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in range(5):
        register_host(name=f"h{number}", hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    monkeypatch.setattr(hints, "send_hint", dispatch.send_hint)
    monkeypatch.setattr(dispatch._Breaker, "closed_at", 0.0)
    monkeypatch.setattr(app.conf, "broker_write_url", f"redis+socket://{tmp_path}/nobody.sock")
    start = time.monotonic()
    answer = owner.client.post(RUNS, document, format="json")
    assert answer.status_code == 201
    assert time.monotonic() - start < 2
    assert dispatch._Breaker.closed_at > start
    assert Run.objects.get().state == "queued"

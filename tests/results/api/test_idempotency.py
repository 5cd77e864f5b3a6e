"""One key, one execution: replay, conflict, expiry and a race of twenty."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from results.models import Attempt, AuditEvent, IdempotencyRecord, Run
from results.services.idempotency import Answer, answer_once, forget_expired_answers
from results.services.tokens import create_token
from tests.conftest import Clock
from tests.results.api.conftest import Actor

RUNS = "/api/v1/runs/"
WEEK = 7 * 86_400


def post(who: Actor, body: Any, key: str = "ci-1") -> Any:
    return who.client.post(RUNS, body, format="json", HTTP_IDEMPOTENCY_KEY=key)


def test_a_replay_repeats_the_answer_byte_for_byte(owner: Actor, document: dict[str, Any]) -> None:
    first, second = post(owner, document), post(owner, document)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert first["Location"] == second["Location"]
    assert (first.get("Idempotent-Replayed"), second["Idempotent-Replayed"]) == (None, "true")
    assert Run.objects.count() == AuditEvent.objects.filter(verb="submit").count() == 1


def test_spacing_and_order_do_not_make_another_request(owner: Actor, document: dict[str, Any]) -> None:
    post(owner, document)
    spaced = json.dumps(dict(reversed(document.items())), indent=4)
    answer = owner.client.post(RUNS, spaced, content_type="application/json", HTTP_IDEMPOTENCY_KEY="ci-1")
    assert answer["Idempotent-Replayed"] == "true"


def test_another_body_is_a_conflict(owner: Actor, document: dict[str, Any]) -> None:
    post(owner, document)
    answer = post(owner, document | {"label": "other"})
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "conflict"
    assert Run.objects.count() == 1


def test_a_refused_request_leaves_the_key_free(owner: Actor, document: dict[str, Any]) -> None:
    assert post(owner, document | {"label": ""}).status_code == 422
    assert not IdempotencyRecord.objects.exists()
    assert post(owner, document).status_code == 201


def test_keys_belong_to_a_token_and_an_address(owner: Actor, other: Actor, document: dict[str, Any]) -> None:
    run = post(owner, document).json()["id"]
    assert post(other, document).json()["id"] != run
    answer = owner.client.post(f"{RUNS}{run}/cancel/", HTTP_IDEMPOTENCY_KEY="ci-1")
    assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")


def test_a_key_is_remembered_for_seven_days(owner: Actor, document: dict[str, Any], clock: Clock) -> None:
    post(owner, document)
    clock.advance(WEEK - 1)
    assert "Idempotent-Replayed" in post(owner, document)
    clock.advance(1)
    assert "Idempotent-Replayed" not in post(owner, document)
    assert Run.objects.count() == 2


@pytest.mark.django_db
def test_expired_answers_are_forgotten(clock: Clock) -> None:
    token = create_token(name="ci", scope="submit")[0]

    def once(key: str) -> None:
        answer_once(token=token, route="r", key=key, request_sha256="0" * 64, act=lambda: Answer(200, "{}"))

    once("old")
    clock.advance(WEEK)
    once("new")
    assert forget_expired_answers(now=clock.now()) == 1
    assert IdempotencyRecord.objects.get().key == "new"


@pytest.mark.parametrize("key", ["", " ", "a b", "a" * 129, "ключ"])
def test_a_bad_key_is_refused(owner: Actor, document: dict[str, Any], key: str) -> None:
    answer = post(owner, document, key)
    assert answer.status_code == 422
    assert answer.json()["error"]["problems"][0]["rule"] == "idempotency_key"


@pytest.mark.django_db(transaction=True)
def test_twenty_racers_make_one_run(catalogue: None, document: dict[str, Any]) -> None:
    token, secret = create_token(name="ci", scope="submit")
    barrier = Barrier(20)

    def racer(_number: int) -> tuple[int, bytes]:
        client = APIClient(headers={"Authorization": f"Bearer {secret}"})
        try:
            barrier.wait(timeout=60)
            answer = post(Actor(token, client), document)
            return answer.status_code, answer.content
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        answers = set(pool.map(racer, range(20)))
    assert len(answers) == 1
    status, body = answers.pop()
    assert status == 201
    assert (Run.objects.count(), Attempt.objects.count()) == (1, 1)
    assert json.loads(body)["id"] == str(Run.objects.get().id)

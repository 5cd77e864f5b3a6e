"""The webhook: signed, acted on once, about pull requests only, and not there without a secret."""

import json
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from pytest_django import Settings

from results.github.client import GitHub
from results.github.signature import is_signed, signature
from results.models import PullRequest, WebhookDelivery
from results.services import receive_webhook
from results.services.receive_webhook import forget_old_deliveries
from results.services.sync_pull_requests import sync_pull_requests
from tests.conftest import Clock
from tests.results.github.server import MERGED, pull_json

ADDRESS, SECRET = "/api/v1/github/webhook/", "a secret"


@pytest.fixture(autouse=True)
def secret(settings: Settings, pull: PullRequest) -> None:
    settings.GITHUB_WEBHOOK_SECRET = SECRET


def send(
    client: Client, value: Any, *, delivery: str = "d-1", event: str = "pull_request", **headers: str
) -> Any:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    sent = {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature-256": signature(SECRET, body),
    } | headers
    return client.post(ADDRESS, body, content_type="application/json", headers=sent)


def event(**changes: Any) -> dict[str, Any]:
    return {"action": "closed", "number": 7, "pull_request": pull_json(**changes)}


def test_the_published_example_of_a_signature() -> None:
    """From GitHub's documentation, "Validating webhook deliveries"."""
    expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signature("It's a Secret to Everybody", b"Hello, World!") == expected
    assert is_signed("It's a Secret to Everybody", b"Hello, World!", expected)
    assert not is_signed("", b"", signature("", b""))


def test_a_merge_arrives_once_however_often_it_is_delivered(client: Client, pull: PullRequest) -> None:
    outcomes = [send(client, event(**MERGED)).json()["outcome"] for _time in range(3)]
    replayed = send(client, event(**MERGED), delivery="d-2").json()["outcome"]
    assert (outcomes, replayed) == (["applied", "repeated", "repeated"], "repeated")
    pull.refresh_from_db()
    assert (pull.status, pull.status_source) == ("merged", "GitHub webhook")
    assert (WebhookDelivery.objects.count(), pull.history.count()) == (1, 2)


def test_a_delivery_that_failed_here_may_come_again(
    client: Client, pull: PullRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(**_facts: object) -> None:
        raise OperationalError("the server closed the connection")

    with monkeypatch.context() as patched:
        patched.setattr(receive_webhook, "apply_facts", unreachable)
        assert send(client, event(**MERGED)).status_code == 503
    assert [send(client, event(**MERGED)).json()["outcome"] for _time in range(2)] == ["applied", "repeated"]
    assert pull.history.filter(status="merged").count() == 1


def test_deliveries_that_overtake_each_other_end_with_the_newest(client: Client, pull: PullRequest) -> None:
    send(client, event(**MERGED))
    late = send(client, event(title="before the merge") | {"action": "opened"}, delivery="d-2")
    assert (late.status_code, late.json()["error"]["problems"][0]["rule"]) == (422, "bad_answer")
    send(client, event(**MERGED | {"title": "newer", "updated_at": "2026-10-03T00:00:00Z"}), delivery="d-3")
    older = send(client, event(**MERGED, title="older"), delivery="d-4")
    assert older.json() == {"outcome": "stale"}
    pull.refresh_from_db()
    assert (pull.status, pull.github_title) == ("merged", "newer")


def test_without_a_secret_there_is_no_such_address(client: Client, settings: Settings) -> None:
    settings.GITHUB_WEBHOOK_SECRET = ""
    assert send(client, event(**MERGED)).status_code == 404
    assert send(client, event(**MERGED), **{"X-Hub-Signature-256": ""}).status_code == 404


@pytest.mark.parametrize(
    "header", ["", "sha256=", "sha256=" + "0" * 64, "sha1=x", "sha256=é", signature("other", b"{}")]
)
def test_a_wrong_signature_changes_nothing(client: Client, header: str) -> None:
    answer = send(client, event(**MERGED), **{"X-Hub-Signature-256": header})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")
    assert not WebhookDelivery.objects.exists()


def test_guessing_signatures_is_slowed_down(client: Client) -> None:
    headers = {"X-Hub-Signature-256": "sha256=0"}
    codes = [send(client, {}, **headers).status_code for _time in range(32)]
    assert (codes[0], codes[-1]) == (401, 429)
    assert send(client, event(**MERGED)).status_code == 200


def test_only_pull_requests_that_the_catalogue_names_are_touched(client: Client) -> None:
    assert send(client, {"zen": "Keep it."}, event="ping").json() == {"outcome": "ignored"}
    assert send(client, event(full_name="who/else")).json() == {"outcome": "unknown"}
    assert send(client, event(number=8), delivery="d-2").json() == {"outcome": "unknown"}
    assert PullRequest.objects.get().github_synced_at is None


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (b"{", 400),
        ([], 422),
        ({}, 422),
        ({"pull_request": pull_json(state="gone")}, 422),
        (b"x" * 2_100_000, 413),
    ],
)
def test_bodies_that_make_no_sense(client: Client, value: Any, code: int) -> None:
    assert send(client, value).status_code == code
    assert not WebhookDelivery.objects.exists()


def test_a_form_is_refused_and_so_is_a_delivery_without_identifier(client: Client) -> None:
    body = b"payload=%7B%7D"
    headers = {"X-Hub-Signature-256": signature(SECRET, body), "X-GitHub-Event": "pull_request"}
    form = client.post(ADDRESS, body, content_type="application/x-www-form-urlencoded", headers=headers)
    assert form.status_code == 415
    assert send(client, event(), delivery="").status_code == 422


def test_a_delivery_makes_the_next_sync_read_anew(client: Client, pull: PullRequest, github: GitHub) -> None:
    sync_pull_requests(pulls=[pull], github=github)
    send(client, event(title="from the webhook"))
    fresh = PullRequest.objects.get()
    assert (fresh.github_title, fresh.github_etag) == ("from the webhook", "")
    assert sync_pull_requests(pulls=[fresh], github=github).counts == {"applied": 1}


def test_deliveries_are_forgotten_after_a_month(client: Client, clock: Clock) -> None:
    send(client, event())
    assert forget_old_deliveries(now=clock.advance(86400)) == 0
    assert forget_old_deliveries(now=clock.advance(30 * 86400)) == 1

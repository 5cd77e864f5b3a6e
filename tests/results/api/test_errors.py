"""Every refusal has the same shape, and everything doubtful is refused."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from rest_framework.test import APIClient

from results.api.parsers import MAX_BODY
from results.models import RateBucket, Run
from tests.conftest import Clock
from tests.results.api.conftest import Actor

RUNS = "/api/v1/runs/"


def error_of(answer: Any) -> dict[str, Any]:
    """The error of an answer, after its shape was checked."""
    assert answer["Content-Type"] == "application/json"
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "request_id", "problems"}
    assert body["error"]["request_id"] == answer["X-Request-ID"]
    assert body["error"]["message"]
    for problem in body["error"]["problems"]:
        assert set(problem) == {"pointer", "rule", "message"}
    error: dict[str, Any] = body["error"]
    return error


def send(who: Actor, body: bytes | str, content_type: str = "application/json", **extra: Any) -> Any:
    return who.client.post(RUNS, body, content_type=content_type, **extra)


@pytest.mark.parametrize("path", ["/api/v1/nothing/", "/api/v1/runs", "/api/v1/", "/api/v2/runs/", "/api/"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_unknown_addresses_answer_in_json(path: str, method: str) -> None:
    client = Client(enforce_csrf_checks=True)
    answer = getattr(client, method)(path)
    assert answer.status_code == 404
    assert error_of(answer)["code"] == "not_found"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("delete", RUNS),
        ("put", RUNS),
        ("options", RUNS),
        ("post", "/api/v1/points/"),
        ("post", "/api/v1/points.csv"),
        ("patch", "/api/v1/metrics/"),
        ("get", "/api/v1/runs/00000000-0000-0000-0000-000000000000/cancel/"),
    ],
)
def test_unknown_methods_answer_in_json(anonymous: Actor, owner: Actor, method: str, path: str) -> None:
    for who in (anonymous, owner):
        answer = getattr(who.client, method)(path)
        assert answer.status_code == 405
        assert error_of(answer)["code"] == "method_not_allowed"
        assert answer["Allow"]


@pytest.mark.parametrize(
    "path", ["runs/00000000-0000-0000-0000-000000000000/", "points/1/", "artifacts/ab/", "recipes/ab/"]
)
def test_missing_objects_answer_in_json(anonymous: Actor, path: str) -> None:
    answer = anonymous.client.get(f"/api/v1/{path}")
    assert answer.status_code == 404
    assert error_of(answer)["code"] == "not_found"


def test_a_point_number_beyond_the_database_is_unknown(anonymous: Actor) -> None:
    assert anonymous.client.get(f"/api/v1/points/{10**30}/").status_code == 404


@pytest.mark.parametrize(
    ("query", "pointer", "rule"),
    [
        ("lable=x", "?lable", "unknown_parameter"),
        ("label=x&label=y", "?label", "repeated"),
        ("limit=0", "?limit", "min_value"),
        ("limit=201", "?limit", "max_value"),
        ("limit=many", "?limit", "invalid"),
        ("state=asleep", "?state", "invalid_choice"),
        ("cursor=bogus", "?cursor", "cursor"),
        ("label=%00", "?label", "null_characters_not_allowed"),
        ("format=xml", "?format", "unknown_parameter"),
    ],
)
def test_query_parameters_are_strict(anonymous: Actor, query: str, pointer: str, rule: str) -> None:
    answer = anonymous.client.get(f"{RUNS}?{query}")
    assert answer.status_code == 422
    problems = error_of(answer)["problems"]
    assert [(problem["pointer"], problem["rule"]) for problem in problems] == [(pointer, rule)]


@pytest.mark.parametrize(
    "path",
    ["points/", "points.csv", "metrics/", "runs/00000000-0000-0000-0000-000000000000/", "points/1/",
     "recipes/ab/", "artifacts/ab/"],
)  # fmt: skip
def test_no_address_ignores_a_parameter(anonymous: Actor, path: str) -> None:
    answer = anonymous.client.get(f"/api/v1/{path}?surprise=1")
    assert answer.status_code == 422
    assert error_of(answer)["problems"][0]["pointer"] == "?surprise"


def test_writing_takes_no_parameters(owner: Actor, document: dict[str, Any]) -> None:
    answer = owner.client.post(f"{RUNS}?label=x", document, format="json")
    assert answer.status_code == 422
    assert not Run.objects.exists()


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "9" * 400])
@pytest.mark.parametrize(
    ("pointer", "key"), [("/recipe/arguments/context", "context"), ("/recipe/arguments/a~1b", "a/b")]
)
def test_no_number_without_end_at_any_depth(
    owner: Actor, document: dict[str, Any], literal: str, pointer: str, key: str
) -> None:
    document["recipe"]["arguments"] = {key: "HERE"}
    answer = send(owner, json.dumps(document).replace('"HERE"', literal))
    assert answer.status_code == 422
    assert {"pointer": pointer, "rule": "finite_number"}.items() <= error_of(answer)["problems"][0].items()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 400),
        (b"{'a': 1}", 400),
        (b'{"a": 1} x', 400),
        (b"\xff\xfe{}", 400),
        (b'\xef\xbb\xbf{"label": "bom"}', 400),
        (b'{"label": "a", "label": "b"}', 422),
        (b'{"recipe": {"roles": {"x": 1, "x": 1}}}', 422),
        (b"[" * 33 + b"]" * 33, 422),
        (b"[" * 500_000 + b"]" * 500_000, 422),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, 422),
        (b'{"label": "\\u0000"}', 422),
        (b'{"label": "\\ud800"}', 422),
        (b'{"\\udc00": 1}', 422),
    ],
)
def test_doubtful_json_is_refused(owner: Actor, body: bytes, status: int) -> None:
    answer = send(owner, body)
    assert answer.status_code == status
    error_of(answer)


def test_a_repeated_key_is_named(owner: Actor) -> None:
    answer = send(owner, b'{"recipe": {"roles": {"x": 1, "x": 1}}}')
    problem = error_of(answer)["problems"][0]
    assert (problem["pointer"], problem["rule"]) == ("/recipe/roles/x", "duplicate_key")


def test_a_body_may_be_large_but_not_larger(owner: Actor) -> None:
    fits = b'"' + b"a" * (MAX_BODY - 2) + b'"'
    assert send(owner, fits).status_code == 422
    answer = send(owner, fits + b" ")
    assert answer.status_code == 413
    assert error_of(answer)["code"] == "too_large"


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
     "application/json; charset=latin-1", "application/xml"],
)  # fmt: skip
def test_only_json_is_accepted(owner: Actor, content_type: str) -> None:
    answer = send(owner, b"{}", content_type)
    assert answer.status_code == 415
    assert error_of(answer)["code"] == "unsupported_media_type"


def test_an_encoded_body_is_refused(owner: Actor) -> None:
    assert send(owner, b"{}", HTTP_CONTENT_ENCODING="gzip").status_code == 415


@pytest.mark.parametrize(
    "header",
    ["Bearer nonsense", "Bearer ", "Bearer ns_s_" + "a" * 48, "Bearer ns_s_" + "a" * 400, "bearer \xff"],
)
def test_bad_tokens_are_refused_alike(catalogue: None, header: str) -> None:
    for method in ("get", "post"):
        answer = getattr(APIClient(), method)(RUNS, HTTP_AUTHORIZATION=header)
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"].startswith("Bearer")
        assert error_of(answer)["code"] == "unauthorized"


def test_too_many_requests_say_when_to_come_back(
    owner: Actor, document: dict[str, Any], settings: Any, clock: Clock
) -> None:
    settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]["submit"] = 2
    try:
        statuses = [owner.client.post(RUNS, document, format="json").status_code for _try in range(3)]
        answer = owner.client.post(RUNS, document, format="json")
    finally:
        settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]["submit"] = 120
    assert statuses == [201, 201, 429]
    assert answer["Retry-After"] == "30"
    assert error_of(answer)["code"] == "throttled"
    assert owner.client.get(RUNS).status_code == 200


def test_guessing_tokens_is_bounded(catalogue: None, clock: Clock) -> None:
    client = APIClient(HTTP_AUTHORIZATION="Bearer nonsense")
    statuses = [client.get(RUNS).status_code for _try in range(31)]
    assert statuses == [401] * 30 + [429]
    assert RateBucket.objects.filter(key__startswith="auth:ip:").exists()


def test_a_lost_database_is_a_503(anonymous: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_args: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("results.api.views.runs.run_list", lost)
    answer = anonymous.client.get(RUNS)
    assert answer.status_code == 503
    assert answer["Retry-After"]
    assert error_of(answer)["code"] == "unavailable"


def test_a_bug_is_a_500_without_its_text(anonymous: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("results.api.views.runs.run_list", broken)
    client = APIClient(raise_request_exception=False)
    answer = client.get(RUNS)
    assert answer.status_code == 500
    assert "secret" not in answer.content.decode()
    assert error_of(answer)["code"] == "internal"


def test_reading_a_submitted_secret_is_impossible(owner: Actor, submit: Callable[..., Run]) -> None:
    run = submit(owner.token)
    assert owner.token is not None
    body = owner.client.get(f"{RUNS}{run.id}/").content.decode()
    assert owner.token.prefix not in body
    assert owner.token.digest not in body

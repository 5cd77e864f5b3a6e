"""Submitting, listing, reading and cancelling runs over HTTP."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from results.models import Attempt, AuditEvent, Host, Recipe, Run, Scenario, State
from results.services.claims import claim_attempt
from results.services.hosts import register_host
from tests.conftest import Clock
from tests.results.api.conftest import Actor, add_point

RUNS = "/api/v1/runs/"


def post(who: Actor, body: Any, **extra: Any) -> Any:
    return who.client.post(RUNS, body, format="json", **extra)


def test_a_submitted_run_is_queued_and_can_be_read(owner: Actor, document: dict[str, Any]) -> None:
    answer = post(owner, document)
    assert answer.status_code == 201
    run = Run.objects.get()
    body = answer.json()
    assert (body["id"], body["state"], body["label"]) == (str(run.id), "queued", "prefix-cache")
    assert body["loads"] == [1, 2, 4]
    assert body["recipe"] == run.recipe.fingerprint == Recipe.objects.get().fingerprint
    assert answer["Location"] == body["url"] == f"http://testserver{RUNS}{run.id}/"
    assert owner.client.get(answer["Location"]).json() == body
    assert [attempt["number"] for attempt in body["attempts"]] == [0]
    assert run.submitted_by == owner.token


def test_a_submission_is_audited(owner: Actor, document: dict[str, Any]) -> None:
    answer = post(owner, document, HTTP_X_REQUEST_ID="0123456789abcdef")
    event = AuditEvent.objects.get(verb="submit")
    assert owner.token is not None
    assert event.actor == f"token:{owner.token.prefix}"
    assert event.object_id == answer.json()["id"]
    assert event.request_id == "0123456789abcdef"


@pytest.mark.django_db(transaction=True)
def test_fitting_hosts_are_hinted_after_commit(
    owner: Actor, document: dict[str, Any], hinted: list[str]
) -> None:
    register_host(name="fits", hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    register_host(name="gpu-only", hardware_slugs=["h100"], engines=["llamacpp"], facts={})
    register_host(name="other-engine", hardware_slugs=["cpu"], engines=["vllm"], facts={})
    assert post(owner, document).status_code == 201
    assert hinted == ["fits"]


def test_one_recipe_and_one_scenario_serve_many_runs(owner: Actor, document: dict[str, Any]) -> None:
    for _run in range(3):
        assert post(owner, document).status_code == 201
    assert (Run.objects.count(), Recipe.objects.count(), Scenario.objects.count()) == (3, 1, 1)


def test_defaults_do_not_split_recipes(owner: Actor, document: dict[str, Any]) -> None:
    post(owner, document)
    document["recipe"]["arguments"] = {"parallel": 2, "cache_prompt": True, "context": 8192}
    post(owner, document)
    assert Recipe.objects.count() == 1


def test_the_schema_field_may_be_left_out(owner: Actor, document: dict[str, Any]) -> None:
    del document["schema"]
    assert post(owner, document).json()["document"]["schema"] == "northstar.run/1"


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("/recipe/roles/serve/hardware", "abacus", "unknown_hardware"),
        ("/recipe/model/name", "gpt-7", "unknown_model"),
        ("/recipe/engine/name", "sglang", "unknown_engine"),
        ("/host", "nowhere", "unknown_host"),
        ("/label", "<img>", "string_pattern_mismatch"),
        ("/loads/0", 0, "greater_than_equal"),
        ("/recipe/arguments/shell", "; touch x", "extra_forbidden"),
        ("/recipe/arguments/parallel", "2", "int_type"),
        ("/surprise", 1, "extra_forbidden"),
        ("/recipe/environment", {"LD_PRELOAD": "x"}, "not_allowed"),
    ],
)
def test_a_refused_document_names_the_place(
    owner: Actor, document: dict[str, Any], path: str, value: Any, rule: str
) -> None:
    *parents, last = path.strip("/").split("/")
    place: Any = document
    for key in parents:
        place = place[key]
    place[int(last) if isinstance(place, list) else last] = value
    answer = post(owner, document)
    assert answer.status_code == 422
    found = answer.json()["error"]["problems"]
    assert [(problem["pointer"], problem["rule"]) for problem in found] == [(path, rule)]
    assert not Run.objects.exists()


def test_an_alias_is_refused_with_the_name_to_use(owner: Actor, document: dict[str, Any]) -> None:
    document["recipe"]["roles"]["serve"]["hardware"] = "h100-dgxc"
    problem = post(owner, document).json()["error"]["problems"][0]
    assert problem["message"].endswith("its name in the catalogue is h100")


@pytest.mark.parametrize("body", [[], "text", 3, None, {}])
def test_what_is_no_document_is_refused(owner: Actor, body: Any) -> None:
    answer = owner.client.post(RUNS, __import__("json").dumps(body), content_type="application/json")
    assert answer.status_code == 422


def test_a_retired_host_cannot_be_wanted(owner: Actor, document: dict[str, Any]) -> None:
    register_host(name="old", hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    Host.objects.update(state=Host.State.RETIRED)
    document["host"] = "old"
    assert post(owner, document).json()["error"]["problems"][0]["rule"] == "unknown_host"


def test_a_queued_run_is_cancelled_at_once(owner: Actor, submit: Callable[..., Run]) -> None:
    run = submit(owner.token)
    answer = owner.client.post(f"{RUNS}{run.id}/cancel/")
    assert answer.status_code == 200
    assert (answer.json()["state"], answer.json()["cancel_requested"]) == ("cancelled", True)
    assert Attempt.objects.get().state == State.CANCELLED


def test_a_held_run_is_asked_to_stop(owner: Actor, submit: Callable[..., Run]) -> None:
    run = submit(owner.token)
    register_host(name="h1", hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    assert claim_attempt(host="h1")
    body = owner.client.post(f"{RUNS}{run.id}/cancel/").json()
    assert (body["state"], body["cancel_requested"], body["host"]) == ("claimed", True, "h1")


def test_cancelling_again_changes_nothing(owner: Actor, submit: Callable[..., Run], clock: Clock) -> None:
    run = submit(owner.token)
    first = owner.client.post(f"{RUNS}{run.id}/cancel/").json()
    clock.advance(5)
    assert owner.client.post(f"{RUNS}{run.id}/cancel/").json() == first
    assert AuditEvent.objects.filter(verb="cancel").count() == 1


def test_a_foreign_run_and_an_unknown_run_look_alike(
    owner: Actor, other: Actor, submit: Callable[..., Run]
) -> None:
    run = submit(owner.token)
    answers = [other.client.post(f"{RUNS}{name}/cancel/") for name in (run.id, uuid4())]
    assert [answer.status_code for answer in answers] == [404, 404]
    errors = [answer.json()["error"] | {"request_id": ""} for answer in answers]
    assert errors[0] == errors[1]
    assert Run.objects.get().cancel_requested_at is None


def test_cancelling_takes_no_body(owner: Actor, submit: Callable[..., Run]) -> None:
    run = submit(owner.token)
    answer = owner.client.post(f"{RUNS}{run.id}/cancel/", {"force": True}, format="json")
    assert answer.status_code == 422


def test_pages_follow_each_other_while_runs_are_added(anonymous: Actor, submit: Callable[..., Run]) -> None:
    wanted = [str(submit().id) for _run in range(5)][::-1]
    seen, address = [], f"{RUNS}?limit=2"
    while address:
        page = anonymous.client.get(address).json()
        seen += [row["id"] for row in page["results"]]
        address = page["next"]
        submit()
    assert seen == wanted


def test_runs_of_one_moment_are_each_listed_once(anonymous: Actor, submit: Callable[..., Run]) -> None:
    moment = submit().created_at
    for _run in range(6):
        submit()
    Run.objects.update(created_at=moment)
    seen, address = [], f"{RUNS}?limit=3"
    while address:
        page = anonymous.client.get(address).json()
        seen += [UUID(row["id"]) for row in page["results"]]
        address = page["next"]
    assert sorted(seen) == sorted(Run.objects.values_list("id", flat=True))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("state=queued", 1),
        ("state=cancelled", 1),
        ("label=host-tier", 1),
        ("engine=llamacpp", 2),
        ("engine=vllm", 0),
        ("hardware=cpu&state=queued", 1),
        ("hardware=h100", 0),
    ],
)
def test_lists_are_filtered(owner: Actor, submit: Callable[..., Run], query: str, found: int) -> None:
    submit(owner.token, label="host-tier")
    gone = submit(owner.token)
    owner.client.post(f"{RUNS}{gone.id}/cancel/")
    assert len(owner.client.get(f"{RUNS}?{query}").json()["results"]) == found


def test_a_run_counts_its_points(anonymous: Actor, submit: Callable[..., Run]) -> None:
    run = submit()
    for load in (1, 2):
        add_point(run, load)
    assert anonymous.client.get(f"{RUNS}{run.id}/").json()["point_count"] == 2
    assert anonymous.client.get(RUNS).json()["results"][0]["point_count"] == 2

"""An operator edits the catalogue by API; a load of the catalogue keeps what was edited and says so."""

import pytest

from results.models import AuditEvent, Claim, PullRequest
from results.services.load_projects import load_projects
from tests.results.api.conftest import Actor, actor
from tests.shipped import shipped_projects

PULL = "/api/v1/pull-requests/vllm-project/vllm/46412/"


@pytest.fixture
def admin(catalogue: None) -> Actor:
    shipped_projects()
    return actor("admin")


def test_edits_are_audited_shown_and_kept_until_they_are_given_back(admin: Actor, anonymous: Actor) -> None:
    title = {"en": "Ours", "zh": "我们的"}
    status = {"is": "merged", "as_of": "2026-11-29", "source": "the default branch"}
    answer = admin.client.patch(f"{PULL}?language=zh-hans", {"title": title, "status": status}, format="json")
    assert (answer.status_code, answer.json()["title"], answer.json()["status"]) == (200, "我们的", "merged")
    claim = Claim.objects.get(pull_request__number=43447)
    address = f"/api/v1/claims/{claim.id}/"
    words = {"before": "50", "after": "95", "setup": {"en": "", "zh": ""}}
    assert admin.client.patch(address, words, format="json").json()["after"] == "95"
    topic = "/api/v1/projects/vllm/topics/hybrid-prefix-retention/"
    assert admin.client.patch(topic, {"name": title}, format="json").json()["name"] == "Ours"
    vllm = "/api/v1/projects/vllm/"
    assert admin.client.patch(vllm, {"summary": title}, format="json").json()["summary"] == "Ours"
    event = AuditEvent.objects.filter(verb="edit", object_type="pull_request").get()
    assert event.details["to"]["title_en"] == "Ours" and event.details["from"]["status"] == "unknown"
    pull = PullRequest.objects.get(number=46412, repository="vllm-project/vllm")
    assert pull.history.filter(status="merged", source="the default branch").count() == 1

    counts = load_projects()
    assert (counts["updated"], counts["kept"]) == (0, 4)
    shown = anonymous.client.get(PULL).json()
    assert (shown["title"], shown["status"], shown["status_as_of"]) == ("Ours", "merged", "2026-11-29")

    assert admin.client.patch(PULL, {"title": None}, format="json").json()["title"] == "Ours"
    assert load_projects()["updated"] == 1
    shown = anonymous.client.get(PULL).json()
    assert shown["title"] != "Ours" and shown["status"] == "merged"


def test_what_is_wrong_is_named_at_its_place_and_nothing_changes(admin: Actor) -> None:
    merged = {"is": "merged", "as_of": "2026-11-29"}
    bodies: list[tuple[dict[str, object], str]] = [
        ({}, ""),
        ({"title": {"en": "only one"}}, "/title/zh"),
        ({"title": "x"}, "/title"),
        ({"repository": "a/b"}, "/repository"),
        ({"kind": "speed"}, "/kind"),
        ({"status": merged}, "/status/source"),
        ({"status": merged | {"is": "merged-elsewhere", "source": "x"}}, "/status"),
    ]
    for body, pointer in bodies:
        answer = admin.client.patch(PULL, body, format="json")
        assert answer.status_code == 422, body
        assert answer.json()["error"]["problems"][0]["pointer"] == pointer
    assert not AuditEvent.objects.filter(verb="edit").exists()

"""History: page, API and file agree; changes stand between what was changed upstream."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from results.models import ChangelogEntry, Engine
from results.services.change_points import propose_changes
from results.services.tokens import create_token
from tests.conftest import Clock
from tests.factories import make_result_file
from tests.results.services.test_change_points import LEVELS, nights, watched

pytestmark = pytest.mark.django_db


def html(client: Client, query: str = "") -> str:
    response = client.get(f"/history/{query}")
    assert response.status_code == 200
    return response.content.decode()


def test_page_api_figure_and_file_hold_the_same_values(client: Client, clock: Clock) -> None:
    nights(clock)
    answer = client.get("/api/v1/history/").json()
    values = [one["value"] for one in answer["observed"]]
    text = client.get("/history/values.csv").content.decode()
    filed = list(csv.DictReader(io.StringIO(text)))
    drawn = client.get("/history/figure.json").json()["data"][0]
    assert values == LEVELS == [float(row["value"]) for row in filed] == drawn["y"]
    assert {row["unit"] for row in filed} == {"tok/s/GPU"}
    assert [row["measured_at"] for row in filed] == drawn["x"]
    page = html(client)
    assert all(f'<data value="{value:.0f}"' in page for value in values)
    assert "18 values" in page


def test_a_seen_change_is_shown_with_the_command_that_stores_it(client: Client, clock: Clock) -> None:
    runs = nights(clock)
    page = html(client)
    assert "seen now, not stored" in page
    assert "api/v1/change-points/" in page
    propose_changes(watched=watched(), actor="a")
    page = html(client)
    assert "proposed" in page
    assert "seen now, not stored" not in page
    (line,) = client.get("/history/figure.json").json()["layout"]["shapes"]
    assert line["line"]["dash"] == "dot"
    text = client.get("/history/changes.csv").content.decode()
    assert [row["run"] for row in csv.DictReader(io.StringIO(text))] == [str(runs[12].id)]


def test_what_was_changed_meanwhile_is_linked(client: Client, clock: Clock) -> None:
    runs = nights(clock)
    moments = {"inside": runs[12].created_at, "before": runs[2].created_at, "undated": None}
    for name, at in moments.items():
        ChangelogEntry.objects.create(
            file=make_result_file(name.encode(), path=f"{name}.yaml"), pointer="/0", digest=name,
            config_keys=["tiny-fp16-cpu-llamacpp"], description=f"{name} <b>change</b>",
            pull_request="https://github.com/a/b/pull/7", changed_at=at,
        )  # fmt: skip
    ChangelogEntry.objects.create(
        file=make_result_file(b"other"), pointer="/0", digest="other", changed_at=runs[12].created_at,
        config_keys=["dsr1-fp8-b200-vllm"], description="another machine",
    )  # fmt: skip
    page = html(client)
    assert "inside &lt;b&gt;change" in page
    assert 'href="https://github.com/a/b/pull/7"' in page
    assert "before &lt;b&gt;" not in page
    assert "another machine" not in page
    assert "1 fitting changelog entry states no date" in page


def test_scopes_of_proposing_and_deciding(client: Client, clock: Clock) -> None:
    nights(clock)
    body: dict[str, Any] = watched().model_dump()
    headers = {name: {"authorization": f"Bearer {create_token(name=name, scope=name)[1]}"}
               for name in ("submit", "admin", "worker")}  # fmt: skip
    send: Any = client.post
    for name, status in (("worker", 403), ("admin", 403), ("submit", 200)):
        answer = send("/api/v1/change-points/", body, content_type="application/json", headers=headers[name])
        assert answer.status_code == status
    point = answer.json()["change_points"][0]["id"]
    address, accepted = f"/api/v1/change-points/{point}/", {"status": "accepted"}
    for name, status in (("submit", 403), ("worker", 403), ("admin", 200)):
        answer = send(address, accepted, content_type="application/json", headers=headers[name])
        assert answer.status_code == status
    assert answer.json()["status"] == "accepted"
    (line,) = client.get("/history/figure.json").json()["layout"]["shapes"]
    assert line["line"]["dash"] == "solid"
    missing = send(
        "/api/v1/change-points/999/", accepted, content_type="application/json", headers=headers["admin"]
    )
    assert missing.status_code == 404


@pytest.mark.parametrize(
    ("query", "name"),
    [("basis=x", "basis"), ("metric=duration", "metric"), ("at=0", "at"), ("load=none", "load"),
     ("family=x", "family"), ("famly=00", "famly")],
)  # fmt: skip
def test_a_bad_parameter_is_named(client: Client, query: str, name: str) -> None:
    for where in ("/history/", "/history/figure.json", "/history/values.csv"):
        response = client.get(f"{where}?{query}")
        assert response.status_code == 400
        assert f"<code>{name}</code>" in response.content.decode()
    assert client.get(f"/api/v1/history/?{query}").status_code == 400


def test_an_empty_place_says_so(client: Client, clock: Clock) -> None:
    assert "Nothing is published" in html(client)
    nights(clock)
    assert "No value at this place" in html(client, "?basis=equal_x")
    assert "18 whose frontier does not reach this x" in html(client, "?basis=equal_x&at=35")
    assert Engine.objects.count() == 1

"""Upstream projects, pull requests, evidence and comparisons through the API."""

import csv
import io
from typing import Any

import pytest

from results import clock
from results.models import Comparison, Evidence, PullRequest, Run
from results.services.conclude_comparison import conclude_ready
from tests.results.api.conftest import Actor
from tests.results.services.test_conclude_comparison import finish
from tests.results.services.test_start_comparison import host, plan_json
from tests.shipped import shipped_projects

PULL = "/api/v1/pull-requests/vllm-project/vllm/37160/"


@pytest.fixture(autouse=True)
def shipped(catalogue: None) -> None:
    shipped_projects()


def test_projects_count_their_pull_requests(anonymous: Actor) -> None:
    rows = anonymous.client.get("/api/v1/projects/").json()["results"]
    assert {row["slug"]: row["pulls"] for row in rows}["vllm"] == 37
    assert sum(sum(row["statuses"].values()) for row in rows) == 170


def test_a_project_speaks_both_languages(anonymous: Actor) -> None:
    english = anonymous.client.get("/api/v1/projects/mooncake/").json()
    chinese = anonymous.client.get("/api/v1/projects/mooncake/?language=zh-hans").json()
    assert english["topics"][0]["name"] == "RDMA through HIP dma-buf"
    assert chinese["topics"][0]["name"] == "经 HIP dma-buf 的 RDMA"
    assert [pull["number"] for pull in english["topics"][1]["pulls"]] == [3184, 3338]


def test_pull_requests_are_chosen_by_project_status_and_kind(anonymous: Actor) -> None:
    rows = anonymous.client.get("/api/v1/pull-requests/?project=vllm&status=open").json()["results"]
    assert {row["number"] for row in rows} == {46906, 45340, 51714, 51713}
    rows = anonymous.client.get("/api/v1/pull-requests/?kind=day-zero").json()["results"]
    assert {row["number"] for row in rows} == {45879, 45720, 45546}
    assert anonymous.client.get("/api/v1/pull-requests/?status=lost").status_code == 422


def test_claims_are_those_of_the_author(anonymous: Actor) -> None:
    row = anonymous.client.get("/api/v1/pull-requests/vllm-project/vllm/43447/").json()
    assert row["claims"][0] | {"setup": "", "id": 0} == {
        "metric": "prefix-cache hit rate", "before": "", "after": ">95", "change": "", "unit": "%",
        "setup": "", "source_url": "https://github.com/vllm-project/vllm/pull/43447", "id": 0,
        "metric_key": "overall_cache_hit_rate",
    }  # fmt: skip
    assert row["evidence"] == []


def test_unknown_names_are_404(anonymous: Actor) -> None:
    for address in (
        "projects/no/",
        "pull-requests/a/b/1/",
        f"comparisons/{'0' * 8}-0000-0000-0000-{'0' * 12}/",
    ):
        assert anonymous.client.get(f"/api/v1/{address}").status_code == 404


def table(who: Actor, address: str) -> list[dict[str, str]]:
    answer = who.client.get(f"/api/v1/{address}")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def test_upstream_work_as_csv_is_the_json_and_runs_no_formula(anonymous: Actor) -> None:
    PullRequest.objects.filter(number=43447).update(title_en='=HYPERLINK("http://x")')
    rows = anonymous.client.get("/api/v1/pull-requests/?project=vllm").json()["results"]
    lines = table(anonymous, "pull-requests.csv?project=vllm")
    assert [line["number"] for line in lines] == [str(row["number"]) for row in rows]
    assert lines[0]["title"] == """'=HYPERLINK("http://x")"""
    assert sum(int(line["pulls_merged"]) for line in table(anonymous, "projects.csv")) > 100
    assert table(anonymous, "evidence.csv") == []
    claims = anonymous.client.get("/api/v1/claims/").json()
    lines = table(anonymous, "claims.csv")
    assert len(lines) == len(claims["results"]) == 104
    gains = [float(line["claimed_gain"]) for line in lines if line["claimed_gain"]]
    assert gains == [one["claimed_gain"] for one in claims["results"] if one["claimed_gain"] is not None]
    assert claims["funnel"]["claimed"] == claims["funnel"]["unmeasured"] == 74


def test_a_plan_becomes_runs_and_then_a_verdict(owner: Actor, anonymous: Actor) -> None:
    host()
    body: dict[str, Any] = {"plan": plan_json(blocks=5)}
    headers = {"Idempotency-Key": "once"}
    first = owner.client.post(f"{PULL}evidence/", body, format="json", headers=headers)
    again = owner.client.post(f"{PULL}evidence/", body, format="json", headers=headers)
    assert (first.status_code, again.content) == (201, first.content)
    assert Run.objects.count() == 10
    address = first.json()["comparison"]["url"]
    assert anonymous.client.get(address).json()["verdict"] is None
    finish(Comparison.objects.get(), 1.3)
    conclude_ready()
    verdict = anonymous.client.get(address).json()["verdict"]
    assert verdict["headline"] in ("gain", "strong_gain")
    row = next(one for one in verdict["primary"] if (one["metric"], one["load"]) == ("request_throughput", 1))
    assert row["ci_low"] < row["gain"] < row["ci_high"]
    assert row["n"] == 5
    shown = anonymous.client.get(PULL).json()
    assert shown["measured"] == 1
    assert shown["evidence"][0]["comparison"]["verdict"] == verdict
    lines = anonymous.client.get("/api/v1/evidence/?project=vllm").json()["results"]
    assert [line["verdict"] for line in lines] == verdict["primary"]
    assert [float(line["ci_low"]) for line in table(anonymous, "evidence.csv")] == [
        one["ci_low"] for one in verdict["primary"]
    ]


def test_a_claim_stands_beside_what_was_measured_of_its_metric(owner: Actor, anonymous: Actor) -> None:
    host()
    pull = PullRequest.objects.get(repository="vllm-project/vllm", number=37160)
    words = {"metric_en": "median TTFT", "setup_en": "elsewhere", "source_url": "https://example.org/"}
    pull.claims.create(position=1, before="30", after="20", unit="ms", **words)
    owner.client.post(f"{PULL}evidence/", {"plan": plan_json(blocks=5)}, format="json")
    finish(Comparison.objects.get(), 1.3)
    conclude_ready()
    found = anonymous.client.get("/api/v1/claims/?project=vllm").json()
    (line,) = [one for one in found["results"] if one["number"] == 37160]
    assert line["claimed_gain"] == pytest.approx(0.5)
    assert {one["verdict"]["metric"] for one in line["measured"]} == {"ttft_p50"}
    assert found["funnel"]["same_metric"] == 1
    Evidence.objects.update(withdrawn_at=clock.now(), withdrawn_reason="wrong host")
    found = anonymous.client.get("/api/v1/claims/?project=vllm").json()
    assert found["funnel"]["same_metric"] == 0 and found["funnel"]["measured"] == 0
    (gone,) = table(anonymous, "evidence.csv")
    assert (gone["status"], gone["gain"], gone["withdrawn_reason"]) == ("withdrawn", "", "wrong host")


def test_a_bad_plan_names_the_place_in_the_request(owner: Actor) -> None:
    plan = plan_json() | {"metrics": ["speed"]}
    answer = owner.client.post(f"{PULL}evidence/", {"plan": plan}, format="json")
    assert answer.status_code == 422
    assert answer.json()["error"]["problems"][0]["pointer"] == "/plan/metrics"
    assert not Evidence.objects.exists()


def test_withdrawn_evidence_is_shown_as_such_and_no_longer_counted(owner: Actor, anonymous: Actor) -> None:
    host()
    made = owner.client.post(f"{PULL}evidence/", {"plan": plan_json()}, format="json").json()
    address = f"/api/v1/evidence/{made['id']}/withdraw/"
    assert owner.client.post(address, {}, format="json").status_code == 422
    assert owner.client.post(address, {"reason": "wrong host"}, format="json").status_code == 200
    shown = anonymous.client.get(PULL).json()
    assert (shown["measured"], shown["evidence"][0]["withdrawn_reason"]) == (0, "wrong host")

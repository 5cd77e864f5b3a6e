"""The status page and its twin in the API: hosts, queue, sweeper, GitHub, A/A."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from results.models import Comparison, Duty, Host, PullRequest, PullRequestSync, Run, State
from results.services.aa_schedules import add_schedule, start_due
from results.services.conclude_comparison import conclude_ready
from results.services.duties import end_duty
from results.services.load_projects import load_projects
from tests.conftest import Clock
from tests.factories import catalogue, make_attempt, make_run
from tests.results.api.test_query_counts import compare, queries
from tests.results.conftest import hinted
from tests.results.github.test_sync import more
from tests.results.services.test_conclude_comparison import finish
from tests.results.services.test_load_projects import toy
from tests.results.services.test_start_comparison import host

__all__ = ["hinted"]
pytestmark = pytest.mark.django_db
DAY = 86_400


def status(client: Client) -> dict[str, Any]:
    answer: dict[str, Any] = client.get("/api/v1/status/").json()
    return answer


def page(client: Client, language: str = "en") -> str:
    response = client.get("/status/", headers={"accept-language": language})
    assert response.status_code == 200
    return response.content.decode()


def planned(name: str, run: Run, where: str, days: int) -> None:
    metrics = ["ttft_p50", "request_throughput"]
    add_schedule(name=name, run=run.id, host=where, every_days=days, blocks=5, metrics=metrics, actor="a")


def test_an_empty_house_says_what_is_missing(client: Client) -> None:
    found = status(client)
    assert (found["sweeper"]["overdue"], found["hosts"], found["github"]["asks"]) == (True, [], False)
    assert found["aa"] == {"alpha": 0.05, "minimum": 20, "schedules": [], "rates": [], "floors": []}
    shown = page(client)
    for words in ("The sweeper has never run", "No host has registered yet", "Nothing is scheduled",
                  "The sweeper does not ask GitHub", "No comparison of equal recipes"):  # fmt: skip
        assert words in shown
    assert "No host has registered yet" not in page(client, "zh-CN")


@pytest.mark.usefixtures("hinted")
def test_a_busy_house(client: Client, clock: Clock, tmp_path: Any, settings: Any) -> None:
    settings.GITHUB_SYNC, settings.GITHUB_API_URL = True, "https://ghe.example/api/v3"
    catalogue()
    host("alpha", hardware_slugs=["cpu", "h200"], facts={"devices": {"cpu": 1, "h200": 4}})
    make_attempt(make_run())
    measured = make_run(state=State.SUCCEEDED)
    planned("weekly", measured, "alpha", 7)
    load_projects(folder=toy(tmp_path))
    pull = PullRequest.objects.get()
    more(pull, range(8, 11))
    PullRequestSync.objects.create(pull_request=pull, attempted_at=clock.time, error="timeout")
    end_duty(name=Duty.Name.SWEEP, began_at=clock.time, outcome="reaped 0")
    for _week in range(2):
        start_due(now=clock.time)
        finish(Comparison.objects.get(state="running"), 1.0)
        conclude_ready()
        clock.advance(7 * DAY)
    found = status(client)
    (line,) = found["hosts"]
    assert (line["waiting"], line["present"], line["holds"]) == (1, False, None)
    assert (found["queue"]["queued"], found["queue"]["homeless"]) == (1, 0)
    assert found["sweeper"]["overdue"] and found["github"]["duty"]["overdue"]
    (synced,) = found["github"]["repositories"]
    assert (synced["repository"], synced["pulls"], synced["troubles"]) == ("who/toy", 4, {"timeout": 1})
    (schedule,) = found["aa"]["schedules"]
    assert (schedule["comparisons"], schedule["running"], schedule["problem"]) == (2, False, "")
    assert schedule["next_at"] == clock.time.isoformat().replace("+00:00", "Z")
    overall, *by_metric = found["aa"]["rates"]
    assert (overall["host_class"], overall["metric"], overall["comparisons"]) == ("cpu", None, 2)
    assert not overall["used"] and overall["low"] <= overall["rate"] <= overall["high"]
    assert sum(row["tests"] for row in by_metric) == overall["tests"] >= 8
    shown = page(client)
    for words in ("weekly", "who/toy", "GitHub did not answer in time", "not seen lately", "2 of 20 comp"):
        assert words in shown
    Host.objects.update(facts={"devices": {"cpu": 0}})
    assert status(client)["queue"]["homeless"] == 1
    counts_do_not_grow(client, clock)


def counts_do_not_grow(client: Client, clock: Clock) -> None:
    """One more of everything costs no more queries."""
    addresses = {"page-status": "/status/", "status": "/api/v1/status/"}
    few = {name: queries(client, address) for name, address in addresses.items()}
    host("beta")
    make_attempt(make_run())
    run = Run.objects.filter(state="succeeded").order_by("created_at")[0]
    planned("other", run, "beta", 1)
    start_due(now=clock.time + timedelta(days=7))
    for name, address in addresses.items():
        compare(name, [few[name], queries(client, address)])

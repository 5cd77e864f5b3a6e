"""The list of runs and the page of one."""

import uuid
from datetime import timedelta

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from results.models import AttemptArtifact, Run, State
from results.storage import put_bytes
from tests.conftest import Clock
from tests.dashboard.pages.conftest import live_run, measured
from tests.factories import make_attempt, make_host, make_run

pytestmark = pytest.mark.django_db


def html(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_without_runs_it_says_what_to_do(client: Client) -> None:
    assert "No run has been submitted yet" in html(client, "/runs/")


def test_pages_follow_each_other_without_gap_or_repeat(client: Client, clock: Clock) -> None:
    ids = set()
    for _number in range(53):
        clock.advance(1)
        ids.add(str(make_run().id))
    first = client.get("/runs/")
    page = first.context["page"]
    assert len(page.rows) == 50
    second = client.get(f"/runs/?{first.context['next']}")
    shown = [str(row.id) for row in (*page.rows, *second.context["page"].rows)]
    assert len(shown) == len(set(shown)) == 53
    assert set(shown) == ids
    assert second.context["next"] == ""


def test_search_and_state_find_runs(client: Client) -> None:
    run = make_run(label="alpha", state=State.FAILED)
    make_run(label="beta")
    for query in ("q=alph", f"q={str(run.id)[:8]}", "state=failed", "label=alpha", "q=llama+alpha"):
        response = client.get(f"/runs/?{query}")
        assert [row.label for row in response.context["page"].rows] == ["alpha"], query
    assert "No run fits" in html(client, "/runs/?q=gamma")


@pytest.mark.parametrize("query", ["state=done", "after=garbage", "after=YWJj", "color=red"])
def test_a_bad_parameter_is_named(client: Client, query: str) -> None:
    response = client.get(f"/runs/?{query}")
    assert response.status_code == 400
    assert f"<code>{query.partition('=')[0]}</code>" in response.content.decode()


@pytest.mark.parametrize("count", [1, 50])
def test_list_queries_do_not_grow(
    client: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(count):
        make_attempt(make_run(label=f"label-{number}"))
    with django_assert_num_queries(5):
        client.get("/runs/")


@pytest.mark.parametrize("count", [1, 50])
def test_page_queries_do_not_grow(
    client: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = make_run(state=State.SUCCEEDED)
    attempt = make_attempt(run, state=State.SUCCEEDED)
    for number in range(count):
        artifact = put_bytes(f"file {number}".encode())
        AttemptArtifact.objects.create(attempt=attempt, artifact=artifact, path=f"file{number}")
    with django_assert_num_queries(8):
        client.get(f"/runs/{run.id}/")


def test_a_live_run_shows_phase_progress_and_log(client: Client, clock: Clock) -> None:
    page = html(client, f"/runs/{live_run().id}/")
    for text in (
        "profile, load 1 of 1, 2",
        'value="0.4000"',
        "about 1 min 15 s to go",
        "engine healthy after",
    ):
        assert text in page
    assert "&lt;b&gt;prompt&lt;/b&gt;" in page
    assert 'data-seconds="3"' in page
    assert "/cancel/" in page
    assert "No heartbeat" not in page


def test_silence_of_the_host_is_said(client: Client, clock: Clock) -> None:
    run = live_run()
    clock.advance(45)
    assert "No heartbeat from the host for 45 s" in html(client, f"/runs/{run.id}/")


def test_a_failure_names_its_class_and_first_cause(client: Client) -> None:
    run = make_run(state=State.FAILED, failure_class="server_start", failure_line="bind: address in use <x>")
    make_attempt(
        run, state=State.FAILED, failure_class="server_start", failure_line="bind: address in use <x>"
    )
    page = html(client, f"/runs/{run.id}/")
    assert "The engine died or stalled before it was healthy." in page
    assert "bind: address in use &lt;x&gt;" in page
    assert "<progress" not in page
    assert 'data-seconds="0"' in page


def test_every_attempt_keeps_its_files_and_command_line(client: Client) -> None:
    run = make_run(state=State.SUCCEEDED)
    host = make_host()
    make_attempt(run, 0, state=State.FAILED, failure_class="worker_lost", host=host)
    attempt = make_attempt(run, 1, state=State.SUCCEEDED, host=host)
    artifact = put_bytes(b'["llama-server", "--alias", "it\'s <mine>"]', "application/json")
    AttemptArtifact.objects.create(attempt=attempt, artifact=artifact, path="engine/argv.json")
    page = html(client, f"/runs/{run.id}/")
    assert f"/api/v1/artifacts/{artifact.sha256}/" in page
    assert "llama-server --alias" in page
    assert "&lt;mine&gt;" in page
    assert "The worker or its host vanished." in page


def test_points_show_every_measured_metric(client: Client) -> None:
    point = measured("a", 2, speed=1.0)
    page = html(client, f"/runs/{point.run_id}/")
    assert 'title="0.2 req/s"' in page
    assert "/metrics/ttft_p50/" in page
    assert "benchmark rules overridden" in page


def test_sibling_recipes_show_what_differs(client: Client) -> None:
    here = measured("here", 1, speed=1.0, cache_prompt=False)
    measured("there", 1, speed=1.0, cache_prompt=True)
    page = html(client, f"/runs/{here.run_id}/")
    assert "Against other recipes of this scenario" in page
    assert '<td class="diff">cache_prompt</td><td>off</td><td>on</td>' in page


def test_the_document_comes_back_as_submitted(client: Client) -> None:
    run = make_run()
    response = client.get(f"/runs/{run.id}/run.json")
    assert response.json() == Run.objects.get(id=run.id).document
    assert "attachment" in response.headers["Content-Disposition"]


def test_an_unknown_run_is_404(client: Client) -> None:
    missing = uuid.uuid4()
    for address in (f"/runs/{missing}/", f"/runs/{missing}/parts/", f"/runs/{missing}/run.json"):
        assert client.get(address).status_code == 404


def test_duration_is_wall_time(client: Client, clock: Clock) -> None:
    run = make_run(state=State.SUCCEEDED)
    Run.objects.filter(id=run.id).update(
        started_at=clock.now(), ended_at=clock.now() + timedelta(seconds=200)
    )
    make_attempt(run, state=State.SUCCEEDED)
    assert "3 min 20 s" in html(client, "/runs/")

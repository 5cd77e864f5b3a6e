"""The demo's benchmark against a real server and database; only the worker's commands are played."""

import io
import json
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from dashboard.demo import steps
from dashboard.demo.job import Job
from dashboard.demo.options import Options
from dashboard.demo.screen import Screen
from dashboard.demo.session import submit_token
from results.models import ApiToken, Attempt, Run, State
from results.services import hints
from tests.factories import catalogue, make_point, run_json

pytestmark = pytest.mark.django_db(transaction=True)
LABELS = ["off", "on"]


@pytest.fixture(autouse=True)
def played(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The worker's commands and what they would print; no broker is asked."""
    asked: list[list[str]] = []

    def workers(arguments: Sequence[str], **_where: object) -> Generator[None, None, str]:
        asked.append(list(arguments))
        yield
        if arguments[0] == "labels":
            return "\n".join(LABELS)
        return json.dumps(document(arguments[2])) if arguments[0] == "example" else ""

    monkeypatch.setattr(steps, "workers", workers)
    monkeypatch.setattr(hints, "send_hint", lambda _host: True)
    return asked


def document(label: str) -> dict[str, Any]:
    """As the worker prints it: with everything spelled out."""
    from results.services.submit_run import read_run_document

    recipe = run_json()["recipe"] | {"arguments": {"parallel": 2, "cache_prompt": label == "on"}}
    return read_run_document(run_json(label=label, block=None, loads=[1, 2, 4], recipe=recipe)).to_json()


def job(live_server: LiveServer, var: Path, blocks: int = 1) -> tuple[Job, io.StringIO]:
    catalogue()
    stream = io.StringIO()
    port = int(live_server.url.rpartition(":")[2])
    return Job(var, Options(port=port, blocks=blocks), Screen(stream)), stream


def submitted(started: Job) -> Generator[None, None, None]:
    """Drive the job until its runs are in."""
    turns = started.execute(submit_token)
    while not started.runs:
        next(turns)
    return turns


def finish(run: Run) -> None:
    for load in run.loads:
        make_point(run, load, output_throughput=10.0 * load, ttft_p50=0.1 * load)
    Attempt.objects.filter(run=run).update(state=State.SUCCEEDED, ended_at=run.created_at)
    Run.objects.filter(id=run.id).update(state=State.SUCCEEDED, ended_at=run.created_at)


def test_every_recipe_is_submitted_once_per_block_with_a_token_that_ends(
    live_server: LiveServer, tmp_path: Path, played: list[list[str]]
) -> None:
    started, _stream = job(live_server, tmp_path, blocks=2)
    submitted(started)
    rows = Run.objects.order_by("created_at")
    assert [(run.label, run.block) for run in rows] == [("off", 1), ("on", 1), ("on", 2), ("off", 2)]
    assert [str(run.id) for run in rows] == [run["id"] for run in started.runs]
    assert {run.submitted_by.name for run in rows if run.submitted_by} == {"make demo"}
    assert ApiToken.objects.get().revoked_at is not None
    assert played[0] == ["provision", "llamacpp", "aiperf"]
    assert played[2] == [
        "example",
        "--label",
        "off",
        "--engine",
        "llamacpp",
        "--loads",
        "1,2,4",
        "--window",
        "40",
    ]


def test_numbers_of_the_table_are_those_of_the_api(live_server: LiveServer, tmp_path: Path) -> None:
    started, stream = job(live_server, tmp_path)
    turns = submitted(started)
    for run in Run.objects.all():
        finish(run)
    for _turn in turns:
        pass
    assert started.is_over
    assert not started.failed
    rows = [line.split() for line in stream.getvalue().splitlines() if line.startswith(("off", "on "))]
    assert ["on", "1", "succeeded", "10.0", "100", "ms", "20.0", "200", "ms", "40.0", "400", "ms"] in rows


def test_a_second_start_submits_nothing_that_stands(live_server: LiveServer, tmp_path: Path) -> None:
    first, _stream = job(live_server, tmp_path)
    submitted(first)
    finish(Run.objects.get(label="off"))
    second, _stream = job(live_server, tmp_path)
    submitted(second)
    assert second.submitted == 0
    assert [run["id"] for run in second.runs] == [run["id"] for run in first.runs]
    assert Run.objects.count() == 2
    assert ApiToken.objects.count() == 1


def test_what_failed_is_submitted_again_and_the_rest_kept(live_server: LiveServer, tmp_path: Path) -> None:
    first, _stream = job(live_server, tmp_path)
    submitted(first)
    lost = Run.objects.get(label="on")
    Run.objects.filter(id=lost.id).update(
        state=State.FAILED, failure_class="client", ended_at=lost.created_at
    )
    second, _stream = job(live_server, tmp_path)
    submitted(second)
    assert second.submitted == 1
    assert second.runs[0]["id"] == first.runs[0]["id"]
    assert second.runs[1]["id"] != str(lost.id)


def test_a_run_of_the_same_name_that_measures_something_else_does_not_stand(
    live_server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _stream = job(live_server, tmp_path)
    submitted(first)
    shorter = run_json()["client"] | {"window_seconds": 30}
    Run.objects.filter(label="on").update(document=document("on") | {"client": shorter, "block": 1})
    second, _stream = job(live_server, tmp_path)
    submitted(second)
    assert second.submitted == 1


def test_failed_runs_are_named(live_server: LiveServer, tmp_path: Path) -> None:
    started, _stream = job(live_server, tmp_path)
    turns = submitted(started)
    finish(Run.objects.get(label="off"))
    lost = Run.objects.get(label="on")
    changes = {"state": State.FAILED, "failure_class": "client", "ended_at": lost.created_at}
    Attempt.objects.filter(run=lost).update(**changes)
    Run.objects.filter(id=lost.id).update(**changes)
    for _turn in turns:
        pass
    assert [run["label"] for run in started.failed] == ["on"]


def test_the_token_ends_even_when_submitting_fails() -> None:
    entered: AbstractContextManager[str] = submit_token()
    with pytest.raises(RuntimeError), entered as secret:
        assert secret.startswith("ns_s_")
        raise RuntimeError
    assert ApiToken.objects.get().revoked_at is not None

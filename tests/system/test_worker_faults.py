"""Faults of workers, broker and database, on real processes.

Most tests use the real Celery worker with a supervisor that measures nothing; two measure with the real
engine. Leases are made to expire in the database: nobody waits 90 seconds.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.factories import run_json
from tests.results.ingest.bundles import write_bundle
from tests.system.attempts import workers
from tests.system.processes import descendants, eventually
from tests.system.stack import Stack

pytestmark = [pytest.mark.system, pytest.mark.xdist_group("worker-faults")]
REAL = "workers.tasks"


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    stack = Stack(tmp_path_factory.mktemp("var"))
    write_bundle(stack.var / "template")
    try:
        stack.start()
        yield stack
    finally:
        stack.stop()


@pytest.fixture
def stack(installation: Stack) -> Iterator[Stack]:
    """The installation without workers and without anything queued."""
    yield installation
    installation.stop_children()
    for name in ("results_attempt", "results_run"):
        installation.query(f"update {name} set state = 'cancelled', ended_at = greatest(now(), created_at) "  # noqa: S608
                           "where ended_at is null")  # fmt: skip
    installation.query("update results_host set last_seen_at = now() - interval '1 day'")
    for log in installation.var.glob("*.log"):
        log.unlink()


def test_worker_killed_in_every_attempt_fails_the_run_and_keeps_all_evidence(stack: Stack) -> None:
    stack.behave("gate")
    run = stack.submit(run_json())
    for number in range(3):
        worker = stack.worker()  # wakes itself, and first salvages what the one before left
        stack.wait(run, lambda states, n=number: states == ["running"] + ["failed"] * n + ["running"])  # type: ignore[misc]
        stack.wait_phase(run, "profile")
        family = stack.kill(worker)
        assert family
        assert stack.nothing_left(family)
        stack.expire_leases()
    assert stack.states(run) == ["failed"] * 4
    stack.worker()
    for number in range(3):
        failure, line = stack.failure(run, number)
        assert failure == "worker_lost"
        assert "no heartbeat from host alpha" in line
        assert {"MANIFEST.json", "loads/c0001/profile_export.jsonl"} <= stack.paths(run, number)
    assert not list((stack.var / "work").glob("*/*"))


def test_worker_asked_to_stop_gives_its_attempt_back(stack: Stack) -> None:
    stack.behave("gate")
    worker = stack.worker()
    run = stack.submit(run_json())
    stack.wait_phase(run, "profile")
    code, seconds = stack.terminate(worker)
    assert code == 0
    assert seconds < 20
    assert stack.states(run) == ["queued", "failed", "queued"]
    assert stack.failure(run, 0) == ("worker_lost", "the worker was shut down")
    assert "MANIFEST.json" in stack.paths(run, 0)
    stack.behave("succeed")
    stack.worker()
    stack.wait(run, lambda states: states == ["succeeded", "failed", "succeeded"])


def test_run_submitted_while_the_broker_is_down_starts_when_it_is_back(stack: Stack) -> None:
    stack.behave("succeed")
    stack.worker()
    sweeper = stack.sweeper()
    stack.valkey.stop()
    begin = time.monotonic()
    run = stack.submit(run_json())
    assert time.monotonic() - begin < 20
    assert eventually(lambda: "no hint for host alpha" in stack.log("sweeper").read_text())
    assert stack.states(run) == ["queued", "queued"]
    stack.valkey.start()
    stack.wait(run, lambda states: states == ["succeeded", "succeeded"])
    assert stack.terminate(sweeper)[0] == 0


def test_database_restarted_in_mid_run_costs_no_attempt(stack: Stack) -> None:
    stack.behave("gate")
    stack.worker()
    sweeper = stack.sweeper()
    run = stack.submit(run_json())
    stack.wait_phase(run, "profile")
    stack.postgres.stop()
    try:
        for name in ("alpha", "sweeper"):
            said = eventually(lambda name=name: "heartbeat: " in stack.log(name).read_text()  # type: ignore[misc]
                              or "database: " in stack.log(name).read_text())  # fmt: skip
            assert said, stack.log(name).read_text()[-2000:]
        stack.go()
    finally:
        stack.postgres.start()
    stack.wait(run, lambda states: states == ["succeeded", "succeeded"])
    assert sweeper.poll() is None
    sql = "select load from results_point where run_id = %s order by load"
    assert stack.query(sql, run) == [(1,), (2,)]


@pytest.mark.parametrize("phase", ["prepare", "engine", "warmup", "profile"])
def test_cancel_in_each_phase_leaves_no_process(stack: Stack, phase: str) -> None:
    stack.behave(f"gate_in:{phase}")
    worker = stack.worker()
    run = stack.submit(run_json())
    stack.wait_phase(run, phase)
    stack.cancel(run)
    stack.wait(run, lambda states: states == ["cancelled", "cancelled"], 30)
    assert "MANIFEST.json" in stack.paths(run, 0)
    assert eventually(lambda: not descendants(worker.pid), 10)


def test_cancel_of_a_queued_run_needs_no_worker(stack: Stack) -> None:
    run = stack.submit(run_json())
    stack.cancel(run)
    assert stack.states(run) == ["cancelled", "cancelled"]


def test_cancel_is_finished_by_the_reaper_when_the_worker_is_dead(stack: Stack) -> None:
    stack.behave("gate")
    worker = stack.worker()
    run = stack.submit(run_json())
    stack.wait_phase(run, "profile")
    family = stack.kill(worker)
    stack.cancel(run)
    assert stack.nothing_left(family)
    stack.expire_leases()
    assert stack.states(run) == ["cancelled", "cancelled"]


def test_two_workers_claim_at_once_and_one_gets_it(stack: Stack) -> None:
    stack.behave("gate")
    stack.worker("alpha")
    stack.worker("beta")
    run = stack.submit(run_json())
    stack.wait_phase(run, "profile")
    for name in ("alpha", "beta"):
        got = eventually(lambda name=name: "Task workers.execute_next" in stack.log(name).read_text())  # type: ignore[misc]
        assert got, name
    assert stack.states(run) == ["running", "running"]
    stack.go()
    stack.wait(run, lambda states: states == ["succeeded", "succeeded"])
    claims = "".join(stack.log(name).read_text() for name in ("alpha", "beta")).count(f"claims run {run}")
    assert claims == 1


def test_two_workers_of_one_host_measure_one_after_the_other(stack: Stack) -> None:
    stack.behave("gate")
    stack.worker()
    stack.worker()
    first, second = stack.submit(run_json()), stack.submit(run_json())
    stack.wait_phase(first, "profile")
    assert stack.states(second) == ["queued", "queued"]
    stack.go()
    stack.wait(second, lambda states: states == ["succeeded", "succeeded"])
    sql = "select a.ended_at <= b.claimed_at from results_attempt a, results_attempt b " \
          "where a.run_id = %s and b.run_id = %s"  # fmt: skip
    assert stack.query(sql, first, second) == [(True,)]


def real_document(var: Path) -> dict[str, Any]:
    text = workers("example", "--label", "prefix-cache", "--loads", "1", "--window", 6, var=var)
    document: dict[str, Any] = json.loads(text)
    return document


def test_real_measurement_survives_one_killed_worker(stack: Stack) -> None:
    document = real_document(stack.var)
    worker = stack.worker(app=REAL)
    run = stack.submit(document)
    stack.wait_phase(run, "profile", 240)
    family = stack.kill(worker)
    assert len(family) >= 3  # supervisor, engine, client
    assert stack.nothing_left(family)
    stack.expire_leases()
    assert stack.states(run) == ["queued", "failed", "queued"]
    stack.worker(app=REAL)
    stack.wait(run, lambda states: states == ["succeeded", "failed", "succeeded"], 240)
    assert {"MANIFEST.json", "engine/server.log", "loads/c0001/client.log"} <= stack.paths(run, 0)
    assert stack.query("select load, validity from results_point where run_id = %s", run) == [
        (1, "diagnostic")
    ]

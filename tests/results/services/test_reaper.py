import threading

import pytest
from django.db import connection

from results.models import Attempt, AuditEvent, Run, State
from results.services.claims import claim_attempt
from results.services.progress import Beat, heartbeat
from results.services.reaper import reap
from tests.conftest import Clock
from tests.results.services.stage import Stage, facts, states

HELD = [State.CLAIMED, State.RUNNING, State.UPLOADING]


@pytest.mark.parametrize("state", HELD)
def test_attempt_within_its_lease_is_spared(stage: Stage, clock: Clock, state: State) -> None:
    row = stage.attempt(state)
    before = facts(row)
    assert reap(now=clock.advance(90)) == []
    assert facts(row) == before


@pytest.mark.parametrize("state", HELD)
def test_attempt_past_its_lease_is_lost_and_queued_again(stage: Stage, clock: Clock, state: State) -> None:
    row = stage.attempt(state)
    assert reap(now=clock.advance(91)) == [row.id]
    assert states(row.run) == ["queued", "failed", "queued"]
    after = Attempt.objects.get(id=row.id)
    assert after.failure_class == "worker_lost"
    assert "no heartbeat from host h1 since 2026-11-01 12:00:01 UTC" in after.failure_line


def test_line_names_the_phase_that_was_lost(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.RUNNING)
    heartbeat(attempt=row.id, number=0, beat=Beat(phase="profile", load=2))
    reap(now=clock.advance(91))
    assert Attempt.objects.get(id=row.id).failure_line.endswith("(during profile)")


@pytest.mark.parametrize("state", [State.QUEUED, State.SUCCEEDED, State.FAILED, State.CANCELLED])
def test_what_is_not_held_is_spared_for_ever(stage: Stage, clock: Clock, state: State) -> None:
    row = stage.attempt(state)
    before = facts(row)
    assert reap(now=clock.advance(1e7)) == []
    assert facts(row) == before


def test_heartbeats_do_not_move_the_deadline(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.RUNNING)
    for _ in range(12):  # 12 x 60 s: beyond the 600 s limit and its 60 s grace
        clock.advance(60)
        heartbeat(attempt=row.id, number=0, beat=Beat())
    assert reap(now=clock.now()) == [row.id]
    run = Run.objects.get(id=row.run_id)
    assert states(run) == ["failed", "failed"]
    assert run.failure_class == "timeout"


def test_deadline_counts_from_the_claim_with_grace(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.RUNNING)
    for _ in range(11):  # exactly 660 s
        clock.advance(60)
        heartbeat(attempt=row.id, number=0, beat=Beat())
    assert reap(now=clock.now()) == []


def test_worker_lost_long_ago_is_lost_and_not_late(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.RUNNING)
    reap(now=clock.advance(86_400))
    assert Attempt.objects.get(id=row.id).failure_class == "worker_lost"


@pytest.mark.parametrize("state", HELD)
def test_lost_attempt_of_a_run_to_be_cancelled_is_cancelled(stage: Stage, clock: Clock, state: State) -> None:
    row = stage.attempt(state, cancel=True)
    reap(now=clock.advance(91))
    assert states(row.run) == ["cancelled", "cancelled"]


def test_reaping_twice_is_reaping_once(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.RUNNING)
    later = clock.advance(91)
    assert reap(now=later) == [row.id]
    before = facts(row)
    assert reap(now=later) == []
    assert facts(row) == before
    assert row.run.attempts.count() == 2
    assert AuditEvent.objects.filter(verb="reaped_worker_lost").count() == 1


def test_three_lost_attempts_fail_the_run(stage: Stage, clock: Clock) -> None:
    run = stage.run()
    for _ in range(3):
        stage.claim()
        reap(now=clock.advance(91))
    assert states(run) == ["failed"] * 4
    assert claim_attempt(host="h1") is None


def test_only_the_silent_one_is_reaped(stage: Stage, clock: Clock) -> None:
    silent = stage.attempt(State.RUNNING)
    other = stage.run(host=None)
    from results.services.hosts import register_host

    register_host(name="h2", hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    talking = stage.claim("h2")
    clock.advance(80)
    heartbeat(attempt=talking.attempt, number=0, beat=Beat())
    assert reap(now=clock.advance(15)) == [silent.id]
    assert states(other) == ["claimed", "claimed"]


@pytest.mark.django_db(transaction=True)
def test_ten_reapers_at_once_queue_one_retry(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.RUNNING)
    later = clock.advance(91)
    barrier = threading.Barrier(10)
    reaped: list[int] = []

    def work() -> None:
        try:
            barrier.wait(timeout=30)
            reaped.extend(reap(now=later))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert reaped == [row.id]
    assert states(row.run) == ["queued", "failed", "queued"]

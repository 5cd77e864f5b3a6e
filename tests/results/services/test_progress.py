from datetime import timedelta

import pytest
from django.db import DataError, IntegrityError, transaction

from results.models import Attempt, AuditEvent, Host, Run, State
from results.services.progress import LOG_TAIL, Beat, Reply, begin_upload, heartbeat, start_attempt
from results.services.reaper import reap
from results.services.transitions import Outcome
from tests.conftest import Clock
from tests.results.services.stage import Stage, facts, states

ALIVE = Reply(cancel=False, lost=False)
LOST = Reply(cancel=False, lost=True)


def test_start_makes_claimed_running_and_dates_the_run(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.CLAIMED)
    assert start_attempt(attempt=row.id, number=0) == Outcome.ACCEPTED
    assert states(row.run) == ["running", "running"]
    assert Run.objects.get(id=row.run_id).started_at == clock.now()


def test_a_retry_keeps_the_date_of_the_first_start(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.RUNNING)
    first = Run.objects.get(id=row.run_id).started_at
    reap(now=clock.advance(91))
    again = stage.claim()
    clock.advance(5)
    start_attempt(attempt=again.attempt, number=again.number)
    assert Run.objects.get(id=row.run_id).started_at == first


def test_start_twice_is_refused(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    assert start_attempt(attempt=row.id, number=0) == Outcome.REFUSED
    assert AuditEvent.objects.get().verb == "refused_start"


def test_start_with_another_number_is_refused(stage: Stage) -> None:
    row = stage.attempt(State.CLAIMED)
    before = facts(row)
    assert start_attempt(attempt=row.id, number=1) == Outcome.REFUSED
    assert facts(row) == before


def test_upload_follows_running(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    assert begin_upload(attempt=row.id, number=0) == Outcome.ACCEPTED
    assert states(row.run) == ["uploading", "uploading"]


def test_upload_before_start_is_refused(stage: Stage) -> None:
    row = stage.attempt(State.CLAIMED)
    assert begin_upload(attempt=row.id, number=0) == Outcome.REFUSED
    assert states(row.run) == ["claimed", "claimed"]


@pytest.mark.parametrize("state", [State.CLAIMED, State.RUNNING, State.UPLOADING])
def test_heartbeat_renews_the_lease_and_not_the_deadline(stage: Stage, clock: Clock, state: State) -> None:
    row = stage.attempt(state)
    clock.advance(80)
    assert heartbeat(attempt=row.id, number=0, beat=Beat()) == ALIVE
    after = Attempt.objects.get(id=row.id)
    assert after.lease_expires_at == clock.now() + timedelta(seconds=90)
    assert after.deadline_at == row.deadline_at
    assert Host.objects.get(name="h1").last_seen_at == clock.now()


def test_heartbeat_shows_what_is_going_on(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    phases = [{"name": "engine", "load": None, "started_at": "2026-11-01T12:00:00Z", "ended_at": None}]
    beat = Beat("profile", 2, 0.43, 31.0, {"running": 3}, "ready\x00\n", phases)
    heartbeat(attempt=row.id, number=0, beat=beat)
    after = Attempt.objects.get(id=row.id)
    assert (after.phase, after.phase_load, after.progress, after.eta_seconds) == ("profile", 2, 0.43, 31.0)
    assert (after.telemetry, after.log_tail, after.phases) == ({"running": 3}, "ready\ufffd\n", phases)


def test_heartbeat_keeps_the_end_of_a_long_log(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    heartbeat(attempt=row.id, number=0, beat=Beat(log_tail="a" * LOG_TAIL + "the end"))
    after = Attempt.objects.get(id=row.id).log_tail
    assert len(after) == LOG_TAIL
    assert after.endswith("the end")


@pytest.mark.parametrize(
    "beat", [Beat(progress=float("nan")), Beat(eta_seconds=float("inf")), Beat(telemetry={"x": float("nan")})]
)
def test_heartbeat_refuses_numbers_that_are_none(stage: Stage, beat: Beat) -> None:
    row = stage.attempt(State.RUNNING)
    before = facts(row)
    with pytest.raises(ValueError, match="not JSON compliant"):
        heartbeat(attempt=row.id, number=0, beat=beat)
    assert facts(row) == before


def test_progress_over_one_is_refused_by_the_database(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    with pytest.raises((IntegrityError, DataError)), transaction.atomic():
        heartbeat(attempt=row.id, number=0, beat=Beat(progress=1.2))


def test_heartbeat_says_cancel_once_it_was_asked_for(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    stage.want_cancel(row.run)
    assert heartbeat(attempt=row.id, number=0, beat=Beat()) == Reply(cancel=True, lost=False)


@pytest.mark.parametrize("state", [State.QUEUED, State.SUCCEEDED, State.FAILED, State.CANCELLED])
def test_heartbeat_of_an_attempt_that_is_not_held_is_fenced(stage: Stage, state: State) -> None:
    row = stage.attempt(state)
    before = facts(row)
    assert heartbeat(attempt=row.id, number=0, beat=Beat(phase="profile")) == LOST
    assert facts(row) == before
    assert AuditEvent.objects.filter(verb="fenced_heartbeat").count() == 1


def test_heartbeat_with_another_number_is_fenced(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    assert heartbeat(attempt=row.id, number=1, beat=Beat()) == LOST


def test_superseded_attempt_is_fenced_and_the_new_one_is_not(stage: Stage, clock: Clock) -> None:
    old = stage.attempt(State.RUNNING)
    reap(now=clock.advance(91))
    new = stage.claim()
    before = Attempt.objects.values().get(id=new.attempt)
    assert heartbeat(attempt=old.id, number=0, beat=Beat(phase="profile")) == LOST
    assert Attempt.objects.values().get(id=new.attempt) == before
    assert heartbeat(attempt=new.attempt, number=1, beat=Beat()) == ALIVE


def test_heartbeat_after_expiry_but_before_the_reaper_keeps_the_attempt(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.RUNNING)
    clock.advance(200)
    assert heartbeat(attempt=row.id, number=0, beat=Beat()) == ALIVE
    assert reap(now=clock.now()) == []

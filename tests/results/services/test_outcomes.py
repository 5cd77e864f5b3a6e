import pytest

from results.documents.failures import INFRASTRUCTURE, FailureClass
from results.models import Attempt, AuditEvent, Run, State
from results.services.outcomes import LINE, complete_attempt, fail_attempt, finish_cancel
from results.services.progress import begin_upload, start_attempt
from results.services.reaper import reap
from results.services.transitions import Outcome
from tests.conftest import Clock
from tests.results.services.stage import MANIFEST, Stage, facts, states

BENCHMARK = sorted(set(FailureClass) - INFRASTRUCTURE - {FailureClass.CANCELLED})
HELD = [State.CLAIMED, State.RUNNING, State.UPLOADING]


def fail(row: Attempt, failure: FailureClass, line: str = "why", number: int | None = None) -> Outcome:
    fence = row.number if number is None else number
    return fail_attempt(attempt=row.id, number=fence, failure_class=failure, line=line)


def complete(row: Attempt, manifest: str = MANIFEST) -> Outcome:
    return complete_attempt(attempt=row.id, number=row.number, manifest=manifest)


def test_complete_ends_run_and_attempt(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.UPLOADING)
    stage.store_manifest(row)
    assert complete(row) == Outcome.ACCEPTED
    run = Run.objects.get(id=row.run_id)
    assert states(run) == ["succeeded", "succeeded"]
    assert run.ended_at == clock.now()


def test_complete_without_stored_evidence_is_refused(stage: Stage) -> None:
    row = stage.attempt(State.UPLOADING)
    assert complete(row) == Outcome.REFUSED
    assert states(row.run) == ["uploading", "uploading"]


def test_duplicate_complete_changes_nothing(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.SUCCEEDED)
    before = facts(row)
    clock.advance(5)
    assert complete(row) == Outcome.DUPLICATE
    assert facts(row) == before


def test_complete_with_another_manifest_is_a_conflict(stage: Stage) -> None:
    row = stage.attempt(State.SUCCEEDED)
    before = facts(row)
    assert complete(row, "cd" * 32) == Outcome.CONFLICT
    assert facts(row) == before
    assert AuditEvent.objects.get().verb == "conflicting_complete"


def test_complete_with_another_number_is_refused(stage: Stage) -> None:
    row = stage.attempt(State.UPLOADING)
    stage.store_manifest(row)
    assert complete_attempt(attempt=row.id, number=7, manifest=MANIFEST) == Outcome.REFUSED
    assert states(row.run) == ["uploading", "uploading"]


def test_complete_wins_over_a_cancel_that_came_too_late(stage: Stage) -> None:
    row = stage.attempt(State.UPLOADING, cancel=True)
    stage.store_manifest(row)
    assert complete(row) == Outcome.ACCEPTED
    assert states(row.run) == ["succeeded", "succeeded"]


def lost(stage: Stage, clock: Clock) -> Attempt:
    """An attempt that was given up while its host worked on, evidence stored."""
    row = stage.attempt(State.UPLOADING)
    stage.store_manifest(row)
    reap(now=clock.advance(91))
    row.refresh_from_db()
    return row


def test_late_result_before_the_next_claim_is_used_and_noted(stage: Stage, clock: Clock) -> None:
    row = lost(stage, clock)
    assert complete(row) == Outcome.LATE
    assert states(row.run) == ["succeeded", "succeeded", "cancelled"]
    assert AuditEvent.objects.filter(verb="late_result_accepted").count() == 1
    assert Run.objects.get(id=row.run_id).failure_class == ""


def test_late_result_after_the_next_claim_is_kept_but_not_used(stage: Stage, clock: Clock) -> None:
    row = lost(stage, clock)
    stage.claim()
    before = facts(row)
    assert complete(row) == Outcome.UNUSED
    assert facts(row) == before
    assert row.artifacts.count() == 1


def test_late_result_of_the_last_attempt_saves_a_failed_run(stage: Stage, clock: Clock) -> None:
    row = lost(stage, clock)
    for _ in range(2):
        claim = stage.claim()
        start_attempt(attempt=claim.attempt, number=claim.number)
        begin_upload(attempt=claim.attempt, number=claim.number)
        reap(now=clock.advance(91))
    assert states(row.run) == ["failed"] * 4
    last = row.run.attempts.get(number=2)
    stage.store_manifest(last)
    assert complete(last) == Outcome.LATE
    assert states(row.run) == ["succeeded", "failed", "failed", "succeeded"]


def test_late_result_of_an_attempt_that_ran_out_of_time_is_refused(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.UPLOADING)
    stage.store_manifest(row)
    Attempt.objects.filter(id=row.id).update(lease_expires_at=clock.advance(1000))
    reap(now=clock.now())
    assert complete(row) == Outcome.REFUSED
    assert states(row.run) == ["failed", "failed"]


def test_late_result_of_a_cancelled_run_is_refused(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.UPLOADING, cancel=True)
    stage.store_manifest(row)
    reap(now=clock.advance(91))
    assert complete(row) == Outcome.REFUSED
    assert states(row.run) == ["cancelled", "cancelled"]


@pytest.mark.parametrize("state", HELD)
@pytest.mark.parametrize("failure", sorted(INFRASTRUCTURE))
def test_infrastructure_failure_is_queued_again(stage: Stage, failure: FailureClass, state: State) -> None:
    row = stage.attempt(state)
    assert fail(row, failure) == Outcome.ACCEPTED
    assert states(row.run) == ["queued", "failed", "queued"]


@pytest.mark.parametrize("failure", BENCHMARK)
def test_benchmark_failure_is_never_retried(stage: Stage, failure: FailureClass) -> None:
    row = stage.attempt(State.RUNNING)
    fail(row, failure, "llama_server: out of memory")
    run = Run.objects.get(id=row.run_id)
    assert states(run) == ["failed", "failed"]
    assert (run.failure_class, run.failure_line) == (failure, "llama_server: out of memory")


def test_retries_end_with_the_third_attempt(stage: Stage) -> None:
    run = stage.run()
    for number in range(3):
        claim = stage.claim()
        assert claim.number == number
        fail_attempt(
            attempt=claim.attempt,
            number=claim.number,
            failure_class=FailureClass.WORKER_LOST,
            line=f"worker died, time {number}",
        )
    run.refresh_from_db()
    assert states(run) == ["failed"] * 4
    assert (run.failure_class, run.failure_line) == ("worker_lost", "worker died, time 2")


def test_retry_is_hinted_after_commit(
    stage: Stage, hinted: list[str], django_capture_on_commit_callbacks: object
) -> None:
    row = stage.attempt(State.RUNNING)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        fail(row, FailureClass.ENVIRONMENT)
        assert hinted == []
    assert hinted == ["h1"]


def test_retried_run_keeps_its_place_in_the_queue(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    stage.run()
    fail(row, FailureClass.PORT_IN_USE)
    assert stage.claim().run == row.run_id


@pytest.mark.parametrize("failure", [FailureClass.WORKER_LOST, FailureClass.CLIENT])
def test_failure_after_a_cancel_request_ends_as_cancelled(stage: Stage, failure: FailureClass) -> None:
    row = stage.attempt(State.RUNNING, cancel=True)
    assert fail(row, failure) == Outcome.ACCEPTED
    assert states(row.run) == ["cancelled", "cancelled"]


@pytest.mark.parametrize("state", [State.QUEUED, State.SUCCEEDED, State.FAILED, State.CANCELLED])
def test_failing_what_is_not_held_is_refused(stage: Stage, state: State) -> None:
    row = stage.attempt(state)
    before = facts(row)
    assert fail(row, FailureClass.CLIENT) == Outcome.REFUSED
    assert facts(row) == before


def test_superseded_attempt_cannot_fail_the_run(stage: Stage, clock: Clock) -> None:
    old = lost(stage, clock)
    stage.claim()
    assert fail(old, FailureClass.CLIENT) == Outcome.REFUSED
    assert states(old.run) == ["claimed", "failed", "claimed"]


def test_failing_with_another_number_is_refused(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    assert fail(row, FailureClass.CLIENT, number=1) == Outcome.REFUSED
    assert states(row.run) == ["running", "running"]


def test_failure_line_is_one_bounded_printable_line(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    fail(row, FailureClass.CLIENT, "a\x00b\n\tc" + "x" * 5000)
    line = Attempt.objects.get(id=row.id).failure_line
    assert line.startswith("a\ufffdb c")
    assert len(line) == LINE


@pytest.mark.parametrize("state", HELD)
def test_cancel_in_each_held_state(stage: Stage, state: State) -> None:
    row = stage.attempt(state, cancel=True)
    assert finish_cancel(attempt=row.id, number=0) == Outcome.ACCEPTED
    run = Run.objects.get(id=row.run_id)
    assert states(run) == ["cancelled", "cancelled"]
    assert run.failure_class == "cancelled"


def test_cancel_that_nobody_asked_for_is_refused(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    assert finish_cancel(attempt=row.id, number=0) == Outcome.REFUSED
    assert states(row.run) == ["running", "running"]


def test_cancel_twice_is_refused_and_harmless(stage: Stage) -> None:
    row = stage.attempt(State.CANCELLED)
    before = facts(row)
    assert finish_cancel(attempt=row.id, number=0) == Outcome.REFUSED
    assert facts(row) == before

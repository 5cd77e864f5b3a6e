"""Whatever order the verbs come in, from hosts new and old, the rows stay consistent."""

from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from results.documents.failures import MAX_ATTEMPTS, FailureClass
from results.models import FINAL, LIVE, Attempt, Run, State
from results.services.claims import claim_attempt
from results.services.outcomes import complete_attempt, fail_attempt, finish_cancel
from results.services.progress import Beat, begin_upload, heartbeat, start_attempt
from results.services.reaper import reap
from tests.results.services.stage import MANIFEST, Stage, states

VERBS = ["claim", "start", "beat", "upload", "complete", "break", "lose", "cancel", "finish", "expire"]
#: A verb, and which attempt it speaks for, counted back from the latest: 1 and 2 are fenced-off hosts.
STEPS = st.lists(st.tuples(st.sampled_from(VERBS), st.sampled_from([0, 0, 0, 1, 2])), max_size=25)


def act(stage: Stage, run: Run, verb: str, back: int) -> None:
    rows = list(run.attempts.order_by("-number"))
    row = rows[min(back, len(rows) - 1)]
    if verb == "claim":
        claim_attempt(host="h1")
    elif verb == "start":
        start_attempt(attempt=row.id, number=row.number)
    elif verb == "beat":
        heartbeat(attempt=row.id, number=row.number, beat=Beat(phase="profile"))
    elif verb == "upload":
        begin_upload(attempt=row.id, number=row.number)
    elif verb == "complete":
        if not row.artifacts.exists():
            stage.store_manifest(row)
        complete_attempt(attempt=row.id, number=row.number, manifest=MANIFEST)
    elif verb in ("break", "lose"):
        why = FailureClass.CLIENT if verb == "break" else FailureClass.WORKER_LOST
        fail_attempt(attempt=row.id, number=row.number, failure_class=why, line=verb)
    elif verb == "cancel":
        stage.want_cancel(run)
    elif verb == "finish":
        finish_cancel(attempt=row.id, number=row.number)
    else:
        reap(now=stage.clock.advance(91))


def check(run_id: UUID, ended_before: bool) -> bool:
    """The invariants; whether the run has ended for good."""
    run = Run.objects.get(id=run_id)
    rows = list(Attempt.objects.filter(run=run).order_by("number"))
    assert [row.number for row in rows] == list(range(len(rows)))
    assert len(rows) <= MAX_ATTEMPTS
    assert all(row.state in FINAL for row in rows[:-1])
    succeeded = [row for row in rows if row.state == State.SUCCEEDED]
    if run.state == State.SUCCEEDED:
        assert len(succeeded) == 1
        assert not any(row.state in LIVE for row in rows)
    else:
        assert run.state == rows[-1].state
        assert not succeeded
    assert not ended_before or run.state in (State.SUCCEEDED, State.CANCELLED)
    return run.state in (State.SUCCEEDED, State.CANCELLED)


@pytest.mark.django_db
@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_rows_stay_consistent(stage: Stage, steps: list[tuple[str, int]]) -> None:
    with transaction.atomic():
        run, ended = stage.run(), False
        for verb, back in steps:
            last = states(run)
            act(stage, run, verb, back)
            assert not ended or states(run) == last
            ended = check(run.id, ended)
        transaction.set_rollback(True)

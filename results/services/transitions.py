"""The state machine of an attempt, and the one statement that moves it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from django.db.models import F, Value
from django.db.models.functions import Greatest

from results import clock
from results.documents.failures import FailureClass
from results.models import FINAL, LIVE, Attempt, Run, State

#: Where each state may lead. Nothing leaves succeeded or cancelled; failed is left only by a late result.
LEGAL: Mapping[State, frozenset[State]] = {
    State.QUEUED: frozenset({State.CLAIMED, State.CANCELLED}),
    State.CLAIMED: frozenset({State.RUNNING, State.FAILED, State.CANCELLED}),
    State.RUNNING: frozenset({State.UPLOADING, State.FAILED, State.CANCELLED}),
    State.UPLOADING: frozenset({State.SUCCEEDED, State.FAILED, State.CANCELLED}),
    State.FAILED: frozenset(),
    State.SUCCEEDED: frozenset(),
    State.CANCELLED: frozenset(),
}


class Outcome(StrEnum):
    """What became of a verb."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    LATE = "late"
    UNUSED = "unused"
    CONFLICT = "conflict"
    REFUSED = "refused"


def move(*, attempt: int, number: int, to: State, **values: Any) -> bool:
    """Conditional update of one attempt; False, and nothing written, where ``to`` cannot follow."""
    sources = [state for state, targets in LEGAL.items() if to in targets]
    rows = Attempt.objects.filter(id=attempt, number=number, state__in=sources)
    if to in FINAL:
        # The clocks of two machines may differ by more than a short attempt lasts.
        values.setdefault("ended_at", Greatest(Value(clock.now()), F("created_at")))
    return rows.update(state=to, **values) == 1


def revive(*, attempt: int, number: int) -> bool:
    """A lost attempt that delivered after all: failed(worker_lost) becomes succeeded."""
    rows = Attempt.objects.filter(
        id=attempt, number=number, state=State.FAILED, failure_class=FailureClass.WORKER_LOST
    )
    values = {"state": State.SUCCEEDED, "ended_at": clock.now(), "failure_class": "", "failure_line": ""}
    return rows.update(**values, progress=1.0) == 1


def follow(*, run: Run, state: State, **values: Any) -> None:
    """Let a live run show the state of its latest attempt."""
    if state in FINAL:
        values.setdefault("ended_at", clock.now())
    Run.objects.filter(id=run.id, state__in=LIVE).update(state=state, **values)


def lock_run(*, attempt: int) -> Run:
    """The attempt's run, locked. Every verb that may touch both rows locks the run first.

    ``NO KEY`` leaves room for points and artifacts that are inserted meanwhile.
    """
    return Run.objects.select_for_update(no_key=True, of=("self",)).get(attempts__id=attempt)

"""Every verb in every state: the table of legal moves, and SQL that keeps to it."""

from collections.abc import Callable
from typing import Any

import pytest

from results.documents.failures import FailureClass
from results.models import HELD, State
from results.services.outcomes import complete_attempt, fail_attempt, finish_cancel
from results.services.progress import begin_upload, start_attempt
from results.services.transitions import LEGAL, Outcome, move
from tests.results.services.stage import MANIFEST, Stage, facts

ILLEGAL = [(source, target) for source in State for target in State if target not in LEGAL[source]]


@pytest.mark.parametrize(("source", "target"), ILLEGAL)
def test_illegal_move_updates_no_row(stage: Stage, source: State, target: State) -> None:
    row = stage.attempt(source)
    before = facts(row)
    assert move(attempt=row.id, number=0, to=target) is False
    assert facts(row) == before


@pytest.mark.parametrize("target", State)
def test_no_move_without_the_fencing_number(stage: Stage, target: State) -> None:
    row = stage.attempt(State.RUNNING)
    before = facts(row)
    assert move(attempt=row.id, number=1, to=target) is False
    assert facts(row) == before


def test_an_end_by_a_slower_clock_is_not_before_the_beginning(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    stage.clock.advance(-3600)
    assert move(attempt=row.id, number=0, to=State.FAILED, failure_class="client")
    row.refresh_from_db()
    assert row.ended_at == row.created_at


VERBS: dict[str, tuple[Callable[..., Outcome], dict[str, Any], set[State]]] = {
    "start": (start_attempt, {}, {State.CLAIMED}),
    "upload": (begin_upload, {}, {State.RUNNING}),
    "complete": (complete_attempt, {"manifest": MANIFEST}, {State.UPLOADING, State.SUCCEEDED}),
    "fail": (fail_attempt, {"failure_class": FailureClass.CLIENT, "line": "x"}, set(HELD)),
    "cancel": (finish_cancel, {}, set(HELD)),
}


OUT_OF_TURN = [(verb, state) for verb in VERBS for state in State if state not in VERBS[verb][2]]


@pytest.mark.parametrize(("verb", "state"), OUT_OF_TURN)
def test_verbs_out_of_turn_are_refused_and_write_nothing(stage: Stage, verb: str, state: State) -> None:
    call, arguments, _allowed = VERBS[verb]
    row = stage.attempt(state)
    before = facts(row)
    if verb == "complete":
        stage.store_manifest(row)
    assert call(attempt=row.id, number=0, **arguments) == Outcome.REFUSED
    assert facts(row) == before

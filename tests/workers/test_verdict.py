from typing import Any

import pytest

from results.documents.failures import FailureClass
from workers.verdict import CANCELLED, SHUT_DOWN, Failure, Reason, verdict


def end(outcome: str, failure: str | None = None, line: str = "why") -> dict[str, Any]:
    return {"outcome": outcome, "failure": {"class": failure, "line": line} if failure else None}


def judged(
    reason: Reason | None = None, last: dict[str, Any] | None = None, code: int = 1, said: str = ""
) -> Failure | None:
    return verdict(reason=reason, end=last, code=code, said=said)


@pytest.mark.parametrize("reason", [None, *Reason])
def test_success_counts_even_when_we_asked_to_stop(reason: Reason | None) -> None:
    assert judged(reason, end("succeeded"), 0) is None


@pytest.mark.parametrize("failure", sorted(set(FailureClass) - {FailureClass.CANCELLED}))
def test_the_supervisors_own_failure_is_passed_on(failure: FailureClass) -> None:
    assert judged(last=end("failed", failure)) == Failure(failure, "why")


def test_cancel_and_shutdown_explain_what_the_supervisor_says() -> None:
    assert judged(Reason.CANCEL, end("cancelled", "cancelled")) == CANCELLED
    assert judged(Reason.SHUTDOWN, end("cancelled", "cancelled")) == SHUT_DOWN
    assert judged(Reason.CANCEL, None, -9) == CANCELLED


def test_a_stop_that_nobody_here_asked_for_is_the_hosts_fault() -> None:
    told = judged(last=end("cancelled", "cancelled"), code=3)
    assert told is not None
    assert told.failure == FailureClass.WORKER_LOST


def test_timeout_keeps_the_supervisors_line() -> None:
    assert judged(Reason.TIMEOUT, end("failed", "client", "slow")) == Failure(FailureClass.TIMEOUT, "slow")
    assert judged(Reason.TIMEOUT, None, -9) == Failure(FailureClass.TIMEOUT, "the hard limit passed")


def test_silence_is_read_from_the_exit_code() -> None:
    assert judged(code=2, said="run.json: /loads: wrong") == Failure(
        FailureClass.BAD_DOCUMENT, "run.json: /loads: wrong"
    )
    assert judged(code=-9) == Failure(FailureClass.WORKER_LOST, "the supervisor ended with signal 9")
    assert judged(code=0, said="x") == Failure(
        FailureClass.WORKER_LOST, "the supervisor ended with exit code 0: x"
    )


def test_a_class_of_a_newer_supervisor_is_no_reason_to_retry() -> None:
    told = judged(last=end("failed", "sunspots", "bright"))
    assert told == Failure(FailureClass.CLIENT, "sunspots: bright")

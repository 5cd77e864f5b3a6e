import errno
from collections.abc import Callable

import pytest

from results.documents.failures import FailureClass
from workers.failures import ExecutionFailure
from workers.outcome import Outcome, outcome_of


def raises(error: Exception) -> Callable[[], None]:
    def work() -> None:
        raise error

    return work


def ended(error: Exception, *, full: bool = False) -> tuple[str, FailureClass, str]:
    outcome = outcome_of(raises(error), lambda: full)
    assert outcome.failure is not None
    return outcome.name, outcome.failure.failure, outcome.failure.line


def test_work_without_trouble_succeeds() -> None:
    assert outcome_of(lambda: None, lambda: True) == Outcome("succeeded")
    assert Outcome("succeeded").to_json() == {"outcome": "succeeded", "failure": None}


@pytest.mark.parametrize("kind", [FailureClass.CANCELLED, FailureClass.WORKER_LOST])
def test_who_was_asked_to_stop_is_cancelled(kind: FailureClass) -> None:
    assert ended(ExecutionFailure(kind, "why"), full=True) == ("cancelled", kind, "why")


@pytest.mark.parametrize("kind", [FailureClass.CLIENT, FailureClass.ENGINE_DIED, FailureClass.RESULT_MISSING])
def test_a_full_disk_is_the_cause_behind_the_cause(kind: FailureClass) -> None:
    failure = ExecutionFailure(kind, "it broke")
    assert ended(failure) == ("failed", kind, "it broke")
    assert ended(failure, full=True) == (
        "failed", FailureClass.DISK_FULL, "no space left on device, then it broke"
    )  # fmt: skip


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_writing_on_a_full_disk(number: int) -> None:
    assert ended(OSError(number, "full", "run.json")) == ("failed", FailureClass.DISK_FULL, "full: run.json")


def test_other_trouble_of_the_host() -> None:
    assert ended(PermissionError(errno.EACCES, "denied", "x"))[1] == FailureClass.ENVIRONMENT


def test_a_defect_of_ours_is_an_outcome_with_its_traceback() -> None:
    outcome = outcome_of(raises(KeyError("gone")), lambda: False)
    assert outcome.failure is not None
    assert outcome.failure.line == "supervisor: KeyError('gone')"
    assert "raise error" in outcome.failure.detail

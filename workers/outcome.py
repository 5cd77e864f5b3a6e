"""How an attempt ended, and which failure class an error stands for."""

import errno
import logging
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from results.documents.failures import FailureClass
from workers.failures import ExecutionFailure

logger = logging.getLogger(__name__)

_FULL = (errno.ENOSPC, errno.EDQUOT)
_CANCELLED = (FailureClass.CANCELLED, FailureClass.WORKER_LOST)
#: What a program dies of when it cannot write; a full disk then is the cause behind the cause.
_MAY_BE_A_FULL_DISK = (
    FailureClass.SERVER_START,
    FailureClass.WARMUP,
    FailureClass.CLIENT,
    FailureClass.ENGINE_DIED,
    FailureClass.RESULT_MISSING,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """``name`` is succeeded, failed or cancelled."""

    name: str
    failure: ExecutionFailure | None = None

    def to_json(self) -> dict[str, Any]:
        failure = self.failure
        text = failure and {"class": failure.failure.value, "line": failure.line, "detail": failure.detail}
        return {"outcome": self.name, "failure": text}


def outcome_of(work: Callable[[], None], disk_is_full: Callable[[], bool]) -> Outcome:
    """Do ``work``; whatever goes wrong becomes an outcome, because evidence must still be written."""
    try:
        work()
    except ExecutionFailure as failure:
        if failure.failure in _MAY_BE_A_FULL_DISK and disk_is_full():
            line = f"no space left on device, then {failure.line}"
            return _failed(FailureClass.DISK_FULL, line, failure.detail)
        return Outcome("cancelled" if failure.failure in _CANCELLED else "failed", failure)
    except OSError as error:
        kind = FailureClass.DISK_FULL if error.errno in _FULL else FailureClass.ENVIRONMENT
        name = f": {error.filename}" if error.filename else ""
        return _failed(kind, f"{error.strerror or error}{name}", traceback.format_exc())
    except Exception as error:
        logger.exception("the supervisor itself failed")
        return _failed(FailureClass.ENVIRONMENT, f"supervisor: {error!r}", traceback.format_exc())
    return Outcome("succeeded")


def _failed(kind: FailureClass, line: str, detail: str) -> Outcome:
    return Outcome("failed", ExecutionFailure(kind, line, detail[-4000:]))

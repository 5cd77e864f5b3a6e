"""How an attempt ended, from what its supervisor said and from what we asked of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from results.documents.failures import FailureClass


class Reason(StrEnum):
    """Why the worker told its supervisor to stop."""

    CANCEL = "cancel"
    LOST = "lost"
    SHUTDOWN = "shutdown"
    TIMEOUT = "timeout"


@dataclass(frozen=True)
class Failure:
    """``line`` is one causal line for people."""

    failure: FailureClass
    line: str


SHUT_DOWN = Failure(FailureClass.WORKER_LOST, "the worker was shut down")
CANCELLED = Failure(FailureClass.CANCELLED, "")


def verdict(*, reason: Reason | None, end: Mapping[str, Any] | None, code: int, said: str) -> Failure | None:
    """None for success, which counts even when we asked to stop just then.

    ``end`` is the supervisor's last event, ``code`` its exit code, ``said`` its last line to people.
    """
    if end is not None and end.get("outcome") == "succeeded":
        return None
    if reason == Reason.CANCEL:
        return CANCELLED
    if reason == Reason.SHUTDOWN:
        return SHUT_DOWN
    told = _told(end)
    if reason == Reason.TIMEOUT:
        return Failure(FailureClass.TIMEOUT, told.line if told else "the hard limit passed")
    return told or _silent(code, said)


def _told(end: Mapping[str, Any] | None) -> Failure | None:
    """The failure in the end event. A cancellation that we did not ask for means a lost supervisor."""
    failure = end.get("failure") if end is not None else None
    if not isinstance(failure, Mapping):
        return None
    line = str(failure.get("line", ""))
    try:
        told = FailureClass(str(failure.get("class")))
    except ValueError:
        return Failure(FailureClass.CLIENT, f"{failure.get('class')}: {line}")
    if told == FailureClass.CANCELLED:
        return Failure(FailureClass.WORKER_LOST, "the supervisor was told to stop by somebody else")
    return Failure(told, line)


def _silent(code: int, said: str) -> Failure:
    """It ended without an end event."""
    if code == 2:
        return Failure(FailureClass.BAD_DOCUMENT, said or "the supervisor refused the run document")
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return Failure(
        FailureClass.WORKER_LOST, f"the supervisor ended with {how}" + (f": {said}" if said else "")
    )

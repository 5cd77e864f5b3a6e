"""Waiting for a server: until it answers, dies, stops making progress, or the time is up."""

import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from results.documents.failures import FailureClass
from workers.engines.diagnosis import first_causal_line
from workers.failures import ExecutionFailure
from workers.launchers.process import ManagedProcess

HARD_LIMIT_SECONDS = 3600.0
#: A server that has written nothing to its log for so long is stuck, not slow.
STALL_SECONDS = 900.0


def answers(url: str, timeout: float = 2.0) -> bool:
    """Whether ``url`` answers 200."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as response:  # noqa: S310 - http(s) by construction
            return int(response.status) == 200
    except (urllib.error.URLError, OSError, ValueError):
        return False


def wait_healthy(
    url: str,
    process: ManagedProcess | None,
    *,
    check: Callable[[], None],
    limit: float = HARD_LIMIT_SECONDS,
    stall: float = STALL_SECONDS,
) -> float:
    """Seconds until ``url`` answered; ``check`` is called often and may raise to end the wait."""
    begin = time.monotonic()
    progress_at, size = begin, -1
    while not answers(url):
        check()
        if process is not None and process.poll() is not None:
            raise died(process, FailureClass.SERVER_START, "before it was healthy")
        now = time.monotonic()
        if process is not None and (grown := _size(process.log)) != size:
            progress_at, size = now, grown
        if now - begin > limit or now - progress_at > min(stall, limit):
            line = f"the server did not become healthy within {now - begin:.0f} s"
            raise ExecutionFailure(FailureClass.SERVER_START, line)
        time.sleep(0.2)
    return time.monotonic() - begin


def died(process: ManagedProcess, failure: FailureClass, when: str) -> ExecutionFailure:
    """The failure of an engine that ended by itself, with the first causal line of its log."""
    cause = first_causal_line(process.log)
    line = f"the engine ended {when} ({exit_text(process.poll())})"
    if cause and "address already in use" in cause.lower():
        return ExecutionFailure(FailureClass.PORT_IN_USE, cause)
    return ExecutionFailure(failure, f"{line}: {cause}" if cause else line)


def exit_text(code: int | None) -> str:
    if code is None:
        return "still running"
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0

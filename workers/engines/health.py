"""Waiting for a server: until it answers, dies, stops making progress, or the time is up."""

import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from results.documents.failures import FailureClass
from workers import direct
from workers.engines.diagnosis import first_causal_line, names_a_taken_port
from workers.failures import ExecutionFailure
from workers.launchers.process import ManagedProcess

HARD_LIMIT_SECONDS = 3600.0
#: A server that has written nothing to its log for so long is stuck, not slow.
STALL_SECONDS = 900.0


def answers(url: str, timeout: float = 2.0) -> bool:
    """Whether ``url`` answers 200."""
    try:
        direct.get(url, timeout)
    except direct.NO_ANSWER:
        return False
    return True


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
    while not (answers(url) and _is_ours(url, process)):
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


def _is_ours(url: str, process: ManagedProcess | None) -> bool:
    """False while somebody else answers on our engine's port, which the engine will soon die of."""
    port = urlsplit(url).port
    return process is None or port is None or process.listens_on(port)


def died(process: ManagedProcess, failure: FailureClass, when: str) -> ExecutionFailure:
    """The failure of an engine that ended by itself, with the first causal line of its log."""
    cause = first_causal_line(process.log)
    line = f"the engine ended {when} ({exit_text(process.poll())})"
    if names_a_taken_port(cause):
        return ExecutionFailure(FailureClass.PORT_IN_USE, cause)
    return ExecutionFailure(failure, f"{line}: {cause}" if cause else line)


def exit_text(code: int | None) -> str:
    if code is None:
        return "still running"
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0

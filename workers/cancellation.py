"""Why an attempt must end early: somebody asked, the worker died, or the time is up."""

import os
import signal
import sys
import threading
import time

from results.documents.failures import FailureClass
from workers.failures import ExecutionFailure


class Stop:
    """Set from a signal handler or a thread; ``check`` raises in the thread that does the work."""

    def __init__(self, limit_seconds: float) -> None:
        self._event = threading.Event()
        self._failure = FailureClass.CANCELLED
        self._limit = limit_seconds
        self._deadline = time.monotonic() + limit_seconds

    def request(self, failure: FailureClass = FailureClass.CANCELLED) -> None:
        """The first reason counts."""
        if not self._event.is_set():
            self._failure = failure
            self._event.set()

    def check(self) -> None:
        """Raises ExecutionFailure (cancelled, worker_lost, timeout) once there is a reason."""
        if self._event.is_set():
            lost = self._failure == FailureClass.WORKER_LOST
            raise ExecutionFailure(self._failure, "the worker went away" if lost else "cancelled")
        if time.monotonic() > self._deadline:
            line = f"the hard limit of {self._limit:.0f} s passed"
            raise ExecutionFailure(FailureClass.TIMEOUT, line)

    def wait(self, seconds: float) -> None:
        """Sleep, but not past a request to stop; then check."""
        self._event.wait(seconds)
        self.check()

    def on_signals(self) -> None:
        """SIGTERM and SIGINT cancel."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.request())

    def on_parent_end(self) -> None:
        """The end of standard input means that the worker, which holds its other end, has died."""
        threading.Thread(target=self._watch_stdin, name="parent-pipe", daemon=True).start()

    def _watch_stdin(self) -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        self.request(FailureClass.WORKER_LOST)

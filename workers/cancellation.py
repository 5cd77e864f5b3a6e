"""Why an attempt must end early: somebody asked, the worker died, or the time is up."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from results.documents.failures import FailureClass
from workers.failures import ExecutionFailure


class Stop:
    """Set from a signal handler or a thread; ``check`` raises in the thread that does the work."""

    def __init__(self, limit_seconds: float) -> None:
        self._event = threading.Event()
        self._failure = FailureClass.CANCELLED
        self._limit = limit_seconds
        self._deadline = time.monotonic() + limit_seconds
        self._interrupting = False

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

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Inside, a signal raises in the main thread, which ends even a blocking call (a stuck installation).

        Elsewhere signals only set the reason, so that nothing is torn in the middle of its own clean-up.
        """
        self._interrupting = True
        try:
            self.check()
            yield
        finally:
            self._interrupting = False

    def on_signals(self) -> None:
        """SIGTERM and SIGINT cancel; an alarm wakes blocking calls when the hard limit has passed."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, self._on_signal)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, self._deadline - time.monotonic() + 0.01))

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGALRM:
            self.request()
        if self._interrupting:
            self.check()

    def on_parent_end(self) -> None:
        """The end of standard input means that the worker, which holds its other end, has died."""
        threading.Thread(target=self._watch_stdin, name="parent-pipe", daemon=True).start()

    def _watch_stdin(self) -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        self.request(FailureClass.WORKER_LOST)
        # To the main thread itself: a signal that another thread takes would not end its blocking call.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

"""One ``make demo`` from the first line to the last."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TextIO

from dashboard.demo.api import ApiError
from dashboard.demo.job import Job
from dashboard.demo.options import Options
from dashboard.demo.screen import Screen
from dashboard.demo.steps import StepError
from dashboard.demo.summary import summary_line
from dashboard.demo.supervision import Supervisor
from results.services.tokens import create_token, revoke_token

_TURN_SECONDS = 0.2
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """Somebody asked us to stop."""


class JobError(Exception):
    """The benchmark did not come to its end; one line."""


class Session:
    """Starts, measures, stays up, stops."""

    def __init__(self, var: Path, options: Options, stream: TextIO) -> None:
        self._var = var
        self._options = options
        self._screen = Screen(stream)
        self._supervisor = Supervisor(var, options, self._screen.say)

    def run(self) -> bool:
        """True when the job is done and was wanted once, False after Ctrl-C.

        Raises StartError, EmbeddedError, Collapse or JobError.
        """
        with _signals():
            try:
                self._supervisor.start()
                self._screen.say(f"Northstar is up: {self._options.url}  (data in {self._var})")
                self._measure()
                return True
            except Interrupted:
                self._screen.say("stopping: ends the run in progress, keeps its evidence and all data")
                return False
            finally:
                _deaf()
                self._supervisor.stop()

    def _measure(self) -> None:
        job = Job(self._var, self._options, self._screen)
        problem = self._problem(job)
        if self._options.once:
            # The last line of standard output: others script against it.
            self._screen.say(summary_line(job.runs, job.points, self._options.url))
            if problem:
                raise JobError(problem)
            return
        self._screen.say(problem or self._farewell(job))
        while True:
            self._turn()

    def _problem(self, job: Job) -> str | None:
        """Run the job; why it is not what it should be, or None."""
        try:
            for _turn in job.execute(submit_token):
                self._turn()
        except (StepError, ApiError) as error:
            return f"demo: {error}"
        if job.failed:
            names = ", ".join(f"{run['label']} block {run['block']}" for run in job.failed)
            return f"demo: {len(job.failed)} of {len(job.runs)} runs did not succeed: {names}"
        return None

    def _farewell(self, job: Job) -> str:
        kept = "" if job.submitted else "All runs were measured earlier. "
        return f"{kept}{len(job.runs)} runs: {self._options.url}  (Ctrl-C stops; the data stays)"

    def _turn(self) -> None:
        self._supervisor.watch()
        time.sleep(_TURN_SECONDS)


@contextmanager
def submit_token() -> Iterator[str]:
    """A token like anyone's, revoked as soon as the runs are in."""
    token, secret = create_token(name="make demo", scope="submit")
    try:
        yield secret
    finally:
        revoke_token(prefix=token.prefix)


@contextmanager
def _signals() -> Iterator[None]:
    """Any of the signals raises Interrupted in the main thread, once."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        _deaf()
        raise Interrupted

    before = {number: signal.signal(number, interrupt) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _deaf() -> None:
    """A second Ctrl-C must not interrupt the clearing away, which has limits of its own."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)

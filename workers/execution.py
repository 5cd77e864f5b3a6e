"""The database's side of one attempt: claim, supervise, report, deliver."""

import errno
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DataError, IntegrityError

from results.documents.failures import FailureClass
from results.ingest.bundle import ingest_load
from results.models import Attempt
from results.services.claims import Claim, claim_attempt
from results.services.hosts import mark_dirty
from results.services.outcomes import fail_attempt
from results.services.progress import Beat, heartbeat, start_attempt
from results.services.transitions import Outcome
from workers import leftovers
from workers.attempt_view import AttemptView
from workers.delivery import Delivery
from workers.patience import UNREACHABLE, persistently, reconnecting
from workers.supervisor_process import SupervisorProcess, supervisor_argv
from workers.verdict import Reason, verdict
from workers.workspace import Workspace

logger = logging.getLogger(__name__)
#: Builds the supervisor's command line.
Argv = Callable[..., list[str]]


@dataclass(frozen=True)
class Timing:
    """Seconds between heartbeats, between looks at the clock, from SIGTERM to SIGKILL, and for which the
    supervisor may pass its own hard limit before we end it (less than the reaper's grace)."""

    beat: float = 10.0
    tick: float = 0.5
    grace: float = 45.0
    overtime: float = 30.0


def execute_one(
    host: str, *, stopping: threading.Event, argv: Argv = supervisor_argv, timing: Timing | None = None
) -> bool:
    """Claim and execute one attempt for ``host``; False when there was nothing to do.

    ``stopping`` set in mid-run gives the attempt back at once: it fails as worker_lost and is queued again.
    """
    claim = persistently(lambda: claim_attempt(host=host))
    if claim is None:
        return False
    logger.info("host %s claims run %s attempt %s", host, claim.run, claim.number)
    workspace = Workspace(settings.VAR / "work", claim.run, claim.number)
    with workspace.held() as free:
        if not free:
            raise RuntimeError(f"{workspace.root} is locked by another process")
        process = _spawn(claim, workspace, argv)
        if process is not None:
            Execution(claim, workspace, process, stopping, timing or Timing()).execute()
    return True


def _spawn(claim: Claim, workspace: Workspace, argv: Argv) -> SupervisorProcess | None:
    """The running supervisor; None after telling that this host could not even start one."""
    command = argv(
        document=workspace.document,
        bundle=workspace.bundle,
        run=str(claim.run),
        number=claim.number,
        var=settings.VAR,
    )
    try:
        workspace.prepare(claim.document)
        return SupervisorProcess(command, log=workspace.log, cwd=Path(settings.BASE_DIR))
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        why = FailureClass.DISK_FULL if full else FailureClass.ENVIRONMENT
        line = f"cannot start a supervisor: {error}"
    key = {"attempt": claim.attempt, "number": claim.number}
    persistently(lambda: fail_attempt(**key, failure_class=why, line=line))
    return None


class Execution:
    """One attempt, from the supervisor's start to the stored outcome."""

    def __init__(
        self, claim: Claim, workspace: Workspace, process: SupervisorProcess, stopping: threading.Event,
        timing: Timing,
    ) -> None:  # fmt: skip
        self._claim = claim
        self._workspace = workspace
        self._process = process
        self._stopping = stopping
        self._timing = timing
        self._view = AttemptView()
        self._reason: Reason | None = None
        self._kill_at: float | None = None
        self._due = 0.0
        self._read: set[int] = set()
        self._limit = time.monotonic() + claim.hard_limit_seconds + timing.overtime

    def execute(self) -> None:
        try:
            self._start()
            while self._process.speaking:
                for event in self._process.events(self._timing.tick):
                    self._take(event)
                self._watch()
                if time.monotonic() >= self._due:
                    self._report()
        except BaseException:
            self._process.kill()
            raise
        finally:
            code, survivors = self._process.close()
        self._settle(code, survivors)

    def _start(self) -> None:
        leftovers.remember(self._workspace.processes, self._process.known)
        key = {"attempt": self._claim.attempt, "number": self._claim.number}
        if persistently(lambda: start_attempt(**key)) != Outcome.ACCEPTED:
            self._stop(Reason.LOST)

    def _take(self, event: dict[str, Any]) -> None:
        try:
            self._view.take(event)
        except (KeyError, TypeError, ValueError):
            logger.warning("supervisor: event without sense: %s", event)
            return
        if event.get("event") in ("phase", "load"):
            self._due = 0.0
        if event.get("event") == "end":
            # Its last word: an honest supervisor is gone long before this runs out.
            self._kill_at = time.monotonic() + self._timing.grace

    def _watch(self) -> None:
        now = time.monotonic()
        if self._reason is None and self._stopping.is_set():
            self._stop(Reason.SHUTDOWN)
        if self._reason is None and now > self._limit:
            self._stop(Reason.TIMEOUT)
        if self._kill_at is not None and now > self._kill_at:
            self._kill_at = None
            self._process.kill()

    def _stop(self, reason: Reason) -> None:
        """SIGTERM now, SIGKILL for the whole group when the grace is over. The first reason counts."""
        if self._reason is None:
            logger.info("run %s attempt %s: stop (%s)", self._claim.run, self._claim.number, reason)
            self._reason = reason
            self._kill_at = time.monotonic() + self._timing.grace
            self._process.ask_to_stop()

    def _report(self) -> None:
        """Heartbeat, and the loads that are complete. A database that is away is asked again next time."""
        self._due = time.monotonic() + self._timing.beat
        leftovers.remember(self._workspace.processes, self._process.look())
        if self._reason == Reason.LOST:
            return
        try:
            reply = reconnecting(lambda: self._heartbeat(self._view.beat()))
            if reply.lost:
                self._stop(Reason.LOST)
                return
            self._read_loads()
        except UNREACHABLE as error:
            logger.warning("heartbeat: %s", str(error).strip())
            return
        if reply.cancel:
            self._stop(Reason.CANCEL)

    def _heartbeat(self, beat: Beat) -> Any:
        key = {"attempt": self._claim.attempt, "number": self._claim.number}
        try:
            return heartbeat(**key, beat=beat)
        except (ValueError, DataError, IntegrityError):
            # A sign of life matters more than what the row cannot hold.
            logger.exception("heartbeat without details")
            return heartbeat(**key, beat=Beat(phase=beat.phase))

    def _read_loads(self) -> None:
        """Points appear while the run goes on; the whole bundle is read again at the end."""
        for load in sorted(set(self._view.loads) - self._read):
            attempt = Attempt.objects.select_related("run__recipe").get(id=self._claim.attempt)
            try:
                reconnecting(partial(ingest_load, attempt, self._workspace.bundle / self._view.loads[load]))
            except UNREACHABLE:
                raise
            except Exception:  # the end decides; a full artifact store must not stop a measurement
                logger.exception("run %s: load %s is not read yet", self._claim.run, load)
            self._read.add(load)

    def _settle(self, code: int, survivors: list[leftovers.Known]) -> None:
        if survivors:
            numbers = ", ".join(str(known.pid) for known in survivors)
            persistently(
                lambda: mark_dirty(name=self._claim.host, reason=f"processes {numbers} survived SIGKILL")
            )
        delivery = Delivery(self._claim, self._workspace, self._timing.beat)
        if self._reason == Reason.LOST:
            delivery.keep()
            self._workspace.remove()
            return
        failure = verdict(
            reason=self._reason, end=self._view.end, code=code, said=self._workspace.last_line()
        )
        delivery.finish(failure, self._view.beat())

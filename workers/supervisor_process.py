"""The supervisor as seen by its worker: a child in its own session that speaks JSON lines."""

import contextlib
import json
import logging
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workers.leftovers import Known, end, family

logger = logging.getLogger(__name__)

#: Longest event; a longer line is dropped, so that a broken child cannot fill our memory.
LINE_BYTES = 1 << 20
#: Kept from the supervisor, which needs none of them.
_SECRET = ("DATABASE_URL", "CELERY_BROKER_URL", "ARTIFACT_STORAGE_URL", "SECRET_KEY")


class SupervisorProcess:
    """Our end of its standard input stays open: when this worker dies, the supervisor reads its end."""

    def __init__(self, argv: Sequence[str], *, log: Path, cwd: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in _SECRET}
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=cwd,
                env=environment,
                start_new_session=True,
            )
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        self._output = self._process.stdout
        os.set_blocking(self._output.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)
        self._buffer = b""
        self._open = True
        self.known: list[Known] = family(self._process.pid)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def speaking(self) -> bool:
        """False once it has said all it will say."""
        return self._open

    def events(self, timeout: float) -> list[dict[str, Any]]:
        """Wait up to ``timeout`` seconds for output and return the complete events in it."""
        # Whoever inherited its output may keep the pipe open for ever: dead and silent is an end, too.
        dead = self._process.poll() is not None
        if not self._open or not self._selector.select(timeout):
            self._open = self._open and not dead
            return []
        try:
            chunk = os.read(self._output.fileno(), 1 << 16)
        except BlockingIOError:
            return []
        self._open = bool(chunk)
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        if len(self._buffer) > LINE_BYTES:
            self._buffer = b""
        return [event for line in lines if (event := _event(line)) is not None]

    def look(self) -> list[Known]:
        """Remember every descendant that lives now: a killed supervisor cannot name them any more."""
        living = [known for known in self.known if known.living() is not None]
        self.known = list(dict.fromkeys([*living, *family(self.pid)]))
        return self.known

    def ask_to_stop(self) -> None:
        """SIGTERM: tear down, write the evidence, end."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL for its whole group, at once."""
        self.look()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def close(self, wait: float = 5.0) -> tuple[int, list[Known]]:
        """Reap it, end what it left; its exit code and the processes that survive even that.

        A supervisor that closed its output but lives on for ``wait`` seconds is killed.
        """
        until = time.monotonic() + wait
        while self._process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        if self._process.poll() is None:
            self.kill()
        code = self._process.wait()
        survivors = end(self.known)
        self._selector.close()
        self._output.close()
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        return code, survivors


def supervisor_argv(*, document: Path, bundle: Path, run: str, number: int, var: Path) -> list[str]:
    """Command line of docs/runner-protocol.md."""
    return [
        sys.executable, "-m", "workers", "run", str(document), "--bundle", str(bundle), "--run-id", run,
        "--attempt", str(number), "--var", str(var), "--parent-pipe",
    ]  # fmt: skip


def _event(line: bytes) -> dict[str, Any] | None:
    if not line.strip():
        return None
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        logger.warning("supervisor: not an event: %r", line[:200])
        return None
    return event

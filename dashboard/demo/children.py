"""The processes beside the services: web, worker, sweeper."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from dashboard.embedded.process import Command, last_line, start, stop

_LONGEST_PAUSE = 60.0
#: A child that has lived so long starts with a short pause again.
_STABLE_SECONDS = 120.0


@dataclass
class Child:
    """One long-lived process. ``restarts``: start it again when it ends by itself."""

    name: str
    arguments: list[str]
    var: Path
    restarts: bool = False
    death_signal: signal.Signals = signal.SIGKILL
    grace: float = 30.0
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _started_at: float = 0.0
    _pause: float = 1.0
    _due: float | None = None

    @property
    def log(self) -> Path:
        return self.var / "log" / f"{self.name}.log"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self) -> None:
        environment = os.environ | {"NORTHSTAR_VAR": str(self.var), "PYTHONUNBUFFERED": "1"}
        self._process = start(
            Command(
                argv=[sys.executable, *self.arguments],
                log=self.log,
                environment=environment,
                death_signal=self.death_signal,
                cwd=Path(__file__).resolve().parents[2],
            )
        )
        self._started_at, self._due = time.monotonic(), None

    def ended(self) -> str | None:
        """Why it is not running, None while it is or after it was restarted."""
        if self._process is None or self._process.poll() is None:
            return None
        return f"{self.name} ended ({self._process.returncode}): {last_line(self.log)} ({self.log})"

    def revive(self) -> str | None:
        """Start it again after a pause that doubles; a sentence for the reader when the pause begins."""
        why, now = self.ended(), time.monotonic()
        if why is None:
            return None
        if self._due is None:
            self._pause = 1.0 if now - self._started_at > _STABLE_SECONDS else self._pause
            self._due = now + self._pause
            said = f"{why}; it starts again in {self._pause:.0f} s"
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            return said
        if now >= self._due:
            self._clear()
            self.start()
        return None

    def ask_to_stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        self._clear()
        self._process = None

    def _clear(self) -> None:
        """Whatever the leader left in its group goes too."""
        if self._process is not None:
            stop(self._process, grace=self.grace if self._process.poll() is None else 0.0)


def web(var: Path, port: int) -> Child:
    arguments = ["-m", "gunicorn", "dashboard.wsgi:application", f"--bind=127.0.0.1:{port}", "--threads=8",
                 "--graceful-timeout=2", "--timeout=60", "--no-control-socket"]  # fmt: skip
    return Child("web", arguments, var, death_signal=signal.SIGTERM)


def worker(var: Path, host: str) -> Child:
    arguments = ["-m", "celery", "-A", "workers.tasks", "worker", "--queues", f"host.{host}",
                 "--hostname", f"worker@{host}", "--loglevel", "INFO"]  # fmt: skip
    # Longer than an attempt's own teardown: engine, evidence, delivery.
    return Child("worker", arguments, var, restarts=True, grace=90.0)


def sweeper(var: Path) -> Child:
    return Child("sweeper", ["manage.py", "sweep"], var, restarts=True)

"""What a server that was killed left behind.

PostgreSQL trusts the process id in its lock files: it refuses to start when an unrelated process has that
id by now. The instance lock tells us more, so we look who it really is.
"""

import signal
import time
from pathlib import Path

import psutil

from dashboard.embedded.errors import EmbeddedError
from dashboard.embedded.process import is_alive


def clear(data: Path, sockets: Path, *, grace: float = 60.0) -> None:
    """End an orphaned server of ``data`` and remove dead lock files; call it under the instance lock.

    Raises EmbeddedError when the orphan does not end within ``grace`` seconds.
    """
    pid_file = data / "postmaster.pid"
    pid = _recorded(pid_file)
    if pid is not None and _serves(pid, data):
        _end(pid, grace)
    pid_file.unlink(missing_ok=True)
    for name in (".s.PGSQL.5432", ".s.PGSQL.5432.lock"):
        (sockets / name).unlink(missing_ok=True)


def _recorded(pid_file: Path) -> int | None:
    try:
        return abs(int(pid_file.read_text(encoding="utf-8").split("\n", 1)[0]))
    except (FileNotFoundError, ValueError):
        return None


def _serves(pid: int, data: Path) -> bool:
    """Whether the process is alive and works in ``data``, which only its server does."""
    try:
        return is_alive(pid) and Path(psutil.Process(pid).cwd()) == data.resolve()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def _end(pid: int, grace: float) -> None:
    psutil.Process(pid).send_signal(signal.SIGINT)
    end = time.monotonic() + grace
    while is_alive(pid):
        if time.monotonic() >= end:
            raise EmbeddedError(f"process {pid}: an earlier PostgreSQL of this folder does not stop")
        time.sleep(0.05)

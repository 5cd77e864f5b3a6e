"""Children in sessions of their own that do not outlive us."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

_HELPER = Path(__file__).with_name("exec_helper.py")
_LOG_LIMIT = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Command:
    """What to start: ``argv[0]`` is a path, ``identity`` one of exec_helper's.

    Standard error goes to ``log``; standard output too, unless ``output`` names another file.
    """

    argv: Sequence[str]
    log: Path
    output: Path | None = None
    environment: Mapping[str, str] | None = None
    death_signal: signal.Signals = signal.SIGKILL
    identity: str = "same"
    cwd: Path | None = None


def helper_argv(argv: Sequence[str], death_signal: int, identity: str) -> list[str]:
    return [sys.executable, "-I", str(_HELPER), str(os.getpid()), str(int(death_signal)), identity, *argv]


def start(command: Command) -> subprocess.Popen[bytes]:
    """Start in the main thread only: Linux sends the death signal when the starting *thread* ends.

    A session of its own keeps Ctrl-C of a terminal from reaching the child a second time.
    """
    with _opened(command.log) as log, _opened(command.output or command.log) as output:
        return subprocess.Popen(
            helper_argv(command.argv, command.death_signal, command.identity),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=log,
            env=command.environment,
            cwd=command.cwd,
            start_new_session=True,
        )


def stop(
    process: subprocess.Popen[bytes],
    *,
    gentle: signal.Signals = signal.SIGTERM,
    grace: float = 30.0,
) -> None:
    """``gentle`` to the leader, ``grace`` seconds for its group to empty, then KILL for what is left."""
    if process.poll() is None:
        process.send_signal(gentle)
    if not _empty_within(process, grace):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        _empty_within(process, 10.0)


def is_alive(pid: int) -> bool:
    """A zombie holds nothing and counts as dead: a slow init may leave it for a second or two."""
    try:
        return psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True


def group_members(group: int) -> list[int]:
    """Living processes of a process group."""
    return [pid for pid in psutil.pids() if _group_of(pid) == group and is_alive(pid)]


def last_line(log: Path) -> str:
    """The last line of a log that says something, for an error message."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines[-200:]) if line.strip()), "")


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except (ProcessLookupError, PermissionError):
        return None


def _empty_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while True:
        if process.poll() is not None and not group_members(process.pid):
            return True
        if time.monotonic() >= end:
            return False
        time.sleep(0.02)


def _opened(path: Path) -> IO[bytes]:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > _LOG_LIMIT:
        path.replace(path.with_suffix(".old"))
    return path.open("ab")

"""Processes of an attempt, remembered well enough to be found again after a crash."""

import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil

#: Two readings of one process's start differ by less than this many seconds.
_SAME_START = 0.05


@dataclass(frozen=True)
class Known:
    """A process by number and start, because numbers are used again."""

    pid: int
    started: float

    def living(self) -> psutil.Process | None:
        """The process, if it is the same one and no zombie."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started) < _SAME_START
            return process if same and process.status() != psutil.STATUS_ZOMBIE else None
        except psutil.Error:
            return None


def family(pid: int) -> list[Known]:
    """The process and all its descendants, the process first; empty when it is gone."""
    try:
        head = psutil.Process(pid)
        members = [head, *head.children(recursive=True)]
    except psutil.Error:
        return []
    return [known for member in members if (known := _known(member)) is not None]


def _known(process: psutil.Process) -> Known | None:
    try:
        return Known(process.pid, process.create_time())
    except psutil.Error:
        return None


def remember(path: Path, processes: Iterable[Known]) -> None:
    """Write the list so that no reader sees half of it."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps([[known.pid, known.started] for known in processes]), encoding="ascii")
    partial.replace(path)


def recall(path: Path) -> list[Known]:
    """The remembered list; empty when there is none."""
    try:
        return [Known(int(pid), float(started)) for pid, started in json.loads(path.read_text("ascii"))]
    except (OSError, ValueError):
        return []


def end(processes: Iterable[Known], *, wait: float = 5.0) -> list[Known]:
    """SIGKILL what still lives; returns what survives for ``wait`` seconds."""
    living = [known for known in processes if known.pid != os.getpid() and _kill(known)]
    until = time.monotonic() + wait
    while (living := [known for known in living if known.living()]) and time.monotonic() < until:
        time.sleep(0.05)
    return living


def _kill(known: Known) -> bool:
    process = known.living()
    if process is None:
        return False
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        pass
    return True

"""Run with ``python -I``: keeps one program and all it starts, and ends them when the parent ends.

A parent-death signal alone reaches the program but not the processes that the program started, and servers
and load generators start many. The guard leads the process group, adopts what leaves it (Linux), and waits
on a pipe whose only writer is the parent: its end means that the parent has ended, however it ended.
Usage: guard.py FD PROGRAM [ARGUMENT ...]; the exit code or signal is the program's.
"""

import ctypes
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
#: Helpers of a program that has ended get so long to clean up after themselves.
LINGER_SECONDS = 2.0


def main() -> None:
    lifeline = int(sys.argv[1])
    os.set_inheritable(lifeline, False)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    # The signal goes to the whole group; the guard stays until the program has dealt with it.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    program = os.fork()
    if program == 0:
        _become(sys.argv[2:])
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()
    status = _wait_for(program)
    _clear_up()
    _end_like(status)


def _become(argv: list[str]) -> None:
    try:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os.execvp(argv[0], argv)  # noqa: S606 - no shell is the point
    except OSError as error:
        sys.stderr.write(f"OSError: {argv[0]}: {error.strerror}\n")
    finally:
        os._exit(127)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _wait_for(program: int) -> int:
    """Wait status of the program; adopted processes that end are reaped on the way."""
    while True:
        pid, status = os.wait()
        if pid == program:
            return status


def _end_with_parent(lifeline: int) -> None:
    while os.read(lifeline, 1):
        pass
    _kill_descendants()
    os.killpg(0, signal.SIGKILL)


def _clear_up() -> None:
    end = time.monotonic() + LINGER_SECONDS
    while _reap() and time.monotonic() < end:
        time.sleep(0.02)
    _kill_descendants()


def _reap() -> bool:
    """Reap what has ended; True while a child is left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _kill_descendants() -> None:
    # A process may fork while it is looked for, so look until nobody is found.
    for _round in range(50):
        found = descendants(os.getpid())
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if not found:
            return
        time.sleep(0.01)


def descendants(root: int) -> list[int]:
    """Living descendants by /proc; empty where there is none."""
    parents = dict(_parent(entry) for entry in Path("/proc").glob("[0-9]*"))
    found: list[int] = []
    fresh = {root}
    while fresh:
        fresh = {pid for pid, parent in parents.items() if parent in fresh}
        found += sorted(fresh)
    return found


def _parent(entry: Path) -> tuple[int, int | None]:
    """Parent of a living process; None for a zombie or one that has just ended."""
    try:
        fields = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return int(entry.name), None
    return int(entry.name), None if fields[0] in ("Z", "X") else int(fields[1])


def _end_like(status: int) -> None:
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


if __name__ == "__main__":
    main()

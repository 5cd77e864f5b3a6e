"""A child in its own session that dies with us and leaves no process behind."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

_GUARD = Path(__file__).with_name("guard.py")
#: What a child may see of our environment; everything else is withheld.
INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
             "HIP_VISIBLE_DEVICES", "SSL_CERT_FILE", "OMP_NUM_THREADS", "OPENBLAS_CORETYPE")  # fmt: skip


class ManagedProcess:
    """One program under a guard (see guard.py), which leads the process group; with its log file."""

    def __init__(
        self, argv: Sequence[str], *, log: Path, environment: Mapping[str, str], cwd: Path | None = None
    ) -> None:
        self.argv = list(argv)
        self.log = log
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        lifeline, self._lifeline = os.pipe()
        command = [sys.executable, "-I", str(_GUARD), str(lifeline), *self.argv]
        try:
            with log.open("ab") as file:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    env=inherited | dict(environment),
                    cwd=cwd,
                    start_new_session=True,
                    pass_fds=(lifeline,),
                )
        except BaseException:
            self._let_go()
            raise
        finally:
            os.close(lifeline)

    @property
    def pid(self) -> int:
        """Process id of the guard, which is also the id of the process group."""
        return self._process.pid

    def poll(self) -> int | None:
        """Exit code of the program, None while it lives; negative for a signal."""
        return self._process.poll()

    def listens_on(self, port: int) -> bool:
        """Whether the program, or a process it started, accepts connections on ``port``."""
        try:
            family = psutil.Process(self.pid).children(recursive=True)
        except psutil.Error:
            return False
        return any(_listens(member, port) for member in family)

    def wait(self, timeout: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout)
        return None

    def stop(self, grace: float = 30.0) -> bool:
        """TERM, up to ``grace`` seconds, then KILL for all; True when no process of the group is left."""
        self._signal(signal.SIGTERM)
        gone = self._gone_within(grace)
        # The guard kills what is left, also processes that made a group of their own.
        self._let_go()
        if not gone and not self._gone_within(5.0):
            self._signal(signal.SIGKILL)
        return self._gone_within(5.0)

    def _let_go(self) -> None:
        lifeline, self._lifeline = self._lifeline, -1
        if lifeline >= 0:
            os.close(lifeline)

    def _signal(self, number: signal.Signals) -> None:
        if self.poll() is not None and not group_members(self.pid):
            return  # The number may belong to somebody else by now.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _gone_within(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while True:
            # A dead leader is a zombie until it is waited for.
            left = max(0.0, end - time.monotonic())
            if self.wait(min(left, 0.5)) is not None and not group_members(self.pid):
                return True
            if left == 0.0:
                return False
            if self.poll() is not None:
                time.sleep(0.05)


def _listens(process: psutil.Process, port: int) -> bool:
    try:
        sockets = process.net_connections(kind="tcp")
    except psutil.Error:
        return False
    return any(item.status == psutil.CONN_LISTEN and item.laddr.port == port for item in sockets)


def group_members(group: int) -> list[int]:
    """Living processes of a group; a zombie holds nothing and counts as dead."""
    if sys.platform != "linux":
        return _group_answers(group)
    members = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and _group_and_state(entry) == group:
            members.append(int(entry.name))
    return members


def _group_and_state(entry: Path) -> int | None:
    """Process group of a living process, None for a zombie or a process that just ended."""
    try:
        fields = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in ("Z", "X") else int(fields[2])


def _group_answers(group: int) -> list[int]:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return []
    return [group]


def port_is_free(port: int, host: str = "127.0.0.1") -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def free_port(host: str = "127.0.0.1") -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])

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

_HELPER = Path(__file__).with_name("exec_helper.py")
#: What a child may see of our environment; everything else is withheld.
INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
             "HIP_VISIBLE_DEVICES", "SSL_CERT_FILE", "OMP_NUM_THREADS", "OPENBLAS_CORETYPE")  # fmt: skip


class ManagedProcess:
    """One process group with its log file."""

    def __init__(
        self, argv: Sequence[str], *, log: Path, environment: Mapping[str, str], cwd: Path | None = None
    ) -> None:
        self.argv = list(argv)
        self.log = log
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        command = [sys.executable, "-I", str(_HELPER), str(os.getpid()), *self.argv]
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=inherited | dict(environment),
                cwd=cwd,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Process id, which is also the id of the process group."""
        return self._process.pid

    def poll(self) -> int | None:
        """Exit code of the leader, None while it lives; negative for a signal."""
        return self._process.poll()

    def wait(self, timeout: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout)
        return None

    def stop(self, grace: float = 30.0) -> bool:
        """TERM, up to ``grace`` seconds, then KILL for the whole group; True when nothing is left."""
        self._signal(signal.SIGTERM)
        if not self._gone_within(grace):
            self._signal(signal.SIGKILL)
            self._gone_within(10.0)
        # A dead leader is a zombie until it is waited for.
        self.wait(1.0)
        return not group_members(self.pid)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _gone_within(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.poll()
            if not group_members(self.pid):
                return True
            time.sleep(0.05)
        return False


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

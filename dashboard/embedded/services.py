"""Both embedded services under one lock."""

import os
from pathlib import Path

from dashboard.embedded.folders import remove_socket_folder
from dashboard.embedded.lock import InstanceLock
from dashboard.embedded.postgres import PostgresServer
from dashboard.embedded.process import last_line
from dashboard.embedded.valkey import ValkeyServer


class EmbeddedServices:
    """Those that no URL in the environment replaces.

    ``start`` raises EmbeddedError and then leaves nothing running.
    """

    def __init__(self, var: Path, *, durable: bool = True) -> None:
        self._var = var
        self._lock = InstanceLock(var)
        self.servers: dict[str, PostgresServer | ValkeyServer] = {}
        if not os.environ.get("DATABASE_URL"):
            self.servers["PostgreSQL"] = PostgresServer(var, durable=durable)
        if not os.environ.get("CELERY_BROKER_URL"):
            self.servers["Valkey"] = ValkeyServer(var, durable=durable)

    def acquire(self) -> None:
        """Become the folder's one owner."""
        self._lock.acquire()

    def start(self) -> None:
        """Call ``acquire`` first."""
        try:
            for server in self.servers.values():
                server.start()
        except BaseException:
            self.stop()
            raise

    def dead(self) -> str | None:
        """A sentence about a service that has ended by itself, with the last line of its log."""
        for name, server in self.servers.items():
            if server.poll() is not None:
                return f"{name} ended ({server.poll()}): {last_line(server.log)} ({server.log})"
        return None

    def stop(self) -> None:
        for server in reversed(self.servers.values()):
            server.stop()
        if self._lock.held:
            remove_socket_folder(self._var)
        self._lock.release()

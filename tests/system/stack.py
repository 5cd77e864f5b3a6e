"""A whole installation in a folder of its own: database, broker, workers and sweeper as processes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from dashboard.embedded.paths import postgres_url, socket_folder
from dashboard.embedded.postgres import PostgresServer
from dashboard.embedded.process import Command, start
from dashboard.embedded.valkey import ValkeyServer
from tests.system.attempts import environments
from tests.system.processes import ROOT, all_gone, descendants, eventually, outside

State = list[tuple[str, str]]


class Stack:
    """``stop`` ends everything that was started, whatever state it is in."""

    def __init__(self, var: Path) -> None:
        self.var = var
        self.postgres = PostgresServer(var, durable=False)
        self.valkey = ValkeyServer(var, durable=False)
        self.environment = outside(
            NORTHSTAR_VAR=str(var), DJANGO_SETTINGS_MODULE="dashboard.settings", NORTHSTAR_ENVS=environments()
        )
        self._children: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        self.postgres.start()
        self.valkey.start()
        self.python("manage.py", "prepare")

    def stop(self) -> None:
        self.stop_children()
        self.valkey.stop()
        self.postgres.stop()
        for left in socket_folder(self.var).glob("*"):
            left.unlink()
        socket_folder(self.var).rmdir()

    def stop_children(self) -> None:
        for child in self._children:
            self.kill(child)
        self._children.clear()

    def python(self, *arguments: object) -> str:
        """Output of a command that must succeed."""
        argv = [sys.executable, *map(str, arguments)]
        done = subprocess.run(
            argv, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def spawn(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        """A process of its own session that dies with the test run."""
        child = start(
            Command([sys.executable, *arguments], self.log(name), environment=self.environment, cwd=ROOT)
        )
        self._children.append(child)
        return child

    def worker(
        self, host: str = "alpha", *, app: str = "tests.system.fake_worker"
    ) -> subprocess.Popen[bytes]:
        """A Celery worker of ``host`` with the command line of the demo, ready to take messages."""
        before = self.log(host).read_text().count("ready.") if self.log(host).exists() else 0
        child = self.spawn(
            host, "-m", "celery", "-A", app, "worker", "--queues", f"host.{host}",
            "--hostname", f"worker{len(self._children)}@{host}", "--loglevel", "INFO",
        )  # fmt: skip
        ready = eventually(lambda: self.log(host).read_text().count("ready.") > before, 90)
        assert ready, self.log(host).read_text()[-3000:]
        return child

    def sweeper(self) -> subprocess.Popen[bytes]:
        return self.spawn("sweeper", "manage.py", "sweep", "--interval", "0.5")

    def log(self, name: str) -> Path:
        return self.var / f"{name}.log"

    def kill(self, child: subprocess.Popen[bytes]) -> list[int]:
        """SIGKILL for the one process; the descendants it had."""
        family = [] if child.poll() is not None else descendants(child.pid)
        child.kill()
        child.wait(10)
        return family

    def nothing_left(self, pids: list[int], seconds: float = 60.0) -> bool:
        return all_gone(pids, seconds)

    def behave(self, behaviour: str) -> None:
        (self.var / "go").unlink(missing_ok=True)
        (self.var / "behaviour").write_text(behaviour)

    def go(self) -> None:
        (self.var / "go").touch()

    def submit(self, document: dict[str, Any]) -> str:
        file = self.var / "submit.json"
        file.write_text(json.dumps(document))
        return self.python("-m", "tests.system.verbs", "submit", file)

    def cancel(self, run: str) -> None:
        self.python("-m", "tests.system.verbs", "cancel", run)

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(postgres_url(self.var), autocommit=True) as connection:
            cursor = connection.execute(sql.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def states(self, run: str) -> list[str]:
        """State of the run, then of its attempts in order."""
        rows = self.query("select state from results_run where id = %s", run)
        rows += self.query("select state from results_attempt where run_id = %s order by number", run)
        return [state for (state,) in rows]

    def failure(self, run: str, number: int) -> tuple[str, str]:
        sql = "select failure_class, failure_line from results_attempt where run_id = %s and number = %s"
        failure, line = self.query(sql, run, number)[0]
        return failure, line

    def paths(self, run: str, number: int) -> set[str]:
        sql = """select path from results_attemptartifact join results_attempt a on a.id = attempt_id
                 where run_id = %s and number = %s"""
        return {path for (path,) in self.query(sql, run, number)}

    def wait(self, run: str, true: Callable[[list[str]], bool], seconds: float = 90.0) -> None:
        reached = eventually(lambda: true(self.states(run)), seconds)
        assert reached, (self.states(run), *(path.read_text()[-2000:] for path in self.var.glob("*.log")))

    def wait_phase(self, run: str, phase: str, seconds: float = 120.0) -> None:
        """Until the latest attempt is held and says that it is in ``phase``."""
        sql = """select phase from results_attempt where run_id = %s and state = 'running'"""
        reached = eventually(lambda: self.query(sql, run) == [(phase,)], seconds)
        assert reached, (self.states(run), *(path.read_text()[-2000:] for path in self.var.glob("*.log")))

    def expire_leases(self) -> None:
        """90 seconds of silence, without waiting for them; then one round of the reaper."""
        self.query("update results_attempt set lease_expires_at = now() - interval '1 s' "
                   "where state in ('claimed', 'running', 'uploading')")  # fmt: skip
        self.python("manage.py", "sweep", "--once")

    def terminate(self, child: subprocess.Popen[bytes], seconds: float = 60.0) -> tuple[int, float]:
        """SIGTERM; exit code and how long it took."""
        begin = time.monotonic()
        os.kill(child.pid, signal.SIGTERM)
        return child.wait(seconds), time.monotonic() - begin

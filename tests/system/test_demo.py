"""``manage.py demo`` on real processes: up, told apart from others, and gone without a trace."""

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from dashboard.embedded.paths import socket_folder
from dashboard.embedded.process import is_alive
from tests.system.processes import ROOT, all_gone, descendants, eventually, outside
from workers.launchers.process import free_port

pytestmark = [pytest.mark.system, pytest.mark.xdist_group("demo")]


class Demo:
    """A running ``manage.py demo``; ``stop`` it or kill it."""

    def __init__(self, var: Path, port: int, name: str = "demo") -> None:
        self.port = port
        self.output, self.errors = (var.with_name(f"{name}.{kind}") for kind in ("out", "err"))
        with self.output.open("w") as output, self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "demo"],
                cwd=ROOT,
                env=outside(NORTHSTAR_VAR=str(var), PORT=str(port)),
                stdout=output,
                stderr=errors,
            )

    def wait_until_up(self) -> None:
        assert eventually(lambda: "Northstar is up" in self.output.read_text() or self.ended, 120)
        assert not self.ended, self.errors.read_text()

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    @property
    def processes(self) -> list[int]:
        return [self.process.pid, *descendants(self.process.pid)]

    def child(self, word: str) -> int | None:
        """The pid of the living direct child whose command line has the word."""
        for child in psutil.Process(self.process.pid).children():
            if is_alive(child.pid) and any(word in part for part in child.cmdline()):
                return child.pid
        return None

    def kill(self, word: str) -> int:
        pid = self.child(word)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        return pid


@contextmanager
def demo(var: Path) -> Iterator[Demo]:
    running = Demo(var, free_port())
    try:
        yield running
    finally:
        if not running.ended:
            running.process.kill()
        running.process.wait(60)


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder for the module: every start but the first is a later start."""
    return tmp_path_factory.mktemp("demo") / "var"


def health(port: int) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=30) as response:
        return int(response.status)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_process(var: Path, number: signal.Signals) -> None:
    with demo(var) as running:
        running.wait_until_up()
        assert health(running.port) == 200
        processes = running.processes
        assert len(processes) > 6
        os.kill(running.process.pid, number)
        assert running.process.wait(120) == 0
        assert all_gone(processes, 5.0)
    assert not socket_folder(var).exists()
    assert "stopping" in running.output.read_text()


def test_a_killed_supervisor_leaves_no_process_and_no_obstacle(var: Path) -> None:
    with demo(var) as running:
        running.wait_until_up()
        processes = running.processes
        running.process.kill()
        assert all_gone(processes, 60.0)
    with demo(var) as again:
        again.wait_until_up()
        assert health(again.port) == 200
        again.process.send_signal(signal.SIGINT)
        assert again.process.wait(120) == 0


def test_what_ends_by_itself_is_started_again_or_ends_the_demo(var: Path) -> None:
    with demo(var) as running:
        running.wait_until_up()
        worker = running.kill("workers.tasks")
        assert eventually(lambda: "worker ended (-9)" in running.output.read_text())
        assert eventually(lambda: running.child("workers.tasks") not in (None, worker))
        processes = running.processes
        running.kill("bin/postgres")
        assert running.process.wait(120) == 1
        assert all_gone(processes, 5.0)
    assert running.errors.read_text().startswith("CommandError: PostgreSQL ended (-9)")


def test_a_second_instance_and_a_taken_port_are_told_in_one_line(var: Path, tmp_path: Path) -> None:
    with demo(var) as running:
        running.wait_until_up()
        second, taken = Demo(var, free_port(), "second"), Demo(tmp_path / "var", running.port)
        for refused, why in (
            (second, f"already in use by process {running.process.pid}"),
            (taken, f"PORT: {running.port} cannot be used"),
        ):
            assert refused.process.wait(60) == 2
            assert refused.errors.read_text().count("\n") == 1
            assert why in refused.errors.read_text()
        assert health(running.port) == 200
        assert is_alive(running.process.pid)


@pytest.mark.parametrize(("name", "value"), [("PORT", "http"), ("BLOCKS", "0"), ("ENGINE", "none")])
def test_a_bad_option_is_one_line(tmp_path: Path, name: str, value: str) -> None:
    tried = subprocess.run(
        [sys.executable, "manage.py", "demo"], cwd=ROOT, capture_output=True, text=True, check=False,
        env=outside(NORTHSTAR_VAR=str(tmp_path)) | {name: value},
    )  # fmt: skip
    assert tried.returncode == 2
    assert tried.stderr.count("\n") == 1
    assert f"{name}: must be" in tried.stderr

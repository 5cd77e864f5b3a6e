"""Real processes: nothing survives its group's end."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workers.launchers.process import ManagedProcess, free_port, group_members, port_is_free

STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import signal,time;signal.signal(15,1);time.sleep(600)"])
print("up", flush=True)
time.sleep(600)
"""


def start(code: str, tmp_path: Path, **environment: str) -> ManagedProcess:
    return ManagedProcess([sys.executable, "-u", "-c", code], log=tmp_path / "log", environment=environment)


def wait_for(text: str, path: Path) -> None:
    end = time.monotonic() + 10
    while text not in (path.read_text() if path.exists() else ""):
        assert time.monotonic() < end, f"{text} never came"
        time.sleep(0.02)


def test_stop_ends_a_group_that_ignores_term(tmp_path: Path) -> None:
    process = start(STUBBORN, tmp_path)
    wait_for("up", tmp_path / "log")
    assert len(group_members(process.pid)) == 2
    assert process.stop(grace=0.3)
    assert group_members(process.pid) == []
    assert process.poll() == -signal.SIGKILL


def test_a_polite_process_is_not_killed(tmp_path: Path) -> None:
    process = start("import time; print('up'); time.sleep(600)", tmp_path)
    wait_for("up", tmp_path / "log")
    assert process.stop(grace=10)
    assert process.poll() == -signal.SIGTERM


def test_only_listed_variables_are_inherited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret-of-the-host")
    process = start("import os; print(sorted(os.environ))", tmp_path, WANTED="1")
    assert process.wait(10) == 0
    shown = (tmp_path / "log").read_text()
    assert "WANTED" in shown
    assert "HF_TOKEN" not in shown


@pytest.mark.skipif(sys.platform != "linux", reason="the parent-death signal is Linux's")
def test_a_child_dies_with_a_killed_parent(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from workers.launchers.process import ManagedProcess;"
        f"p = ManagedProcess([sys.executable, '-c', 'import time; time.sleep(600)'],"
        f" log=Path({str(tmp_path / 'log')!r}), environment={{}}); print(p.pid, flush=True); time.sleep(600)"
    )
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root
    ) as parent:
        assert parent.stdout is not None
        group = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
    end = time.monotonic() + 10
    while group_members(group):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_ports() -> None:
    port = free_port()
    assert port_is_free(port)
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        assert not port_is_free(port)

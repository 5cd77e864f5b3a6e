"""Real processes: nothing survives its group's end."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
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
    assert len(group_members(process.pid)) == 3, "the guard, the program and its child"
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


def test_a_child_dies_with_a_killed_parent(tmp_path: Path) -> None:
    with parent(f"[sys.executable, '-c', {STUBBORN!r}]", tmp_path) as killed:
        group = first_number(killed)
        wait_for("up", tmp_path / "log")
        assert len(group_members(group)) == 3
        os.kill(killed.pid, signal.SIGKILL)
    end_of(lambda: group_members(group))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets the guard adopt them")
@pytest.mark.parametrize("how", ["parent killed", "stopped", "program ended"])
def test_what_left_the_group_ends_too(tmp_path: Path, how: str) -> None:
    code = (
        "import subprocess, sys, time;"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
        " start_new_session=True);"
        "print(p.pid, flush=True); " + ("sys.exit(5)" if how == "program ended" else "time.sleep(600)")
    )
    if how == "parent killed":
        with parent(f"[sys.executable, '-c', {code!r}]", tmp_path) as killed:
            first_number(killed)
            wait_for("\n", tmp_path / "log")
            os.kill(killed.pid, signal.SIGKILL)
    else:
        process = start(code, tmp_path)
        wait_for("\n", tmp_path / "log")
        if how == "stopped":
            assert process.stop(grace=10)
        assert process.wait(10) == (-signal.SIGTERM if how == "stopped" else 5)
    stray = Path("/proc", (tmp_path / "log").read_text().strip())
    end_of(stray.exists)


def parent(argv: str, tmp_path: Path) -> "subprocess.Popen[str]":
    """Another Python that starts ``argv`` as a managed process, prints its group and waits."""
    code = (
        "import sys, time; from pathlib import Path; from workers.launchers.process import ManagedProcess;"
        f"p = ManagedProcess({argv}, log=Path({str(tmp_path / 'log')!r}), environment={{}});"
        "print(p.pid, flush=True); time.sleep(600)"
    )
    root = Path(__file__).resolve().parents[3]
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root)


def first_number(process: "subprocess.Popen[str]") -> int:
    assert process.stdout is not None
    return int(process.stdout.readline())


def end_of(left: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while left():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import sys; sys.exit(7)", 7),
        ("import os; os.kill(os.getpid(), 9)", -9),
        ("import os; os.abort()", -signal.SIGABRT),
    ],
)
def test_the_exit_is_the_programs(tmp_path: Path, code: str, expected: int) -> None:
    process = start(code, tmp_path)
    assert process.wait(10) == expected
    assert process.stop()


def test_a_program_that_does_not_exist_says_so(tmp_path: Path) -> None:
    process = ManagedProcess(["/no/such/program"], log=tmp_path / "log", environment={})
    assert process.wait(10) == 127
    assert (tmp_path / "log").read_text() == "OSError: /no/such/program: No such file or directory\n"


def test_stopping_twice_does_no_harm(tmp_path: Path) -> None:
    process = start("print('up')", tmp_path)
    assert process.wait(10) == 0
    assert process.stop()
    assert process.stop()


def test_no_descriptor_is_left_behind(tmp_path: Path) -> None:
    start("pass", tmp_path).stop()
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(3):
        start("pass", tmp_path).stop()
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_ports() -> None:
    port = free_port()
    assert port_is_free(port)
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        assert not port_is_free(port)

"""Children in sessions of their own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.embedded.process import Command, group_members, is_alive, last_line, start, stop
from tests.system.processes import ROOT, all_gone, eventually

STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(60)
"""
PARENT = """
import sys, time
from pathlib import Path
from dashboard.embedded.process import Command, start
child = start(Command(argv=["/bin/sleep", "600"], log=Path(sys.argv[1])))
print(child.pid, flush=True)
time.sleep(600)
"""


def test_output_goes_to_the_log_and_the_session_is_its_own(tmp_path: Path) -> None:
    log = tmp_path / "log" / "child.log"
    child = start(Command(argv=["/bin/sh", "-c", "echo said; echo loud >&2; sleep 600"], log=log))
    try:
        assert eventually(lambda: log.read_text() == "said\nloud\n")
        assert os.getsid(child.pid) == child.pid
        assert len(group_members(child.pid)) == 2
    finally:
        # The shell ends by the signal and leaves its child, which is killed after the grace.
        stop(child, grace=0.2)
    assert child.returncode == -signal.SIGTERM
    assert group_members(child.pid) == []


def test_output_can_be_kept_apart(tmp_path: Path) -> None:
    child = start(Command(argv=["/bin/sh", "-c", "echo said; echo loud >&2"], log=tmp_path / "log",
                          output=tmp_path / "out"))  # fmt: skip
    assert child.wait(30) == 0
    assert ((tmp_path / "out").read_text(), (tmp_path / "log").read_text()) == ("said\n", "loud\n")


def test_a_group_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    child = start(Command(argv=[sys.executable, "-c", STUBBORN], log=log))
    assert eventually(lambda: "deaf" in log.read_text())
    stop(child, grace=0.2)
    assert child.returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="the parent-death signal is Linux's")
def test_a_child_dies_with_a_killed_parent(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "log")], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
    assert all_gone([child])


def test_a_zombie_is_not_alive() -> None:
    with subprocess.Popen(["/bin/true"]) as child:
        assert eventually(lambda: not is_alive(child.pid))
        assert child.returncode is None


def test_a_long_log_is_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.embedded.process._LOG_LIMIT", 10)
    log = tmp_path / "child.log"
    log.write_text("twelve bytes")
    assert start(Command(argv=["/bin/true"], log=log)).wait(30) == 0
    assert log.read_text() == ""
    assert (tmp_path / "child.old").read_text() == "twelve bytes"


def test_last_line_is_the_last_that_says_something(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("first\nFATAL:  cause \n\n  \n")
    assert last_line(tmp_path / "log") == "FATAL:  cause"
    assert last_line(tmp_path / "none") == ""

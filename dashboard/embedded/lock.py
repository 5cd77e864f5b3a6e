"""One owner per data folder."""

import errno
import fcntl
import os
from pathlib import Path

from dashboard.embedded.errors import EmbeddedError


class InstanceLock:
    """Advisory lock on ``var/lock``, held until ``release`` or the end of the process, however it ends.

    PostgreSQL guards its folder itself, but a second Valkey takes over a socket without a word.
    """

    def __init__(self, var: Path) -> None:
        self._path = var / "lock"
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    def acquire(self) -> None:
        """Raises EmbeddedError when another process holds the folder, or when it cannot be written."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise EmbeddedError(f"{self._path}: cannot be written ({error.strerror})") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "?"
            os.close(descriptor)
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            raise EmbeddedError(
                f"{self._path.parent}: already in use by process {owner}; "
                "stop it, or set NORTHSTAR_VAR to another folder"
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
        self._descriptor = descriptor

    def release(self) -> None:
        # The file stays: unlinking it would let two owners lock two files of the same name.
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

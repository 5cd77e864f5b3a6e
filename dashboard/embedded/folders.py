"""The private folder of the sockets: who may enter it may use the services."""

import contextlib
import os
import stat
from pathlib import Path

from dashboard.embedded.errors import EmbeddedError
from dashboard.embedded.paths import socket_folder


def make_socket_folder(var: Path) -> Path:
    """Create it with mode 0700; raises EmbeddedError when somebody else has put something there."""
    folder = socket_folder(var)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError as error:
        raise EmbeddedError(f"{folder}: exists and is no folder") from error
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise EmbeddedError(
            f"{folder}: belongs to user {found.st_uid}, so sockets in it would not be private"
        )
    folder.chmod(0o700)
    return folder


def remove_socket_folder(var: Path) -> None:
    """Leave no litter in the system's temporary directory; a folder still in use stays."""
    with contextlib.suppress(OSError):
        socket_folder(var).rmdir()

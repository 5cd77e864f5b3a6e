"""Where the embedded services live. Computed alike in every process, so nothing has to be discovered."""

import hashlib
import os
import tempfile
from pathlib import Path
from urllib.parse import quote

#: A unix socket's path may have 107 bytes; the longest name in the folder is PostgreSQL's.
_LONGEST = 107 - len("/.s.PGSQL.5432.lock")


def socket_folder(var: Path) -> Path:
    """``var/run``, or a short private folder in the system's temporary directory if that is too long."""
    inside = var / "run"
    if len(os.fsencode(inside)) <= _LONGEST and os.getuid() != 0:
        return inside
    digest = hashlib.sha256(os.fsencode(var)).hexdigest()[:12]
    return Path(tempfile.gettempdir(), f"northstar-{os.getuid()}-{digest}")


def postgres_url(var: Path) -> str:
    # The port is part of the socket's name; without it PGPORT in somebody's shell would choose another.
    return f"postgres://app@:5432/northstar?host={quote(str(socket_folder(var)))}"


def broker_url(var: Path) -> str:
    return f"redis+socket://{quote(str(socket_folder(var) / 'valkey.sock'), safe='/')}"

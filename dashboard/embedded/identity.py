"""As whom PostgreSQL runs. It refuses root, and a folder that is not its own.

``same``          we are not root: as ourselves.
``namespace``     root, usual case: a user namespace in which root is called 1000. Nothing changes owner.
``unprivileged``  root where namespaces are refused (Docker's default seccomp): as nobody, with the one
                  capability that lets it reach our folders. The data folder belongs to nobody then.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from dashboard.embedded.errors import EmbeddedError
from dashboard.embedded.process import helper_argv

#: os.access would ask for the real user without its capabilities.
_REACHABLE = "import os, sys; [os.listdir(place) for place in sys.argv[1:]]"
_NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Identity:
    """Name for exec_helper, and the owner that PostgreSQL's files must have."""

    name: str
    owner: int


def choose(*places: Path, names: tuple[str, ...] = ("namespace", "unprivileged")) -> Identity:
    """An identity that can be taken here and that reaches ``places``; raises EmbeddedError."""
    if os.getuid() != 0:
        return Identity("same", os.getuid())
    for name in names:
        if _works(name, places):
            return Identity(name, _NOBODY if name == "unprivileged" else 0)
    raise EmbeddedError(
        "root: PostgreSQL can run neither in a user namespace nor as nobody here; run as a normal user"
    )


def _works(name: str, places: tuple[Path, ...]) -> bool:
    argv = helper_argv([sys.executable, "-I", "-c", _REACHABLE, *map(str, places)], 0, name)
    tried = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=30)
    return tried.returncode == 0


def give(folder: Path, identity: Identity) -> None:
    """Make the data folder the identity's; only root's own two owners are exchanged.

    Raises EmbeddedError when the folder is another person's.
    """
    owner = folder.stat().st_uid
    if owner == identity.owner:
        return
    if os.getuid() != 0 or owner not in (0, _NOBODY):
        raise EmbeddedError(
            f"{folder}: belongs to user {owner}; run as that user, or set NORTHSTAR_VAR to another folder"
        )
    os.chown(folder, identity.owner, -1)
    for path in folder.rglob("*"):
        os.chown(path, identity.owner, -1, follow_symlinks=False)

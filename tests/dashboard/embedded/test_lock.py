"""One owner per data folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.embedded.errors import EmbeddedError
from dashboard.embedded.lock import InstanceLock

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "r+")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
input()
"""


def test_it_names_its_owner_and_can_be_taken_again(tmp_path: Path) -> None:
    lock = InstanceLock(tmp_path / "new" / "var")
    lock.acquire()
    assert lock.held
    assert (tmp_path / "new" / "var" / "lock").read_text() == f"{os.getpid()}\n"
    lock.release()
    assert not lock.held
    lock.acquire()
    lock.release()


def test_it_is_refused_while_another_process_has_it_and_free_when_that_dies(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("4711\n")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(
            EmbeddedError, match="already in use by process 4711; stop it, or set NORTHSTAR_VAR"
        ):
            InstanceLock(tmp_path).acquire()
        holder.kill()
    lock = InstanceLock(tmp_path)
    lock.acquire()
    lock.release()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EmbeddedError, match="cannot be written") as caught:
        InstanceLock(tmp_path / "file" / "var").acquire()
    assert "\n" not in str(caught.value)

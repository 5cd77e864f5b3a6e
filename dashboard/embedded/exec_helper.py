"""Run with ``python -I``: give up root if asked, die with the parent, then become the given program.

A program of its own because a hook between fork and exec (preexec_fn) is not safe with threads.
Usage: exec_helper.py PARENT_PID DEATH_SIGNAL IDENTITY PROGRAM [ARGUMENT ...]
IDENTITY: ``same``, ``namespace`` or ``unprivileged`` (see identity.py for what they mean).
"""

import ctypes
import os
import sys
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_KEEPCAPS, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 1, 8, 47, 2
_CLONE_NEWUSER = 0x10000000
_CAP_DAC_OVERRIDE = 1
_CAPABILITY_VERSION_3 = 0x20080522
_INSIDE = 1000
_NOBODY = 65534


def main() -> None:
    parent, death_signal, identity = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    if identity == "namespace":
        _enter_user_namespace()
    elif identity == "unprivileged":
        _become_nobody()
    # After the change of identity, which clears the setting.
    if sys.platform == "linux" and death_signal:
        _prctl(_PR_SET_PDEATHSIG, death_signal)
        # The parent may have died before the call above.
        if os.getppid() != parent:
            sys.exit(137)
    os.execv(sys.argv[4], sys.argv[4:])  # noqa: S606 - no shell is the point


def _enter_user_namespace() -> None:
    """Be uid 1000 here and root outside: PostgreSQL accepts us, and the files stay root's."""
    user, group = os.getuid(), os.getgid()
    _checked(_libc().unshare(_CLONE_NEWUSER), "unshare")
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{_INSIDE} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{_INSIDE} {group} 1", encoding="ascii")


def _become_nobody() -> None:
    """Be an unprivileged user that may still reach files below private folders (CAP_DAC_OVERRIDE)."""
    _prctl(_PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setgid(_NOBODY)
    os.setuid(_NOBODY)
    mask = 1 << _CAP_DAC_OVERRIDE
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    # Effective, permitted and inheritable, for capabilities 0-31 and then 32-63.
    sets = (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)
    _checked(_libc().capset(header, sets), "capset")
    _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, _CAP_DAC_OVERRIDE)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, first: int, second: int = 0) -> None:
    words = [ctypes.c_ulong(value) for value in (first, second, 0, 0)]
    _checked(_libc().prctl(option, *words), "prctl")


def _checked(result: int, call: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), call)


if __name__ == "__main__":
    main()

"""Run with ``python -I``: die with the parent, then become the program given as arguments.

A file of its own because a hook between fork and exec (preexec_fn) is not safe with threads.
Usage: exec_helper.py PARENT_PID PROGRAM [ARGUMENT ...]
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    parent = int(sys.argv[1])
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        # The parent may have died before the call above.
        if os.getppid() != parent:
            sys.exit(137)
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - no shell is the point


if __name__ == "__main__":
    main()

"""``python -m tests.system.ingest_children``: reads result files in forked children, so that many start fast.

A line on stdin is a path, or several separated by tabs, or ``catalogue``; the answer is the process id of the
child, and when it has ended its exit status.
"""

import os
import sys
from pathlib import Path

import django

CATALOGUE = "catalogue"


def ingest(path: Path) -> None:
    """What the door does with one file: bytes first, then the reading."""
    from results import clock
    from results.ingest.read_file import ingest_file
    from results.ingest.rows import Source
    from results.models import ResultFile
    from results.storage import put_file

    file, _made = ResultFile.objects.get_or_create(
        artifact=put_file(path),
        identity_digest="0" * 64,
        defaults={"path": path.name, "received_at": clock.now()},
    )
    ingest_file(file=file, source=Source(path.name, path))


def child(work: list[str]) -> None:
    status = 1
    try:
        if work == [CATALOGUE]:
            from results.services.load_catalogue import load_catalogue

            load_catalogue()
        else:
            for path in work:
                ingest(Path(path))
        status = 0
    finally:
        os._exit(status)


def main() -> None:
    django.setup()
    import results.ingest.read_file  # loaded once, before the first fork

    assert results.ingest.read_file
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
            child(line.rstrip("\n").split("\t"))
        answer(pid)
        _pid, status = os.waitpid(pid, 0)
        answer(os.waitstatus_to_exitcode(status))


def answer(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

"""The folder of one attempt on this host: ``var/work/<run>/<attempt>``."""

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID


class Workspace:
    """Paths of an attempt; whoever works in it holds its lock, also across a crash of everyone else."""

    def __init__(self, work: Path, run: UUID, number: int) -> None:
        self.run = run
        self.number = number
        self.root = work / str(run) / str(number)
        self.document = self.root / "run.json"
        self.bundle = self.root / "bundle"
        #: What the worker adds to the bundle's files.
        self.beside = self.root / "beside"
        self.log = self.beside / "supervisor.log"
        self.processes = self.root / "processes.json"

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Whether the lock was free; it is kept meanwhile. A dead process holds no lock."""
        self.root.mkdir(parents=True, exist_ok=True)
        with (self.root / "lock").open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True

    def prepare(self, document: dict[str, Any]) -> None:
        """An empty bundle beside the document to execute."""
        shutil.rmtree(self.bundle, ignore_errors=True)
        self.bundle.mkdir(parents=True)
        self.beside.mkdir(exist_ok=True)
        self.document.write_text(json.dumps(document), encoding="utf-8")

    def last_line(self) -> str:
        """The end of what the supervisor said to people; empty when it said nothing."""
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        except OSError:
            return ""
        return lines[-1] if lines else ""

    def remove(self) -> None:
        """After everything in it has been stored."""
        shutil.rmtree(self.root, ignore_errors=True)
        if self.root.parent.exists() and not any(self.root.parent.iterdir()):
            self.root.parent.rmdir()


def workspaces(work: Path) -> list[Workspace]:
    """All attempts that have a folder, oldest name first; other things in ``work`` are ignored."""
    found = []
    for folder in sorted(work.glob("*/*")):
        try:
            found.append(Workspace(work, UUID(folder.parent.name), int(folder.name)))
        except ValueError:
            continue
    return found

"""Reads AIPerf's log while it grows: which phase it is in."""

import re
from pathlib import Path

_MARKS = (
    ("warmup", re.compile(r"Phase \S+ \(warmup\) started")),
    ("profile", re.compile(r"Phase \S+ \(profiling\) started")),
    ("drain", re.compile(r"Phase \S+ \(profiling\) sending complete")),
    ("export", re.compile(r"Phase \S+ \(profiling\) complete")),
)


class LogFollower:
    """Phases seen so far; ``poll`` reads what is new."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._rest = ""
        self.phase = "prepare"

    def poll(self) -> list[str]:
        """Names of the phases that began since the last call, in order."""
        began = []
        for line in self._new_lines():
            for name, mark in _MARKS:
                if mark.search(line):
                    self.phase = name
                    began.append(name)
        return began

    def _new_lines(self) -> list[str]:
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        self._offset += len(data)
        *lines, self._rest = (self._rest + data.decode("utf-8", errors="replace")).split("\n")
        return lines

"""Reads AIPerf's log while it grows: which phase it is in, and afterwards why it failed."""

import re
from pathlib import Path

from results.documents.failures import FailureClass
from workers.engines.diagnosis import first_causal_line
from workers.failures import ExecutionFailure

_MARKS = (
    ("warmup", re.compile(r"Phase \S+ \(warmup\) started")),
    ("profile", re.compile(r"Phase \S+ \(profiling\) started")),
    ("drain", re.compile(r"Phase \S+ \(profiling\) sending complete")),
    ("export", re.compile(r"Phase \S+ \(profiling\) complete")),
)
_CAUSE = re.compile(
    r"ScenarioLock|violat|NoMatchingTrace|[Ww]armup.*(fail|abort)|threshold exceeded|aborting|HTTP (4|5)\d\d"
    r"|\b(404|Not Found)\b|Cannot connect|Connection refused",
)
_LEVEL = re.compile(r"\b(ERROR|CRITICAL)\b")


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


def failure(log: Path, phase: str, code: int) -> ExecutionFailure:
    """Class and causal line of a client that ended with ``code`` in ``phase``."""
    kind = FailureClass.WARMUP if phase == "warmup" else FailureClass.CLIENT
    return ExecutionFailure(kind, f"client: {causal_line(log)} (exit code {code}, phase {phase})")


def causal_line(log: Path) -> str:
    """First line that names a cause, without time stamp and source position."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    loud = [line for line in lines if _LEVEL.search(line)]
    telling = [line for line in loud if _CAUSE.search(line)] or loud
    found = telling[0] if telling else first_causal_line(log)
    return (
        re.sub(r"^\d\d:\d\d:\d\d\.\d+\s+\w+\s+|\s*\(\w+\.py:\d+\)$", "", found.strip())[:300] or "no output"
    )

"""What pip's log says: how far it is, and why it failed."""

import re
import time
from pathlib import Path

from results.documents.failures import FailureClass
from workers.failures import ExecutionFailure

#: The first pattern that pip printed is the cause; a missing network also ends in "no matching distribution".
_CAUSES = (
    (r"No space left on device|Disk quota exceeded", FailureClass.DISK_FULL, "no space left on device"),
    (
        r"NewConnectionError|NameResolutionError|Name or service not known|Temporary failure in name|"
        r"Network is unreachable|ConnectTimeout|ReadTimeout|ProxyError|SSLError",
        FailureClass.ENVIRONMENT,
        "no package index could be reached",
    ),
    (r"DO NOT MATCH THE HASHES", FailureClass.ENVIRONMENT, "a downloaded package is not the locked one"),
)
_DETAIL = 4000
#: Downloads and unpacking take about as long as each other.
_DOWNLOAD_SHARE = 0.5


class PipProgress:
    """Reads a growing log of ``pip install`` of ``total`` packages."""

    def __init__(self, name: str, total: int, log: Path) -> None:
        self._name = name
        self._total = total
        self._log = log
        self._offset = self._collected = 0
        self._rest = ""
        self._text = f"{name}: starting pip"
        self._installing_since: float | None = None

    def now(self) -> tuple[str, float]:
        """A text and the share done, 0 to 1; pip says nothing while it unpacks, so that part is estimated."""
        with self._log.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        self._offset += len(data)
        *lines, self._rest = (self._rest + data.decode("utf-8", errors="replace")).split("\n")
        for line in lines:
            self._read(line)
        return self._text, self._share()

    def _read(self, line: str) -> None:
        if line.startswith("Collecting "):
            self._collected += 1
            self._text = f"{self._name}: {line.split()[1]}"
        elif line.startswith("Installing collected"):
            self._text = f"{self._name}: installing {self._collected or self._total} packages"
            self._installing_since = time.monotonic()

    def _share(self) -> float:
        if self._installing_since is None:
            return _DOWNLOAD_SHARE * min(1.0, self._collected / self._total)
        # About half a second a package was measured; the estimate never arrives before pip does.
        passed = (time.monotonic() - self._installing_since) / (0.5 * self._total)
        return _DOWNLOAD_SHARE + (1 - _DOWNLOAD_SHARE) * passed / (1 + passed)


def pip_failure(name: str, log: str, code: int) -> ExecutionFailure:
    """The failure of a pip that ended with ``code`` after printing ``log``."""
    for pattern, kind, cause in _CAUSES:
        if re.search(pattern, log):
            return ExecutionFailure(kind, f"environment {name}: {cause}", log[-_DETAIL:])
    errors = [line.removeprefix("ERROR: ") for line in log.splitlines() if line.startswith("ERROR: ")]
    cause = errors[-1] if errors else f"pip ended with {code}"
    return ExecutionFailure(FailureClass.ENVIRONMENT, f"environment {name}: {cause}", log[-_DETAIL:])

"""The first line of a log that names a cause, for people who will not read all of it."""

import re
from pathlib import Path

#: What servers print when something is wrong, most telling first.
_CAUSES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"out of memory|cannot allocate memory|std::bad_alloc|failed to allocate",
        r"no space left on device",
        r"address already in use|couldn't bind|failed to bind",
        r"no such file or directory|failed to load model|error loading model|unknown model architecture",
        r"^[\w.]*(Error|Exception|Exit)\b\s*:",
        r"\b(fatal|panic|segmentation fault|assert(ion)? failed|GGML_ASSERT)\b",
        r"\berror\b",
    )
]
#: A traceback's frames name no cause; its last line does.
_NOISE = re.compile(r"^\s|^Traceback \(|error_rate|0 errors|errors?=0", re.IGNORECASE)
_LONGEST = 300
_MOST_BYTES = 4_000_000


def first_causal_line(path: Path) -> str:
    """The earliest line of the most telling kind; the last line when none matches; empty without a log."""
    lines = _lines(path)
    for cause in _CAUSES:
        for line in lines:
            if cause.search(line) and not _NOISE.search(line):
                return line.strip()[:_LONGEST]
    return lines[-1].strip()[:_LONGEST] if lines else ""


def _lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    with path.open("rb") as file:
        text = file.read(_MOST_BYTES).decode("utf-8", errors="replace")
    return [line for line in text.splitlines() if line.strip()]

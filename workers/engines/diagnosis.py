"""The first line of a log that names a cause, for people who will not read all of it."""

import re
from pathlib import Path

#: What servers print when something is wrong, most telling first.
_CAUSES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"out of memory|insufficient memory|cannot allocate memory|std::bad_alloc|failed to allocate",
        r"no space left on device",
        r"address already in use|couldn't bind|failed to bind",
        r"no such file or directory|failed to load model|error loading model|unknown model architecture",
        # Under pydantic's heading, which says no more than that something is wrong.
        r"^\s+(Value|Assertion) error, ",
        r"^[\w.]*(Error|Exception|Exit|Interrupt)\b\s*:",
        r"\b(fatal|panic|segmentation fault|assert(ion)? failed|GGML_ASSERT)\b",
        r"\berror\b",
    )
]
_PORT_IN_USE = _CAUSES[2]
#: A traceback's frames name no cause; its last line does.
_NOISE = re.compile(
    r"^\s+(?!(Value|Assertion) error, |\s)|^Traceback \(|error_rate|0 errors|errors?=0", re.IGNORECASE
)
#: What loggers put before a message: vLLM's process and level, llama.cpp's clock and level. One blank at
#: most belongs to it: deeper indentation is what marks a traceback's frames.
_PREFIX = re.compile(
    r"^(\(\w+ pid=\d+\) ?)?"
    r"((DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \[[^\]]+\] ?"
    r"|\d+\.\d\d\.\d{3}\.\d{3} [DIWEF] )?"
)
_LONGEST = 300
#: Of a long log the beginning and the end are read, so many bytes of each.
_PART = 2_000_000


def first_causal_line(path: Path) -> str:
    """The earliest line of the most telling kind; the last line when none matches; empty without a log."""
    lines = _lines(path)
    for cause in _CAUSES:
        for line in lines:
            if cause.search(line) and not _NOISE.search(line):
                return line.strip()[:_LONGEST]
    return lines[-1].strip()[:_LONGEST] if lines else ""


def names_a_taken_port(line: str) -> bool:
    return _PORT_IN_USE.search(line) is not None


def _lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    with path.open("rb") as file:
        data = file.read(_PART)
        file.seek(max(_PART, path.stat().st_size - _PART))
        text = (data + file.read()).decode("utf-8", errors="replace")
    return [line for line in (_PREFIX.sub("", raw) for raw in text.splitlines()) if line.strip()]

"""Reading logs that are stored: the end of one, or its lines that hold some words."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from results.storage import ArtifactError, open_artifact

#: Lines shown, bytes of the end that are read without a search, bytes that a search reads, bytes of a line.
LINES, TAIL, SEARCHED, LONGEST = 300, 128 * 1024, 64 * 1024 * 1024, 2000


@dataclass(frozen=True, slots=True)
class LogLines:
    """``lines`` are (number, text); numbers are None when only the end was read. ``fitting`` counts all hits.

    ``whole`` is False when the log goes on before or after what was read.
    """

    lines: tuple[tuple[int | None, str], ...]
    fitting: int
    read: int
    whole: bool


def log_tail(sha256: str, size: int) -> LogLines | None:
    """The last lines; None when the file is gone from the store."""
    try:
        with open_artifact(sha256) as stream:
            if size > TAIL:
                stream.seek(size - TAIL)
                # The first line is a part of one.
                stream.readline(TAIL)
            found = [_text(line) for line in _lines(stream)]
    except ArtifactError:
        return None
    shown = found[-LINES:]
    whole = size <= TAIL and len(shown) == len(found)
    return LogLines(tuple((None, line) for line in shown), len(shown), len(found), whole)


def log_search(sha256: str, wanted: str) -> LogLines | None:
    """The last lines that hold ``wanted``, whatever the case; None when the file is gone."""
    needle = wanted.casefold()
    kept: deque[tuple[int | None, str]] = deque(maxlen=LINES)
    fitting = read = taken = 0
    try:
        with open_artifact(sha256) as stream:
            for line in _lines(stream):
                read, taken = read + 1, taken + len(line)
                text = _text(line)
                if needle in text.casefold():
                    fitting += 1
                    kept.append((read, text))
                if taken > SEARCHED:
                    break
    except ArtifactError:
        return None
    return LogLines(tuple(kept), fitting, read, whole=taken <= SEARCHED and fitting == len(kept))


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines of at most a mebibyte: a file without line ends is no reason to hold all of it."""
    while line := stream.readline(1024 * 1024):
        yield line


def _text(line: bytes) -> str:
    text = line[:LONGEST].decode("utf-8", "replace").rstrip("\r\n")
    return text if len(line) <= LONGEST else f"{text} …"

"""What is wrong with a trace file, said so that a person can find it."""

from pathlib import Path
from typing import NamedTuple


class Violation(NamedTuple):
    """A broken rule at a JSON pointer (RFC 6901) of the file; the empty pointer is the whole file."""

    pointer: str
    rule: str


class TracesError(ValueError):
    """Traces that cannot be used; ``str`` is always one line."""

    def __init__(self, message: str) -> None:
        super().__init__(_one_line(message))


class TraceError(TracesError):
    """A trace that may not be replayed: the rule that is broken at a pointer of a file."""

    def __init__(self, path: Path | str, violation: Violation) -> None:
        self.path = Path(path)
        self.pointer = violation.pointer
        self.rule = violation.rule
        super().__init__(f"{path}: {self.pointer or '/'}: {self.rule}")


class CorpusError(TracesError):
    """A corpus that is not there, is another version, or may not be written over."""


class FitError(TracesError):
    """A session that cannot be made to fit a context."""


def pointer(*keys: str | int) -> str:
    """JSON pointer of a chain of keys."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


def _one_line(text: str) -> str:
    """Keys of a hostile file may hold line breaks, terminal codes or half characters."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)

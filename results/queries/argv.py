"""The command lines an attempt ran, read back from its evidence."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from results.queries.run_detail import ArtifactRow
from results.storage import ArtifactError, read_artifact

#: No honest command line is longer, in bytes.
_LONGEST = 64_000


@dataclass(frozen=True, slots=True)
class CommandLine:
    """``path`` in the bundle; ``text`` can be pasted into a POSIX shell."""

    path: str
    text: str


def command_lines(files: Iterable[ArtifactRow]) -> list[CommandLine]:
    """The engine's command line and the client's at the lowest load; each is one read of the store."""
    found = [file for file in files if file.path.endswith("argv.json") and file.size < _LONGEST]
    engine = [file for file in found if file.path.startswith("engine/")]
    client = sorted((file for file in found if file.path.startswith("loads/")), key=lambda file: file.path)
    texts = ((file.path, _text(file.sha256)) for file in [*engine[:1], *client[:1]])
    return [CommandLine(path, text) for path, text in texts if text]


def _text(sha256: str) -> str | None:
    """None when the file is gone from the store or is no list of arguments."""
    try:
        argv = orjson.loads(read_artifact(sha256))
    except (ArtifactError, orjson.JSONDecodeError):
        return None
    return shlex.join(str(word) for word in argv) if isinstance(argv, list) else None

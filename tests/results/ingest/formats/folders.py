"""Small files for readers of formats."""

import json
from pathlib import Path
from typing import Any

from results.ingest.rows import Source

#: Real files of other people; absent for whoever has the project alone.
SHARED = Path(__file__).parents[5] / "shared" / "data"


def source(folder: Path, content: Any, name: str = "file.json") -> Source:
    """``content``: bytes, text, or what becomes JSON. Siblings are the files of ``folder``."""
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return stored(path)


def stored(path: Path) -> Source:
    """A file on disk with its folder's files as siblings."""
    siblings = {item.name: item for item in path.parent.iterdir() if item.is_file()}
    return Source(path.name, path, siblings)

"""Small foreign files for the tests of their readers."""

import atexit
import shutil
from pathlib import Path
from tempfile import mkdtemp

from results.ingest.rows import Source

_FOLDER = mkdtemp(prefix="northstar-sources-")
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)


def source_of(content: bytes | str, name: str = "file", folder: Path | None = None) -> Source:
    """A source with this content; text becomes UTF-8 as it is."""
    location = (folder or Path(mkdtemp(dir=_FOLDER))) / name
    location.write_bytes(content.encode() if isinstance(content, str) else content)
    return Source(name, location)

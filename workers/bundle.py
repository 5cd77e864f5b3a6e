"""The folder of one attempt: names of its files, atomic writes, the manifest."""

import errno
import hashlib
import json
import os
from pathlib import Path
from typing import Any

MANIFEST = "MANIFEST.json"
#: Freed when the disk is full, so that the documents that say so still fit.
RESERVE_BYTES = 256 * 1024
_PROBE_BYTES = 64 * 1024


class Bundle:
    """File names are a contract (docs/runner-protocol.md)."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.engine = root / "engine"
        self.engine.mkdir(parents=True, exist_ok=True)
        self._reserve = root / ".reserve"

    @property
    def server_log(self) -> Path:
        return self.engine / "server.log"

    def load(self, load: int) -> Path:
        """Folder of a load, made if needed."""
        folder = self.root / "loads" / f"c{load:04d}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def reserve(self) -> None:
        """Take the room for the last documents now; raises OSError when it is not there."""
        _fill(self._reserve, RESERVE_BYTES)

    def release(self) -> None:
        self._reserve.unlink(missing_ok=True)

    def is_full(self) -> bool:
        """Whether the disk has no room for even a small file."""
        probe = self.root / ".probe"
        try:
            _fill(probe, _PROBE_BYTES)
        except OSError as error:
            return error.errno in (errno.ENOSPC, errno.EDQUOT)
        finally:
            probe.unlink(missing_ok=True)
        return False

    def write(self, name: str, document: Any) -> None:
        """Write JSON so that no reader ever sees half a file.

        On a full disk the document is written into the reserve, and the OSError is still raised.
        """
        text = json.dumps(document, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False) + "\n"
        try:
            _replace(self.root / name, text)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT) and self._reserve.exists():
                self.release()
                _replace(self.root / name, text)
            raise

    def write_manifest(self) -> None:
        """List every file with sha256 and size; written last."""
        paths = sorted(path for path in self.root.rglob("*") if path.is_file())
        files = [_entry(self.root, path) for path in paths if path.name != MANIFEST]
        self.write(MANIFEST, {"files": files})


def _replace(path: Path, text: str) -> None:
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _fill(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.write(bytes(size))
        file.flush()
        os.fsync(file.fileno())


def _entry(root: Path, path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"path": path.relative_to(root).as_posix(), "sha256": digest, "size": path.stat().st_size}

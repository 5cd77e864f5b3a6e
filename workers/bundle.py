"""The folder of one attempt: names of its files, atomic writes, the manifest."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any


class Bundle:
    """File names are a contract (docs/runner-protocol.md)."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.engine = root / "engine"
        self.engine.mkdir(parents=True, exist_ok=True)

    @property
    def server_log(self) -> Path:
        return self.engine / "server.log"

    def load(self, load: int) -> Path:
        """Folder of a load, made if needed."""
        folder = self.root / "loads" / f"c{load:04d}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def write(self, name: str, document: Any) -> None:
        """Write JSON so that no reader ever sees half a file."""
        path = self.root / name
        partial = path.with_name(path.name + ".partial")
        text = json.dumps(document, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False)
        with partial.open("w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)

    def write_manifest(self) -> None:
        """List every file with sha256 and size; written last."""
        paths = sorted(path for path in self.root.rglob("*") if path.is_file())
        files = [_entry(self.root, path) for path in paths if path.name != "MANIFEST.json"]
        self.write("MANIFEST.json", {"files": files})


def _entry(root: Path, path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"path": path.relative_to(root).as_posix(), "sha256": digest, "size": path.stat().st_size}

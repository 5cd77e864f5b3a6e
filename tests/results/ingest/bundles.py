"""Bundles as a supervisor leaves them, around the hand-written load in ``tests/data/load``."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from results.documents.run import RunDocument, check_executable
from tests.factories import run_json

DATA = Path(__file__).resolve().parents[2] / "data" / "load"
RUN = "3f1c9a52-7d0e-4f0b-9a55-0c1d2e3f4a5b"


def write_load(root: Path, load: int, **changes: Any) -> Path:
    """Folder of ``load`` with the hand-written records; ``changes`` replace fields of ``load.json``."""
    folder = root / "loads" / f"c{load:04d}"
    shutil.copytree(DATA, folder)
    facts = json.loads((folder / "load.json").read_text(encoding="utf-8"))
    (folder / "load.json").write_text(json.dumps({**facts, "load": load, **changes}), encoding="utf-8")
    return folder


def write_bundle(root: Path, *, loads: tuple[int, ...] = (1, 2), attempt: dict[str, Any] | None = None,
                 run: dict[str, Any] | None = None) -> Path:  # fmt: skip
    """A finished bundle of a run over ``loads``."""
    (root / "engine").mkdir(parents=True)
    (root / "engine" / "server.log").write_text("listening\n", encoding="utf-8")
    document = check_executable(RunDocument.model_validate(run_json(**(run or {})))).to_json()
    ended: dict[str, Any] = {
        "schema": "northstar.attempt/1", "run_id": RUN, "attempt": 0,
        "started_at": "2026-09-21T14:12:00.000+00:00", "ended_at": "2026-09-21T14:15:00.000+00:00",
        "outcome": "succeeded", "failure": None,
        "phases": [{"name": "profile", "load": 2, "started_at": "2026-09-21T14:13:20.000+00:00",
                    "ended_at": "2026-09-21T14:13:40.000+00:00"}],
        "versions": {"engine": "2026.10.11549", "client": "0.13.0"},
        "argv": {"engine": ["llama-server"]}, "environment": {},
    }  # fmt: skip
    write_json(root / "run.json", document)
    write_json(root / "attempt.json", ended | (attempt or {}))
    write_json(root / "host.json", {"hostname": "bench-1", "cpu_count": 2})
    for load in loads:
        write_load(root, load)
    return seal(root)


def seal(root: Path) -> Path:
    """Write the manifest of what is there now."""
    paths = sorted(path for path in root.rglob("*") if path.is_file() and path.name != "MANIFEST.json")
    files = [
        {
            "path": path.relative_to(root).as_posix(),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "size": path.stat().st_size,
        }
        for path in paths
    ]
    write_json(root / "MANIFEST.json", {"files": files})
    return root


def write_json(path: Path, document: Any) -> None:
    path.write_text(json.dumps(document), encoding="utf-8")


def change_json(path: Path, **changes: Any) -> None:
    write_json(path, json.loads(path.read_text(encoding="utf-8")) | changes)

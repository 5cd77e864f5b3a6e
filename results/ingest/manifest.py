"""A bundle on disk: its documents and files, checked before anything is stored."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from results.documents import strict_json
from results.documents.base import one_line
from results.documents.evidence import AttemptDocument, Manifest, ManifestEntry
from results.documents.refusal import DocumentError
from results.documents.run import RunDocument
from results.ingest.store import BundleFile

MANIFEST = "MANIFEST.json"
_LOAD_FOLDER = re.compile(r"loads/c(\d{4,5})(?:/|$)")
_LARGEST_DOCUMENT = 16 * 1024 * 1024
Model = TypeVar("Model", bound=BaseModel)


class BundleError(ValueError):
    """The folder is no bundle we can take; the message is one line with file, field and rule."""


@dataclass(frozen=True, slots=True)
class BundleOnDisk:
    """A checked bundle: every listed file has its size and digest."""

    root: Path
    run: RunDocument
    attempt: AttemptDocument
    files: tuple[BundleFile, ...]
    manifest_sha256: str

    @property
    def loads(self) -> tuple[int, ...]:
        return tuple(sorted({file.load for file in self.files if file.load is not None}))


def read_bundle(root: Path) -> BundleOnDisk:
    """The bundle in folder ``root``; BundleError at the first thing that is wrong."""
    if not root.is_dir():
        raise BundleError(f"{root.name or root}: is no folder")
    body = _document(root, MANIFEST)
    manifest = _parse(MANIFEST, body, Manifest)
    files = tuple(_checked(root, entry) for entry in manifest.files)
    listed = {file.path for file in files}
    for name in ("run.json", "attempt.json", "host.json"):
        if name not in listed:
            raise BundleError(f"{MANIFEST}: {name} is not listed")
    _object("host.json", _document(root, "host.json"))
    digest = hashlib.sha256(body).hexdigest()
    return BundleOnDisk(
        root=root,
        run=_run(root),
        attempt=_parse("attempt.json", _document(root, "attempt.json"), AttemptDocument),
        files=(*files, BundleFile(MANIFEST, root / MANIFEST, sha256=digest)),
        manifest_sha256=digest,
    )


def load_of(path: str) -> int | None:
    """The load whose folder holds ``path`` (``loads/c0002/...``), or None."""
    match = _LOAD_FOLDER.match(path)
    return int(match[1]) if match else None


def files_under(root: Path, folder: Path) -> list[BundleFile]:
    """Every regular file below ``folder`` as a file of the bundle ``root``; links are not followed."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    names = [(path.relative_to(root).as_posix(), path) for path in found]
    return [BundleFile(name, path, load_of(name)) for name, path in names]


def _run(root: Path) -> RunDocument:
    value = _object("run.json", _document(root, "run.json"))
    try:
        return RunDocument.model_validate(value)
    except ValidationError as error:
        raise BundleError(f"run.json: {one_line(error)}") from error


def _document(root: Path, name: str) -> bytes:
    path = root / name
    if not path.is_file() or path.is_symlink():
        raise BundleError(f"{name}: is missing")
    if path.stat().st_size > _LARGEST_DOCUMENT:
        raise BundleError(f"{name}: is larger than {_LARGEST_DOCUMENT} bytes")
    return path.read_bytes()


def _object(name: str, body: bytes) -> dict[str, Any]:
    try:
        value = strict_json.loads(body)
    except (strict_json.MalformedJsonError, DocumentError) as error:
        raise BundleError(f"{name}: {error}") from error
    if not isinstance(value, dict):
        raise BundleError(f"{name}: must be an object")
    return value


def _parse(name: str, body: bytes, model: type[Model]) -> Model:
    _object(name, body)
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise BundleError(f"{name}: {one_line(error)}") from error


def _checked(root: Path, entry: ManifestEntry) -> BundleFile:
    path = root.joinpath(*entry.path.split("/"))
    if any(part.is_symlink() for part in (path, *path.parents) if part != root and root in part.parents):
        raise BundleError(f"{entry.path}: is a link")
    if not path.is_file():
        raise BundleError(f"{entry.path}: is listed in {MANIFEST} and missing")
    if path.stat().st_size != entry.size:
        raise BundleError(f"{entry.path}: has {path.stat().st_size} bytes, {MANIFEST} says {entry.size}")
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != entry.sha256:
        raise BundleError(f"{entry.path}: sha256 differs from {MANIFEST}")
    return BundleFile(entry.path, path, load_of(entry.path), entry.sha256)

"""Artifacts: files stored under their sha256, written once, kept before anything is read out of them.

The bytes live in the storage that the settings call ``artifacts`` (a folder or an S3-compatible store).
Names are derived from the digest alone, so nothing that a user wrote ever becomes a path.
"""

import errno
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, BinaryIO

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, Storage, storages

from results import clock
from results.models import Artifact

BINARY = "application/octet-stream"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CHUNK = 1024 * 1024
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})


class ArtifactError(Exception):
    """Something is wrong with the artifact store; the message is one line."""


class StorageFullError(ArtifactError):
    """The store has no space left; nothing was stored."""


class ArtifactMissingError(ArtifactError):
    """No artifact has this digest, or its file is gone."""


class ArtifactCorruptError(ArtifactError):
    """The bytes are not those that the digest promises."""


def put_bytes(content: bytes, media_type: str = BINARY) -> Artifact:
    return put_stream(BytesIO(content), media_type)


def put_file(path: Path, media_type: str = BINARY, *, sha256: str | None = None) -> Artifact:
    """Store a file; ArtifactCorruptError when its digest is not the ``sha256`` that was promised."""
    with path.open("rb") as stream:
        return put_stream(stream, media_type, sha256=sha256)


def put_stream(stream: BinaryIO, media_type: str = BINARY, *, sha256: str | None = None) -> Artifact:
    """Store what the stream yields and its row; the same bytes again store nothing.

    Raises StorageFullError, or ArtifactCorruptError when the digest is not the promised ``sha256``.
    """
    with _typed_errors(), _spool() as spool:
        digest, size = _copy(stream, spool)
        if sha256 is not None and digest != sha256:
            raise ArtifactCorruptError(f"content has sha256 {digest}, expected {sha256}")
        _keep(spool, digest, size)
    columns = {"size": size, "media_type": media_type, "stored_at": clock.now()}
    return Artifact.objects.get_or_create(sha256=digest, defaults=columns)[0]


def open_artifact(sha256: str) -> IO[bytes]:
    """The stored bytes as a stream to be closed by the caller; ArtifactMissingError without them."""
    name = _name(sha256)
    try:
        file: IO[bytes] = _storage().open(name, "rb")
    except FileNotFoundError as error:
        raise ArtifactMissingError(f"no artifact {sha256}") from error
    return file


def read_artifact(sha256: str) -> bytes:
    """The whole content; ArtifactCorruptError when it no longer has its digest."""
    with open_artifact(sha256) as stream:
        content = stream.read()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ArtifactCorruptError(f"artifact {sha256} has changed in the store")
    return content


def put_derived(sha256: str, suffix: str, content: bytes) -> None:
    """Keep what can be made anew from an artifact beside the artifacts; no row knows of it.

    ``suffix`` names what it is. What was kept before is replaced. Raises StorageFullError.
    """
    with _typed_errors():
        storage, name = _storage(), _derived(sha256, suffix)
        storage.delete(name)
        stored = storage.save(name, File(BytesIO(content)))
        if stored != name:
            # Another process has made the same meanwhile.
            storage.delete(stored)


def read_derived(sha256: str, suffix: str) -> bytes | None:
    """What was kept, unchecked: its reader must tell whether it is whole. None when there is nothing."""
    try:
        with _storage().open(_derived(sha256, suffix), "rb") as stream:
            content: bytes = stream.read()
            return content
    except FileNotFoundError:
        return None


def _derived(sha256: str, suffix: str) -> str:
    return f"derived/{_name(sha256)}.{suffix}"


def is_digest(text: str) -> bool:
    return _SHA256.fullmatch(text) is not None


def _storage() -> Storage:
    return storages["artifacts"]


def _name(sha256: str) -> str:
    """Path inside the store; ValueError for anything but a digest. Two levels keep folders small."""
    if not is_digest(sha256):
        raise ValueError("a sha256 is 64 lower-case hexadecimal digits")
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}"


def _copy(source: BinaryIO, target: IO[bytes]) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while chunk := source.read(_CHUNK):
        digest.update(chunk)
        target.write(chunk)
        size += len(chunk)
    target.flush()
    return digest.hexdigest(), size


def _keep(spool: IO[bytes], digest: str, size: int) -> None:
    storage, name = _storage(), _name(digest)
    if storage.exists(name):
        if storage.size(name) == size:
            return
        # Only a damaged store has another size under a digest; the good bytes are at hand.
        storage.delete(name)
    os.fsync(spool.fileno())
    stored = storage.save(name, _Spooled(spool, name))
    if stored != name:
        # Another process stored the same bytes meanwhile, and the storage evaded to a second name.
        storage.delete(stored)
    if storage.size(name) != size:
        raise ArtifactCorruptError(f"artifact {digest} was stored with another size")


class _Spooled(File):  # type: ignore[type-arg]
    """A complete temporary file; a folder takes it by rename, so no reader ever sees a part of it."""

    def __init__(self, spool: IO[bytes], name: str) -> None:
        spool.seek(0)
        super().__init__(spool, name)
        self._path = spool.name

    def temporary_file_path(self) -> str:
        return self._path


@contextmanager
def _spool() -> Iterator[IO[bytes]]:
    """A temporary file on the same file system as the store, gone afterwards unless it was renamed."""
    folder: Path | None = None
    storage = _storage()
    if isinstance(storage, FileSystemStorage):
        folder = Path(storage.path("incoming"))
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix="artifact-", delete=False) as spool:
        try:
            yield spool
        finally:
            Path(spool.name).unlink(missing_ok=True)


@contextmanager
def _typed_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise StorageFullError("no space left in the artifact store") from error
        raise

"""Keeps a file of a delivery before anything is read out of it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from results import clock
from results.documents.identity import covers, identity_digest
from results.models import Artifact, ResultFile, Upload, UploadedFile
from results.storage import BINARY, put_file

_MEDIA_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".csv": "text/csv",
    ".txt": "text/plain",
    ".log": "text/plain",
}


def keep_bytes(location: Path, path: str, *, validate_only: bool) -> Artifact:
    """The artifact of a file; with ``validate_only`` its row alone, for a transaction that is undone."""
    media_type = _MEDIA_TYPES.get(Path(path).suffix.lower(), BINARY)
    if not validate_only:
        return put_file(location, media_type)
    with location.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    columns = {"size": location.stat().st_size, "media_type": media_type, "stored_at": clock.now()}
    return Artifact.objects.get_or_create(sha256=digest, defaults=columns)[0]


def keep_file(upload: Upload, artifact: Artifact, path: str, identity: Mapping[str, Any]) -> ResultFile:
    """The row of a content with an identity, as a file of the upload.

    Bytes that came before with at least this identity are the same file: less is nothing new.
    """
    rows = ResultFile.objects.filter(artifact=artifact).order_by("id")
    file = next((row for row in rows if covers(row.identity, identity)), None)
    if file is None:
        file, _made = ResultFile.objects.get_or_create(
            artifact=artifact,
            identity_digest=identity_digest(identity),
            defaults={"identity": identity, "path": path, "received_at": clock.now()},
        )
    UploadedFile.objects.get_or_create(upload=upload, path=path, defaults={"file": file})
    return file

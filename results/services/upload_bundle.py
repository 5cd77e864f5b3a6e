"""Takes the bundle of a run that was executed on a host without database."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from uuid import UUID

from django.conf import settings
from django.db import transaction

from results import clock
from results.documents.evidence import AttemptDocument
from results.ingest.bundle import Ingested, ingest_bundle
from results.ingest.manifest import BundleError, read_bundle
from results.ingest.tarball import unpack_bundle
from results.models import ApiToken, AuditEvent, Run


@contextmanager
def work_folder(prefix: str) -> Iterator[Path]:
    """An empty folder beside the data, gone afterwards."""
    work = Path(settings.VAR, "work")
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work, prefix=prefix) as folder:
        yield Path(folder)


def upload_bundle(*, archive: IO[bytes], token: ApiToken, request_id: str = "") -> Ingested:
    """Store and read an uploaded bundle; the same bundle again changes nothing.

    ``token`` owns the runs it brought; the run of anyone else is out of its reach. BundleError for what is
    refused as a whole, StorageFullError when the store is full.
    """
    with work_folder("upload-") as folder:
        return take_bundle(root=unpack_bundle(archive, folder), token=token, request_id=request_id)


def take_bundle(*, root: Path, token: ApiToken, request_id: str = "") -> Ingested:
    """The same for a bundle that is unpacked already."""
    is_new = check_owner(read_bundle(root).attempt, token)
    ingested = ingest_bundle(root)
    _own(ingested, token, is_new, request_id)
    return ingested


def check_owner(attempt: AttemptDocument, token: ApiToken) -> bool:
    """Whether the run is new; BundleError when it is someone else's."""
    known = Run.objects.filter(id=UUID(attempt.run_id)).first()
    if known is not None and known.submitted_by_id != token.id:
        raise BundleError("attempt.json: /run_id: this token did not bring that run")
    return known is None


@transaction.atomic
def _own(ingested: Ingested, token: ApiToken, is_new: bool, request_id: str) -> None:
    if is_new:
        Run.objects.filter(id=ingested.run, submitted_by=None).update(submitted_by=token)
    AuditEvent.objects.create(
        at=clock.now(),
        actor=f"token:{token.prefix}",
        verb="upload",
        object_type="attempt",
        object_id=f"{ingested.run}/{ingested.number}",
        details={"new_files": ingested.new_files, "points": list(ingested.points)},
        request_id=request_id,
    )

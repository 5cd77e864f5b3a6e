"""Completes what a stored file does not say about itself, and reads it again at once."""

from typing import Any

from django.db import transaction

from results import clock
from results.documents.identity import identity_digest, merged, read_identity
from results.documents.refusal import DocumentError, Problem
from results.ingest.companions import stored_source
from results.ingest.file_quarantine import quarantine_rows
from results.ingest.read_file import reread_file
from results.ingest.reports import FileReport
from results.ingest.staging import open_stage
from results.models import ApiToken, AuditEvent, ResultFile
from results.services.deliveries import DOOR_FORMATS


@transaction.atomic
def complete_identity(
    *, file_id: int, identity: Any, token: ApiToken, request_id: str = ""
) -> tuple[ResultFile, FileReport]:
    """The file with what it was known by and ``identity`` together, and what reading it left.

    Where both state a field, the new statement holds. Another file with the same bytes and the same whole
    identity takes over. ResultFile.DoesNotExist without such a file, DocumentError for a bad identity.
    """
    # The lock of all readers: a file must not be read while its identity changes.
    open_stage()
    file = ResultFile.objects.get(id=file_id)
    if file.format in DOOR_FORMATS:
        message = f"{file.path} is no result file: send it again where it is broken"
        raise DocumentError([Problem(pointer="", rule="no_result_file", message=message)])
    stated = read_identity(identity)
    whole = read_identity(merged(file.identity, stated))
    chosen = _with_identity(file, whole)
    with stored_source(chosen) as source:
        report = reread_file(file=chosen, source=source)
    _note(file, chosen, stated, token, request_id)
    return chosen, report


def _with_identity(file: ResultFile, identity: dict[str, Any]) -> ResultFile:
    digest = identity_digest(identity)
    twin = ResultFile.objects.filter(artifact=file.artifact_id, identity_digest=digest).first()
    if twin is not None and twin != file:
        quarantine_rows(file, (), parser_version=file.parser_version)
        return twin
    file.identity, file.identity_digest = identity, digest
    file.save(update_fields=["identity", "identity_digest"])
    return file


def _note(
    file: ResultFile, chosen: ResultFile, stated: dict[str, Any], token: ApiToken, request_id: str
) -> None:
    AuditEvent.objects.create(
        at=clock.now(),
        actor=f"token:{token.prefix}",
        verb="identity",
        object_type="result_file",
        object_id=str(file.id),
        details={"stated": stated, "file": chosen.id},
        request_id=request_id,
    )

"""Takes result files of strangers: bytes are stored first, archives are opened, then each file is read.

An upload that was interrupted keeps its bytes and has no report; sending it again completes it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import transaction

from results import clock
from results.ingest.archive_streams import Budget
from results.ingest.archives import archive_kind
from results.ingest.file_quarantine import quarantine_rows
from results.ingest.read_file import ingest_file
from results.ingest.reports import FileReport
from results.ingest.rows import Source
from results.models import Artifact, AuditEvent, ResultFile, Upload
from results.services import nearby_identity, receive_bundle
from results.services.deliveries import BUNDLE, IDENTITY, Delivery, Names, Sent, report_json
from results.services.keep_file import keep_bytes, keep_file
from results.services.open_archives import ArchiveOpener
from results.services.upload_bundle import work_folder


@dataclass(frozen=True, slots=True)
class Received:
    """``upload`` is None when nothing was to be changed."""

    upload: UUID | None
    report: dict[str, Any]


def receive_upload(*, sent: Sequence[Sent], delivery: Delivery) -> Received:
    """Store and read a delivery; the same files again change no result.

    With ``validate_only`` the report is the same and nothing else is left. Raises StorageFullError.
    """
    names = Names()
    sent = [Sent(names.unique(file.path), file.location) for file in sent]
    with _undone(only=delivery.validate_only):
        receiver = _Receiver(delivery, names)
        report = report_json(receiver.receive(sent))
        receiver.finish(report)
    return Received(None if delivery.validate_only else receiver.upload.id, report)


@contextmanager
def _undone(*, only: bool) -> Iterator[None]:
    """With ``only`` whatever is written is rolled back."""
    if not only:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


class _Receiver:
    def __init__(self, delivery: Delivery, names: Names) -> None:
        self._delivery = delivery
        self._names = names
        self.upload = Upload(handle=delivery.handle, name=delivery.name[:512], identity=delivery.identity)

    def receive(self, sent: Sequence[Sent]) -> list[FileReport]:
        """Bytes of everything that was sent are stored before any of it is opened."""
        artifacts = {file.path: self._keep_bytes(file) for file in sent}
        archives = [file for file in sent if archive_kind(file.location) is not None]
        packed = {file.path for file in archives}
        plain = [file for file in sent if file.path not in packed]
        self._create_upload(artifacts[archives[0].path] if len(sent) == len(archives) == 1 else None)
        for file in archives:
            keep_file(self.upload, artifacts[file.path], file.path, {})
        reports = self._read(plain)
        shared = Budget(sum(file.location.stat().st_size for file in archives))
        for file in archives:
            reports += self._read_archive(file, shared)
        return reports

    def finish(self, report: dict[str, Any]) -> None:
        """Keep the report, which says that the upload was read to its end."""
        self.upload.report = report
        self.upload.save(update_fields=["report"])
        token = self._delivery.token
        AuditEvent.objects.create(
            at=clock.now(),
            actor="operator" if token is None else f"token:{token.prefix}",
            verb="upload",
            object_type="upload",
            object_id=str(self.upload.id),
            details=report["totals"],
            request_id=self._delivery.request_id,
        )

    def _create_upload(self, archive: Artifact | None) -> None:
        self.upload.artifact = archive
        self.upload.uploaded_by = self._delivery.token
        self.upload.received_at = clock.now()
        self.upload.save()

    def _read_archive(self, file: Sent, shared: Budget) -> list[FileReport]:
        # A request draws on one budget; an operator's files have one each.
        api = self._delivery.handle == Upload.Handle.API
        budget = shared if api else Budget(file.location.stat().st_size)
        with work_folder("archive-") as folder:
            opener = ArchiveOpener(self._keep, self._names, folder, budget)
            files = list(opener.files(file))
            return opener.reports + self._read(files)

    def _read(self, files: Sequence[Sent]) -> list[FileReport]:
        bundles, others = receive_bundle.find_bundles(files)
        identities, others = nearby_identity.split(others)
        nearby = nearby_identity.Nearby(self._delivery.identity)
        reports = [self._read_identity(file, nearby) for file in identities]
        rows = [(file, self._keep(file, nearby.of(file.path))) for file in others]
        reports += [self._read_bundle(bundle) for bundle in bundles]
        folders: dict[str, dict[str, Path]] = {}
        for file in others:
            folder, _slash, name = file.path.rpartition("/")
            folders.setdefault(folder, {})[name] = file.location
        for file, row in rows:
            siblings = folders[file.path.rpartition("/")[0]]
            reports.append(self._read_file(row, Source(file.path, file.location, siblings)))
        return reports

    def _read_file(self, row: ResultFile, source: Source) -> FileReport:
        return ingest_file(
            file=row,
            source=source,
            validate_only=self._delivery.validate_only,
            accept=self._delivery.accept,
        )

    def _read_identity(self, file: Sent, nearby: nearby_identity.Nearby) -> FileReport:
        row = self._keep(file)
        refused = nearby.add(file)
        form, version = IDENTITY, nearby_identity.VERSION
        self._close(row, form, version)
        quarantine_rows(row, refused, parser_version=f"{form}/{version}")
        return FileReport(file.path, row.artifact_id, form, version, quarantined=refused)

    def _read_bundle(self, bundle: receive_bundle.FoundBundle) -> FileReport:
        row = self._keep(bundle.manifest)
        form, version = BUNDLE, receive_bundle.VERSION
        self._close(row, form, version)
        with work_folder("bundle-") as folder:
            report = receive_bundle.receive_bundle(bundle, row.artifact_id, self._delivery, folder)
        whole = tuple(item for item in report.quarantined if not item.pointer)
        quarantine_rows(row, whole, parser_version=f"{form}/{version}")
        return report

    def _keep(self, file: Sent, identity: Any = None) -> ResultFile:
        return keep_file(self.upload, self._keep_bytes(file), file.path, identity or {})

    def _keep_bytes(self, file: Sent) -> Artifact:
        return keep_bytes(file.location, file.path, validate_only=self._delivery.validate_only)

    def _close(self, row: ResultFile, form: str, version: str) -> None:
        """A file that the door reads itself."""
        columns = {"format": form, "format_version": version, "parser_version": f"{form}/{version}"}
        ResultFile.objects.filter(id=row.id).update(**columns, read_at=clock.now())

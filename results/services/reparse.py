"""Reads stored files again, without their being sent: after an alias was added or a parser was mended."""

from collections.abc import Iterator

from results.ingest import formats
from results.ingest.companions import stored_source
from results.ingest.read_file import reread_file
from results.ingest.reports import FileReport, Refused
from results.models import ResultFile
from results.storage import ArtifactError


def reparse(*, sha256: str | None = None) -> Iterator[FileReport]:
    """Read every stored file, or the one content, again; one report and one transaction for each.

    Points that a file no longer states are deleted unless another file states them, refused rows that can
    be read by now go in. What the door reads itself (bundles, identities, archives) is left alone.
    """
    files = ResultFile.objects.filter(format__in=["", *(form.NAME for form in formats.FORMATS)])
    files = files.filter(read_at__isnull=False)
    if sha256 is not None:
        files = files.filter(artifact=sha256)
    for file in list(files.order_by("id")):
        yield reread(file)


def reread(file: ResultFile) -> FileReport:
    """Read one stored file again; a content that the store has lost changes nothing and is said."""
    try:
        with stored_source(file) as source:
            return reread_file(file=file, source=source)
    except ArtifactError as error:
        return FileReport(file.path, file.artifact_id, file.format, quarantined=(Refused("", str(error)),))

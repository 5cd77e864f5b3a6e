"""Archives of a delivery, and archives inside them: stored first, then opened."""

from collections.abc import Callable, Iterator
from pathlib import Path

from results.ingest.archive_streams import ArchiveError, Budget
from results.ingest.archives import VERSION, Contents, archive_kind, unpack
from results.ingest.file_quarantine import quarantine_rows
from results.ingest.reports import FileReport, Refused
from results.models import ResultFile
from results.services.deliveries import ARCHIVE, Names, Sent


class ArchiveOpener:
    """Yields the files of one archive; ``reports`` says what became of it and of those inside it."""

    def __init__(
        self, keep: Callable[[Sent], ResultFile], names: Names, folder: Path, budget: Budget
    ) -> None:
        self.reports: list[FileReport] = []
        self._keep = keep
        self._names = names
        self._folder = folder
        self._budget = budget

    def files(self, sent: Sent, depth: int = 1) -> Iterator[Sent]:
        """``sent`` itself when it is no archive."""
        kind = archive_kind(sent.location)
        if kind is None:
            yield sent
            return
        row = self._keep(sent)
        contents, refused = self._open(sent, kind, depth)
        quarantine_rows(row, refused, parser_version=VERSION)
        self.reports.append(_report(sent, row, kind, contents, refused))
        for member in contents.members:
            path = self._names.unique(_path(sent.path, kind, member.name))
            yield from self.files(Sent(path, member.location), depth + 1)

    def _open(self, sent: Sent, kind: str, depth: int) -> tuple[Contents, tuple[Refused, ...]]:
        most = self._budget.limits.depth
        if depth > most:
            return Contents(), (Refused("", f"stands in more than {most - 1} other archives"),)
        try:
            contents = unpack(sent.location, kind, self._folder, self._budget)
        except ArchiveError as error:
            return Contents(), (Refused("", f"the archive {error}; nothing of it was read"),)
        return contents, tuple(contents.refused)


def _path(archive: str, kind: str, name: str) -> str:
    """``results.zip/a/b.json``; the content of ``a.json.xz`` is ``a.json``."""
    if name:
        return f"{archive}/{name}"
    plain = archive.removesuffix(f".{kind}")
    return plain if plain != archive else f"{archive}/content"


def _report(
    sent: Sent, row: ResultFile, kind: str, contents: Contents, refused: tuple[Refused, ...]
) -> FileReport:
    ResultFile.objects.filter(id=row.id).update(
        format=ARCHIVE, format_version=kind, parser_version=VERSION, read_at=row.received_at
    )
    remarks = () if contents.members or refused else ("holds no file",)
    return FileReport(sent.path, row.artifact_id, ARCHIVE, kind, quarantined=refused, remarks=remarks)

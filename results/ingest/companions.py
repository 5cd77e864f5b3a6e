"""Files that came in the same folder: some formats read two of them together.

A file may be sent alone and later with its folder, or the other way round; what it means must not depend
on that. So a file is read together with everything that ever stood beside it.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from results.ingest.rows import Source
from results.models import ResultFile, UploadedFile
from results.storage import open_artifact


def names_digest(names: Iterable[str]) -> str:
    """sha256 of the names of the files that stood beside a file."""
    return hashlib.sha256("\n".join(sorted(names)).encode("utf-8")).hexdigest()


class StoredFiles(Mapping[str, Path]):
    """Artifacts by file name; one is copied into ``folder`` when it is asked for."""

    def __init__(self, artifacts: Mapping[str, str], folder: Path) -> None:
        self._artifacts = artifacts
        self._folder = folder

    def __getitem__(self, name: str) -> Path:
        return local_copy(self._artifacts[name], self._folder)

    def __iter__(self) -> Iterator[str]:
        return iter(self._artifacts)

    def __len__(self) -> int:
        return len(self._artifacts)


class _Both(Mapping[str, Path]):
    def __init__(self, local: Mapping[str, Path], stored: Mapping[str, Path]) -> None:
        self._local = local
        self._stored = stored

    def __getitem__(self, name: str) -> Path:
        return self._local[name] if name in self._local else self._stored[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._local, *self._stored)))

    def __len__(self) -> int:
        return len(self._local.keys() | self._stored.keys())


def local_copy(sha256: str, folder: Path) -> Path:
    """A readable copy of an artifact. Raises ArtifactError when it cannot be read."""
    target = folder / sha256
    if not target.exists():
        with open_artifact(sha256) as stored, target.open("wb") as copy:
            shutil.copyfileobj(stored, copy)
    return target


@contextmanager
def with_earlier_companions(file: ResultFile, source: Source) -> Iterator[Source]:
    """The source beside everything that stood beside this content in any delivery."""
    if file.read_at is None:
        yield source
        return
    stored = {name: sha256 for name, sha256 in earlier(file).items() if name not in source.siblings}
    if not stored:
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="northstar-") as folder:
        yield replace(source, siblings=_Both(source.siblings, StoredFiles(stored, Path(folder))))


@contextmanager
def stored_source(file: ResultFile) -> Iterator[Source]:
    """A stored file as a format sees it, without the delivery that brought it."""
    with tempfile.TemporaryDirectory(prefix="northstar-") as name:
        folder = Path(name)
        siblings = StoredFiles(earlier(file), folder)
        yield Source(file.path, local_copy(file.artifact_id, folder), siblings)


def earlier(file: ResultFile) -> dict[str, str]:
    """sha256 of the files that stood beside this one, by name; of two with one name the lesser digest."""
    found: dict[str, str] = {}
    for place in UploadedFile.objects.filter(file__artifact=file.artifact_id).order_by("id"):
        folder, slash, _name = place.path.rpartition("/")
        beside = UploadedFile.objects.filter(upload=place.upload_id, path__startswith=folder + slash)
        for path, sha256 in beside.values_list("path", "file__artifact_id"):
            name = path[len(folder + slash) :]
            if "/" not in name:
                found[name] = min(sha256, found.get(name, sha256))
    return found

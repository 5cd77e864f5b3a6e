"""Unpacks an uploaded bundle. The archive is hostile until each member has been looked at."""

import shutil
import tarfile
from pathlib import Path, PurePosixPath
from typing import IO

from results.ingest.manifest import MANIFEST, BundleError

#: Bounds of one archive; a bundle of 32 loads has about 250 files.
MAX_MEMBERS = 4096
MAX_PATH = 512


def unpack_bundle(stream: IO[bytes], folder: Path) -> Path:
    """Unpack an uncompressed tar into the empty ``folder``; returns the folder that holds the manifest.

    Only regular files and folders below ``folder`` are accepted; BundleError for links, devices, sparse
    files, absolute and climbing paths, repeated names and too many members. Uncompressed, so what the
    archive unpacks to is never larger than the archive.
    """
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for index, member in enumerate(archive):
                if index >= MAX_MEMBERS:
                    raise BundleError(f"archive: has more than {MAX_MEMBERS} members")
                _unpack(archive, member, folder)
    except tarfile.TarError as error:
        raise BundleError(f"archive: is no uncompressed tar: {error}") from None
    return _root(folder)


def _unpack(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    target = folder.joinpath(*_parts(member.name))
    if member.isdir():
        _make_folder(target, member.name)
        return
    source = archive.extractfile(member) if member.isreg() and not member.issparse() else None
    if source is None:
        raise BundleError(f"archive: {_shown(member.name)} is neither a file nor a folder")
    _make_folder(target.parent, member.name)
    try:
        with target.open("xb") as file:
            shutil.copyfileobj(source, file)
    except (FileExistsError, IsADirectoryError):
        raise BundleError(f"archive: {_shown(member.name)} stands twice") from None


def _make_folder(path: Path, name: str) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise BundleError(f"archive: {_shown(name)} is a file and a folder") from None


def _parts(name: str) -> tuple[str, ...]:
    path = PurePosixPath(name)
    climbs = path.is_absolute() or ".." in path.parts
    printable = name.isprintable() and "\\" not in name
    if climbs or not printable or len(name) > MAX_PATH:
        raise BundleError(f"archive: {_shown(name)} is no relative path of at most {MAX_PATH} characters")
    return path.parts


def _shown(name: str) -> str:
    return ascii(name)[:80]


def _root(folder: Path) -> Path:
    """The folder itself, or the one folder in it: ``tar -c OUT`` and ``tar -C OUT -c .`` both work."""
    inside = list(folder.iterdir())
    nested = len(inside) == 1 and inside[0].is_dir() and not (folder / MANIFEST).exists()
    return inside[0] if nested else folder

"""Archives whose bytes depend on nothing but the files in them, and their cutting into parts."""

import fnmatch
import hashlib
import io
import lzma
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

#: 1980-01-01, the oldest time that a zip archive can hold.
_TIME = 315_532_800
_CHUNK = 1 << 20
_PRESET = 6


def contents(folder: Path, left_out: Iterable[str] = ()) -> list[Path]:
    """Files below ``folder`` to pack, by name: no byte code, no links, nothing that matches ``left_out``."""
    patterns = list(left_out)
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and "__pycache__" not in path.parts
        and not any(fnmatch.fnmatchcase(path.relative_to(folder).as_posix(), item) for item in patterns)
    ]


def pack(archive: Path, folder: Path, files: Iterable[Path]) -> None:
    """Write a .tar.xz with fixed owners, times and modes."""
    with (
        lzma.open(archive, "wb", preset=_PRESET) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT) as tar,
    ):
        for path in files:
            entry = _entry(path.relative_to(folder).as_posix(), path.stat().st_size)
            entry.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            with path.open("rb") as file:
                tar.addfile(entry, file)


def bundle(archive: Path, members: Iterable[Path]) -> None:
    """Put finished archives behind each other, uncompressed: an unchanged beginning keeps its parts."""
    with tarfile.open(archive, "w", format=tarfile.GNU_FORMAT) as tar:
        for path in members:
            with path.open("rb") as file:
                tar.addfile(_entry(path.name, path.stat().st_size), file)


def _entry(name: str, size: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = size, _TIME, 0o644
    return entry


def split(archive: Path, folder: Path, size: int) -> list[Path]:
    """Cut into ``part-00``, ``part-01``, ... of ``size`` bytes, the last one shorter."""
    parts = []
    with archive.open("rb") as file:
        for number, part in enumerate(_pieces(file, size)):
            path = folder / f"part-{number:02d}"
            path.write_bytes(part)
            parts.append(path)
    return parts


def _pieces(file: io.BufferedReader, size: int) -> Iterator[bytes]:
    while piece := file.read(size):
        yield piece


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def listing(folder: Path, files: Iterable[Path]) -> str:
    """``sha256sum`` lines of what is packed: two bundles with the same lines hold the same."""
    return "".join(f"{sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in files)

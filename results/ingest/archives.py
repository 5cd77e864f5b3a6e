"""Opens archives that people send. An archive is hostile until each member has been looked at. Pure.

What an archive is, its content says and not its name. Members are written under numbers, so that no name
in an archive ever becomes a path; their names are only shown.
"""

import lzma
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from results.ingest.archive_streams import ArchiveError, Budget, FewBytes, Limits, Metered, open_plain
from results.ingest.reports import Refused

VERSION = "archives/1"
_TAR_HEAD = 512
_MAGIC = ((b"PK\x03\x04", "zip"), (b"PK\x05\x06", "zip"), (b"\x1f\x8b", "gz"), (b"BZh", "bz2"),
          (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf\x27\x1c", "7z"),
          (b"Rar!\x1a\x07", "rar"))  # fmt: skip
_CLOSED = ("zstd", "7z", "rar")
#: What the standard library says about bytes that are no archive of the kind.
_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, struct.error,
           ValueError, NotImplementedError, RuntimeError, OverflowError, IndexError)  # fmt: skip
#: Stored, deflated and bzip2'ed zip members; the rest is rare and unbounded in memory.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_LONGEST_NAME = 400
Readable = IO[bytes] | Metered
_LARGEST_HEADER = 2**20


@dataclass(frozen=True, slots=True)
class Member:
    """A file out of an archive: its name there, and where its bytes are."""

    name: str
    location: Path


@dataclass(slots=True)
class Contents:
    """Members in the order of the archive; of those that were not taken out, ``pointer`` is the name."""

    members: list[Member] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


def archive_kind(location: Path) -> str | None:
    """``zip``, ``tar``, ``tar.gz``, ``tar.bz2``, ``tar.xz``, ``bz2``, ``xz``, or one that we cannot open.

    None for everything else; a gzip'd file that holds no tar is a file and no archive.
    """
    with location.open("rb") as stream:
        head = stream.read(_TAR_HEAD)
    kind = next((name for magic, name in _MAGIC if head.startswith(magic)), "")
    if kind == "zip" or kind in _CLOSED:
        return kind
    if kind:
        head = _peek(location, kind)
    if _is_tar(head):
        return f"tar.{kind}" if kind else "tar"
    return kind if kind in ("bz2", "xz") else None


def unpack(location: Path, kind: str, folder: Path, budget: Budget) -> Contents:
    """Write the members into ``folder``; members that are refused alone are listed with the reason.

    ArchiveError for an archive that is refused as a whole: damaged, cut off, or too much for ``budget``.
    """
    if kind in _CLOSED:
        raise ArchiveError(f"is a {kind} archive, which is not opened here; send zip, tar, tar.gz or tar.xz")
    found = Contents()
    with _typed_errors():
        if kind == "zip":
            _unpack_zip(location, folder, budget, found)
        elif kind in ("bz2", "xz"):
            _unpack_single(location, kind, folder, budget, found)
        else:
            _unpack_tar(location, kind.removeprefix("tar").lstrip("."), folder, budget, found)
    return found


def _peek(location: Path, compression: str) -> bytes:
    """The first block of the content; what can be read of it when the rest is damaged."""
    try:
        with open_plain(location, compression) as stream:
            return stream.read(_TAR_HEAD)
    except (*_DAMAGE, OSError):
        return b""


def _is_tar(block: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        return False
    return True


@contextmanager
def _typed_errors() -> Iterator[None]:
    try:
        yield
    except ArchiveError:
        raise
    except _DAMAGE as error:
        raise ArchiveError(f"is damaged or cut off: {_one_line(error)}") from None
    except OSError as error:
        # Decompressors raise it without a number; with one it is this machine's trouble.
        if error.errno is not None:
            raise
        raise ArchiveError(f"is damaged or cut off: {_one_line(error)}") from None


def _one_line(error: Exception) -> str:
    return ascii(" ".join(str(error).split()))[1:-1][:200] or type(error).__name__


def _unpack_single(location: Path, kind: str, folder: Path, budget: Budget, found: Contents) -> None:
    target = folder / str(budget.open_file())
    with open_plain(location, kind, budget.limits) as stream:
        _copy(Metered(stream, budget), target)
    found.members.append(Member("", target))


class _Header(tarfile.TarInfo):
    """A header as it must be: ``tarfile`` takes a damaged or missing one for the end of the archive."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_Header":
        try:
            header = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if len(buf) == _TAR_HEAD and not any(buf):
                raise
            raise ArchiveError(f"is damaged or cut off: {_one_line(error)}") from None
        extends = header.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
                                  tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)  # fmt: skip
        if header.size < 0 or (extends and header.size > _LARGEST_HEADER):
            raise ArchiveError(f"has a header that claims {header.size} bytes")
        return header


def _unpack_tar(location: Path, compression: str, folder: Path, budget: Budget, found: Contents) -> None:
    with open_plain(location, compression, budget.limits) as stream:
        metered = Metered(stream, budget)
        with tarfile.open(fileobj=metered, mode="r|", tarinfo=_Header) as archive:  # type: ignore[call-overload]
            for member in archive:
                number = budget.open_file()
                source = _tar_source(archive, member, budget.limits, found)
                if source is not None:
                    _keep(source, member.name, folder / str(number), found)
        # The rest carries the checksum of the compression.
        while metered.read():
            pass


def _tar_source(
    archive: tarfile.TarFile, member: tarfile.TarInfo, limits: Limits, found: Contents
) -> IO[bytes] | None:
    if member.isdir() or not _accepted(member.name, _tar_fault(member, limits), found):
        return None
    return archive.extractfile(member)


def _tar_fault(member: tarfile.TarInfo, limits: Limits) -> str:
    if member.issym() or member.islnk():
        return "is a link"
    if not member.isreg():
        return "is no regular file"
    if member.issparse():
        return "is a sparse file"
    return _too_large(member.size, limits)


def _unpack_zip(location: Path, folder: Path, budget: Budget, found: Contents) -> None:
    most = budget.limits.directory
    with FewBytes(location, most) as stream, zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            number = budget.open_file()
            fault = _zip_fault(member, budget.limits)
            if member.is_dir() or not _accepted(member.filename, fault, found):
                continue
            with archive.open(member) as source:
                _keep(Metered(source, budget), member.filename, folder / str(number), found)


def _zip_fault(member: zipfile.ZipInfo, limits: Limits) -> str:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if member.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if kind == stat.S_IFLNK:
        return "is a link"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is no regular file"
    if member.compress_type not in _METHODS:
        return f"is compressed by method {member.compress_type}, which is not read here"
    return _too_large(member.file_size, limits)


def _too_large(size: int, limits: Limits) -> str:
    return f"has {size} bytes, more than {limits.file}" if size > limits.file else ""


def _accepted(name: str, fault: str, found: Contents) -> bool:
    """Whether the member is taken out; otherwise the reason is noted."""
    shown = shown_name(name)
    fault = fault or _name_fault(name) or ("stands twice in the archive" if shown in found.names else "")
    if fault:
        found.refused.append(Refused(shown[:_LONGEST_NAME] or "?", fault))
    found.names.add(shown)
    return not fault


def _name_fault(name: str) -> str:
    plain = name.replace("\\", "/")
    parts = PurePosixPath(plain).parts
    if plain.startswith("/") or plain[1:3] == ":/":
        return "has an absolute path"
    if ".." in parts:
        return "has a path that leaves the archive"
    return f"has a name of more than {_LONGEST_NAME} characters" if len(plain) > _LONGEST_NAME else ""


def shown_name(name: str) -> str:
    """The name with / between folders; bytes that are no UTF-8 and unprintable letters are replaced."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\\", "/")
    printable = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return "/".join(part for part in printable.split("/") if part not in ("", "."))


def _keep(source: Readable, name: str, target: Path, found: Contents) -> None:
    _copy(source, target)
    found.members.append(Member(shown_name(name), target))


def _copy(source: Readable, target: Path) -> None:
    with target.open("xb") as file:
        shutil.copyfileobj(source, file, 2**18)

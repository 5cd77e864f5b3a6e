"""Reads out of archives in bounded memory, time and disk: nothing unpacks to more than a budget. Pure."""

import bz2
import gzip
import io
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

MIB = 2**20
_CHUNK = 2**18


class ArchiveError(ValueError):
    """An archive is refused as a whole; the message is one line that follows the archive's name."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of what one delivery unpacks to, in bytes and files; ``free`` is allowed at any ratio."""

    total: int = 2048 * MIB
    file: int = 1024 * MIB
    files: int = 10_000
    ratio: int = 250
    free: int = 32 * MIB
    depth: int = 3
    xz_memory: int = 192 * MIB
    directory: int = 4 * MIB


LIMITS = Limits()


@dataclass(slots=True)
class Budget:
    """What has come out of a delivery of ``sent`` bytes; nested archives draw on the same budget."""

    sent: int
    limits: Limits = LIMITS
    bytes: int = 0
    files: int = 0

    def spend(self, count: int) -> None:
        """ArchiveError as soon as too much has been unpacked."""
        self.bytes += count
        if self.bytes > self.limits.total:
            raise ArchiveError(f"unpacks to more than {self.limits.total} bytes")
        if self.bytes > max(self.limits.free, self.limits.ratio * self.sent):
            raise ArchiveError(f"unpacks to more than {self.limits.ratio} times its size")

    def open_file(self) -> int:
        """The number of a member, from 1; ArchiveError for one too many."""
        self.files += 1
        if self.files > self.limits.files:
            raise ArchiveError(f"has more than {self.limits.files} members")
        return self.files


class Metered:
    """A stream whose bytes are spent from a budget; only ``read`` is offered."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int = _CHUNK) -> bytes:
        data = self._stream.read(min(size, _CHUNK))
        self._budget.spend(len(data))
        return data


class FewBytes(io.FileIO):
    """A file that hands out at most ``most`` bytes at once: who needs more reads a crafted archive."""

    def __init__(self, location: Path, most: int) -> None:
        super().__init__(location)
        self._most = most
        self._size = location.stat().st_size

    def read(self, size: int | None = -1) -> bytes:
        wanted = self._size - self.tell() if size is None or size < 0 else size
        if wanted > self._most:
            raise ArchiveError(f"has a table of contents of more than {self._most} bytes")
        return super().read(size)


class _Xz(io.RawIOBase):
    """xz streams, one after the other, whose dictionary may not exceed a limit."""

    def __init__(self, source: IO[bytes], memory: int) -> None:
        self._source = source
        self._memory = memory
        self._decoder = self._fresh()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._next(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._source.close()
        super().close()

    def _fresh(self) -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=self._memory)

    def _next(self, size: int) -> bytes:
        while True:
            block = b""
            if self._decoder.eof:
                block = self._after()
                if not block:
                    return b""
                self._decoder = self._fresh()
            elif self._decoder.needs_input:
                block = self._source.read(_CHUNK)
                if not block:
                    raise EOFError("the xz stream is cut off")
            data = self._decoder.decompress(block, size)
            if data:
                return data

    def _after(self) -> bytes:
        """What follows a stream; zero bytes between streams are padding."""
        block = self._decoder.unused_data.lstrip(b"\0")
        while not block and (more := self._source.read(_CHUNK)):
            block = more.lstrip(b"\0")
        return block


def open_plain(location: Path, compression: str, limits: Limits = LIMITS) -> IO[bytes]:
    """The content of a file without its compression, one of "", gz, bz2 and xz."""
    if compression == "gz":
        return cast(IO[bytes], gzip.GzipFile(location, "rb"))
    if compression == "bz2":
        return bz2.BZ2File(location)
    if compression == "xz":
        return io.BufferedReader(_Xz(location.open("rb"), limits.xz_memory))
    return location.open("rb")

"""Bytes of a stored file as text, JSON, JSON Lines or CSV; whatever is odd is a FormatError with its place.

Text is UTF-8, with or without a byte order mark, or UTF-16 with one; a gzip'd file is unpacked once. JSON
follows ``results.documents.strict_json``: duplicate keys, NaN, infinities, integers outside 64 bits and
deep nesting are refused, in files of many rows for their row alone. Nothing here holds a whole large
file in memory except where it says so. Arrays of any size: ``json_stream``; YAML: ``yaml_text``. Pure.
"""

import codecs
import csv
import hashlib
import zlib
from collections.abc import Callable, Iterator
from gzip import BadGzipFile, GzipFile
from itertools import chain, dropwhile
from typing import IO, Any

from results.documents.refusal import DocumentError
from results.documents.strict_json import DECODER, problems
from results.ingest.rows import FormatError, Rejected, Source

#: Bytes after unpacking. Streams may be this long; a tree in memory takes about ten times its text.
LARGEST_FILE = 2**30
LARGEST_DOCUMENT = 2**26
LARGEST_LINE = 2**24
_CHUNK = 2**18
_GZIP = b"\x1f\x8b"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def chunks(source: Source, limit: int = LARGEST_FILE) -> Iterator[str]:
    """The text piece by piece, line ends as they are. Raises FormatError for an empty file too."""
    decoder: codecs.IncrementalDecoder | None = None
    seen = 0
    for block in _blocks(source):
        seen += len(block)
        if seen > limit:
            raise FormatError("", f"has more than {limit} bytes")
        decoder = decoder or _decoder(block)
        yield _decode(decoder, block, seen - len(block))
    if decoder is None:
        raise FormatError("", "the file is empty")
    yield _decode(decoder, b"", seen, final=True)


def text(source: Source, limit: int = LARGEST_DOCUMENT) -> str:
    """The whole text, line ends as they are."""
    return "".join(chunks(source, limit))


def file_digest(source: Source) -> str:
    """sha256 of the file as it is stored."""
    with source.location.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def head(source: Source, size: int = 4096) -> str:
    """The first ``size`` characters, for detection; empty for what cannot be read. Never raises."""
    found = ""
    try:
        for piece in chunks(source):
            found += piece
            if len(found) >= size:
                break
    except FormatError:
        pass
    return found[:size]


def lines(source: Source, longest: int = LARGEST_LINE) -> Iterator[tuple[int, str]]:
    """Number from 1 and text of every line, without its end. Lines end with LF, CRLF or CR LF only."""
    number, rest = 0, ""
    for piece in chunks(source):
        *whole, rest = (rest + piece).split("\n")
        for line in whole:
            number += 1
            yield number, _short(line, number, longest)
        _short(rest, number + 1, longest)
    if rest:
        yield number + 1, _short(rest, number + 1, longest)


def json_document(source: Source, *, finite: bool = True) -> Any:
    """One JSON value, whole in memory. ``finite=False`` leaves NaN and infinities to the caller."""
    return parse_json(text(source), "", finite=finite)


def json_lines(source: Source, *, finite: bool = True) -> Iterator[tuple[str, Any] | Rejected]:
    """``("line 3", value)`` of each line that is not blank; a line that is refused does not end the file."""
    for number, line in lines(source):
        if not line.strip():
            continue
        try:
            yield f"line {number}", parse_json(line, f"line {number}", finite=finite)
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)


def parse_json(document: str, place: str, *, finite: bool = True) -> Any:
    """The value of a JSON text that stands at ``place`` (empty, or ``line 3``)."""
    try:
        value = DECODER.decode(document)
    except RecursionError:
        raise FormatError(place, "nested too deep") from None
    except ValueError as error:
        raise FormatError(place, f"not JSON: {error}") from None
    check(value, place, finite=finite)
    return value


def check(value: Any, place: str, *, finite: bool = True) -> None:
    """Raises FormatError for the first thing in a decoded value that is refused.

    ``place`` is the JSON pointer of the value, or ``line 3``.
    """
    try:
        for problem in problems(value):
            if finite or problem["rule"] != "finite_number":
                raise FormatError(_join(place, problem["pointer"]), problem["message"])
    except DocumentError as error:
        found = error.problems[0]
        raise FormatError(_join(place, found["pointer"]), found["message"]) from None


def csv_rows(
    source: Source, is_header: Callable[[str], bool] | None = None
) -> Iterator[tuple[str, dict[str, str]] | Rejected]:
    """``("line 3", cells by column)`` of each row below the header; cells lose the space around them.

    Lines above the first that ``is_header`` are skipped; without it the first line is the header. Raises
    FormatError for a header that names a column twice; a row of another width is refused alone.
    """
    skipped = 0
    rest = _csv_lines(source)
    if is_header is not None:
        rest = dropwhile(lambda numbered: not is_header(numbered[1]), rest)
        first = next(rest, None)
        if first is None:
            raise FormatError("", "no header was found")
        skipped, rest = first[0] - 1, chain((first,), rest)
    reader = csv.reader((line for _number, line in rest), skipinitialspace=True, strict=True)
    try:
        header = [cell.strip() for cell in next(reader, [])]
        _check_header(header, skipped + 1)
        for cells in reader:
            if not cells:
                continue
            place = f"line {skipped + reader.line_num}"
            if len(cells) == len(header):
                yield place, dict(zip(header, map(str.strip, cells), strict=True))
            else:
                yield Rejected(place, f"{len(cells)} cells under {len(header)} columns")
    except csv.Error as error:
        raise FormatError(f"line {skipped + reader.line_num}", f"not CSV: {error}") from None


def _csv_lines(source: Source) -> Iterator[tuple[int, str]]:
    for number, line in lines(source):
        # PostgreSQL stores no NUL, and a quoted cell may go on over the end of a line.
        if "\0" in line:
            raise FormatError(f"line {number}", "a NUL character")
        yield number, line.removesuffix("\r") + "\n"


def _check_header(header: list[str], number: int) -> None:
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise FormatError(f"line {number}", f"column {twice!r} stands twice")


def _blocks(source: Source) -> Iterator[bytes]:
    try:
        with source.location.open("rb") as stored:
            packed = stored.read(2) == _GZIP
            stored.seek(0)
            yield from _read(GzipFile(fileobj=stored, mode="rb") if packed else stored)
    except (BadGzipFile, EOFError, zlib.error) as error:
        raise FormatError("", f"damaged or truncated gzip: {error}") from None
    except OSError as error:
        raise FormatError("", f"cannot be opened: {error.strerror}") from None


def _read(stream: IO[bytes] | GzipFile) -> Iterator[bytes]:
    while block := stream.read(_CHUNK):
        yield block


def _decoder(first: bytes) -> codecs.IncrementalDecoder:
    if first.startswith(_UTF32):
        raise FormatError("", "UTF-32 is not read, send UTF-8")
    name = "utf-16" if first.startswith(_UTF16) else "utf-8-sig"
    return codecs.getincrementaldecoder(name)("strict")


def _decode(decoder: codecs.IncrementalDecoder, block: bytes, at: int, *, final: bool = False) -> str:
    try:
        return decoder.decode(block, final)
    except UnicodeDecodeError as error:
        # The decoder may hold back a few bytes of the block before; the place is near enough to look at.
        raise FormatError("", f"not {error.encoding} near byte {at + error.start}: {error.reason}") from None


def _short(line: str, number: int, longest: int) -> str:
    if len(line) > longest:
        raise FormatError(f"line {number}", f"longer than {longest} characters")
    return line.removesuffix("\r")


def _join(place: str, pointer: str) -> str:
    return f"{place}{pointer}" if not place or place.startswith("/") else f"{place}, {pointer or '/'}"

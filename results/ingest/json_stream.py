"""JSON arrays of any size row by row, and the outline by which a file is recognised. Pure.

Only one row is in memory at a time, and a row that is refused does not lose the others.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from results.ingest.json_scanner import Scanner
from results.ingest.reading import check, chunks, json_document, json_lines
from results.ingest.rows import FormatError, Rejected, Source


def json_rows(
    source: Source, under: str | None = None, *, finite: bool = True
) -> Iterator[tuple[str, Any] | Rejected]:
    """``("/3", row)`` of an array, ``("/data/3", row)`` of the array at key ``under`` of an object.

    Without ``under`` an object alone is one row at ``""``, and JSON Lines are rows at ``line 3``.
    """
    scanner = Scanner(chunks(source))
    start = scanner.peek()
    if under is not None:
        yield from _rows_under(scanner, under, finite)
    elif start == "[":
        yield from _elements(scanner, "", finite)
        _expect_end(scanner)
    elif outline(source).kind == "lines":
        yield from json_lines(source, finite=finite)
    else:
        yield "", json_document(source, finite=finite)


def json_members(source: Source, names: frozenset[str], *, finite: bool = True) -> dict[str, Any]:
    """The members of the file's one object that are named; the others are read past, not kept."""
    scanner = Scanner(chunks(source))
    found: dict[str, Any] = {}
    for key in members(scanner):
        if key not in names:
            _skip(scanner, _pointer(key))
            continue
        found[key] = scanner.value(_pointer(key))
        check(found[key], _pointer(key), finite=finite)
    _expect_end(scanner)
    return found


def members(scanner: Scanner) -> Iterator[str]:
    """Keys of the object that stands next; the caller consumes each value. Keys are unique."""
    seen: set[str] = set()
    scanner.expect("{", "")
    if scanner.peek() == "}":
        scanner.expect("}", "")
        return
    while True:
        if scanner.peek() != '"':
            scanner.expect('"', "")
        key = str(scanner.value(""))
        check(key, "")
        if key in seen:
            raise FormatError(_pointer(key), "the key stands twice")
        seen.add(key)
        scanner.expect(":", _pointer(key))
        yield key
        if scanner.expect(",}", _pointer(key)) == "}":
            return


def _rows_under(scanner: Scanner, under: str, finite: bool) -> Iterator[tuple[str, Any] | Rejected]:
    found = False
    for key in members(scanner):
        if key == under and scanner.peek() == "[":
            found = True
            yield from _elements(scanner, _pointer(key), finite)
        else:
            _skip(scanner, _pointer(key))
    _expect_end(scanner)
    if not found:
        raise FormatError(_pointer(under), "an array is missing")


def _elements(scanner: Scanner, place: str, finite: bool) -> Iterator[tuple[str, Any] | Rejected]:
    for index, value in enumerate(_values(scanner, place)):
        pointer = f"{place}/{index}"
        try:
            check(value, pointer, finite=finite)
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)
        else:
            yield pointer, value


def _values(scanner: Scanner, place: str) -> Iterator[Any]:
    """The elements of the array that stands next, unchecked."""
    scanner.expect("[", place)
    if scanner.peek() == "]":
        scanner.expect("]", place)
        return
    for index in count():
        pointer = f"{place}/{index}"
        yield scanner.value(pointer)
        if scanner.expect(",]", pointer) == "]":
            return


def _skip(scanner: Scanner, place: str) -> None:
    """Read past the next value, of an array one element at a time."""
    if scanner.peek() == "[":
        for _value in _values(scanner, place):
            pass
    else:
        scanner.value(place)


def _expect_end(scanner: Scanner) -> None:
    if scanner.peek():
        raise FormatError("", "not JSON: text after the end")


def _pointer(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


@dataclass(frozen=True, slots=True)
class Outline:
    """What a JSON file looks like from outside.

    ``kind``: ``object``, ``array``, ``lines`` (JSON Lines) or ``other`` (no JSON). ``keys``, ``scalars``
    and ``nested`` (keys of members that are objects, and of the first element of members that are arrays)
    describe the object, the first element or the first line.
    """

    kind: str = "other"
    keys: frozenset[str] = frozenset()
    scalars: Mapping[str, Any] = field(default_factory=dict)
    nested: Mapping[str, frozenset[str]] = field(default_factory=dict)


def outline(source: Source) -> Outline:
    """The outline of a file, as far as it can be read. Never raises."""
    try:
        stat = source.location.stat()
    except OSError:
        return Outline()
    return _outline(source.location, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=32)
def _outline(location: Path, _size: int, _changed: int) -> Outline:
    source = Source(location.name, location)
    try:
        scanner = Scanner(chunks(source))
        kind = {"{": "object", "[": "array"}.get(scanner.peek(), "other")
        if kind == "array":
            scanner.expect("[", "")
        first = _first_line(source) if kind == "object" else None
        if first is not None:
            return _of_object("lines", first)
    except FormatError:
        return Outline()
    return Outline() if kind == "other" else _of_members(kind, scanner)


def _first_line(source: Source) -> Mapping[str, Any] | None:
    """The object on the first line if more lines follow."""
    found: Mapping[str, Any] | None = None
    for piece in json_lines(source, finite=False):
        if isinstance(piece, Rejected):
            # A broken line, or a title, after a good one.
            return found
        if found is not None:
            return found
        if not isinstance(piece[1], dict):
            return None
        found = piece[1]
    return None


def _of_members(kind: str, scanner: Scanner) -> Outline:
    """Member by member, so that a large or truncated file still shows what it begins with."""
    found: dict[str, Any] = {}
    try:
        for key in members(scanner):
            found[key] = None
            found[key] = _shallow(scanner)
    except FormatError:
        pass
    return _of_object(kind, found) if found or kind == "array" else Outline()


def _shallow(scanner: Scanner) -> Any:
    """The next value: of an object its keys, of an array those of its first element."""
    if scanner.peek() != "[":
        value = scanner.value("")
        return dict.fromkeys(value) if isinstance(value, dict) else value
    firsts = [value for index, value in enumerate(_values(scanner, "")) if index == 0]
    return [dict.fromkeys(first) for first in firsts if isinstance(first, dict)]


def _of_object(kind: str, members_: Mapping[str, Any]) -> Outline:
    scalars = {key: value for key, value in members_.items() if not isinstance(value, dict | list)}
    nested = {}
    for key, value in members_.items():
        inner = value[0] if isinstance(value, list) and value else value
        if isinstance(inner, dict):
            nested[key] = frozenset(inner)
    return Outline(kind, frozenset(members_), scalars, nested)

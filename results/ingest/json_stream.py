"""JSON arrays of any size row by row, and the outline by which a file is recognised. Pure.

Only one row is in memory at a time, and a row that is refused does not lose the others.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from results.documents.strict_json import DECODER
from results.ingest.reading import LARGEST_LINE, check, chunks, json_document, json_lines
from results.ingest.rows import FormatError, Rejected, Source

_SPACE = re.compile(r"[ \t\r\n]*")
#: A parser stops at most this far before the end of a text that is merely cut, unless inside a string.
_NEAR_END = 16


class Scanner:
    """A JSON text that is read forward, one value at a time."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self._text = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = self._at if found is None else found.end()
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def expect(self, characters: str, place: str) -> str:
        """Consume and return the next character, which is one of ``characters``."""
        found = self.peek()
        if not found or found not in characters:
            seen = repr(found) if found else "the file ends"
            raise FormatError(place, f"not JSON: {' or '.join(map(repr, characters))} expected, {seen}")
        self._at += 1
        return found

    def value(self, place: str) -> Any:
        """Consume the next value, unchecked. A value is at most LARGEST_LINE characters long."""
        self.peek()
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise FormatError(place, "nested too deep") from None
            except ValueError as error:
                if not self._is_cut(error) or not self._more():
                    raise FormatError(place, f"not JSON: {_message(error)}") from None
                continue
            # A number near the end of the buffer may go on: 1 and 1e- are cuts of 1e-3.
            margin = _NEAR_END if isinstance(value, int | float) else 0
            if end + margin < len(self._text) or not self._more():
                self._at = end
                return value

    def _is_cut(self, error: ValueError) -> bool:
        message, position = _message(error), getattr(error, "pos", len(self._text))
        return message.startswith("Unterminated string") or position >= len(self._text) - _NEAR_END

    def _more(self) -> bool:
        """Read on: as much again as is held, so that a long value is parsed few times."""
        if self._ended:
            return False
        held = self._text[self._at :]
        if len(held) > LARGEST_LINE:
            raise FormatError("", f"a value has more than {LARGEST_LINE} characters")
        parts, wanted = [held], max(len(held), 1)
        while wanted > 0 and not self._ended:
            piece = next(self._pieces, None)
            self._ended = piece is None
            parts.append(piece or "")
            wanted -= len(piece or "")
        self._text, self._at = "".join(parts), 0
        return True


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
        value = scanner.value(_pointer(key))
        if key in names:
            check(value, _pointer(key), finite=finite)
            found[key] = value
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
            scanner.value(_pointer(key))
    _expect_end(scanner)
    if not found:
        raise FormatError(_pointer(under), "an array is missing")


def _elements(scanner: Scanner, place: str, finite: bool) -> Iterator[tuple[str, Any] | Rejected]:
    scanner.expect("[", place)
    if scanner.peek() == "]":
        scanner.expect("]", place)
        return
    index = 0
    while True:
        pointer = f"{place}/{index}"
        value = scanner.value(pointer)
        try:
            check(value, pointer, finite=finite)
            yield pointer, value
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)
        if scanner.expect(",]", pointer) == "]":
            return
        index += 1


def _expect_end(scanner: Scanner) -> None:
    if scanner.peek():
        raise FormatError("", "not JSON: text after the end")


def _message(error: ValueError) -> str:
    return str(getattr(error, "msg", error))


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
            value = scanner.value("")
            found[key] = _shallow(value)
    except FormatError:
        pass
    return _of_object(kind, found) if found or kind == "array" else Outline()


def _shallow(value: Any) -> Any:
    if isinstance(value, list):
        return [dict.fromkeys(value[0])] if value and isinstance(value[0], dict) else []
    return dict.fromkeys(value) if isinstance(value, dict) else value


def _of_object(kind: str, members_: Mapping[str, Any]) -> Outline:
    scalars = {key: value for key, value in members_.items() if not isinstance(value, dict | list)}
    nested = {}
    for key, value in members_.items():
        inner = value[0] if isinstance(value, list) and value else value
        if isinstance(inner, dict):
            nested[key] = frozenset(inner)
    return Outline(kind, frozenset(members_), scalars, nested)

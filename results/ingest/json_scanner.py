"""A JSON text that is read forward, one value at a time, however long it is. Pure."""

import re
from collections.abc import Iterator
from typing import Any

from results.documents.strict_json import DECODER
from results.ingest.reading import LARGEST_DOCUMENT
from results.ingest.rows import FormatError

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
        """Consume the next value, unchecked. A value is at most LARGEST_DOCUMENT characters long."""
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
        if len(held) > LARGEST_DOCUMENT:
            raise FormatError("", f"a value has more than {LARGEST_DOCUMENT} characters")
        parts, wanted = [held], max(len(held), 1)
        while wanted > 0 and not self._ended:
            piece = next(self._pieces, None)
            self._ended = piece is None
            parts.append(piece or "")
            wanted -= len(piece or "")
        self._text, self._at = "".join(parts), 0
        return True


def _message(error: ValueError) -> str:
    return str(getattr(error, "msg", error))

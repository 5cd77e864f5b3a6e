"""A nested row as its leaves by dotted path, which remembers the leaves that were read. Pure.

What nobody read goes to the point's ``extra``, so that no number of a newer schema gets lost.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from results.ingest.fields import EXACT
from results.ingest.rows import FormatError

_DEEPEST = 32
_BOOLEANS = {"true": True, "false": False}


class Leaves:
    """``pointer`` is where the row stands; an absent leaf, ``null`` and empty text are None."""

    def __init__(self, row: Mapping[str, Any], pointer: str = "") -> None:
        self.pointer = pointer
        self._values = {path: (place, value) for path, place, value in _walk(row, "", pointer, 0)}
        self._read: set[str] = set()

    def __contains__(self, path: str) -> bool:
        return self.has(path)

    def has(self, path: str) -> bool:
        """Whether the row says something there, a leaf or an object."""
        return path in self._values or any(name.startswith(f"{path}.") for name in self._values)

    def fail(self, path: str, reason: str) -> NoReturn:
        place = self._values.get(path, (f"{self.pointer}/{path.replace('.', '/')}", None))[0]
        raise FormatError(place, reason)

    def drop(self, *paths: str) -> list[str]:
        """Mark leaves and objects as read; the ones that said something."""
        gone = [
            name for name in self._values if name in paths or any(name.startswith(f"{p}.") for p in paths)
        ]
        said = [name for name in gone if name not in self._read and self._values[name][1] is not None]
        self._read.update(gone)
        return said

    def number(self, path: str) -> float | None:
        """A finite number, also written as text."""
        value = self._take(path)
        if value is None:
            return None
        number = _number(value)
        if number is None:
            self.fail(path, "must be a finite number")
        return number

    def count(self, path: str) -> int | None:
        """A whole number of at least zero; ``12.0`` and ``"12"`` are one too."""
        value = self.number(path)
        if value is not None and (value != int(value) or value < 0):
            self.fail(path, "must be a whole number of at least zero")
        return None if value is None else int(value)

    def text(self, path: str) -> str | None:
        value = self._take(path)
        if value is not None and not isinstance(value, str):
            self.fail(path, "must be text")
        return value

    def flag(self, path: str) -> bool | None:
        """A boolean, also written as text: ``"false"`` is false."""
        value = self._take(path)
        if isinstance(value, str):
            value = _BOOLEANS.get(value.lower(), value)
        if value is not None and not isinstance(value, bool):
            self.fail(path, "must be true or false")
        return value

    def rest(self) -> dict[str, Any]:
        """Leaves that were not read and say something, by dotted path."""
        found = {}
        for path, (_place, value) in self._values.items():
            if path in self._read or value is None or value in ("", [], {}):
                continue
            if isinstance(value, float) and not math.isfinite(value):
                self.fail(path, "must be a finite number")
            found[path] = value
        return found

    def _take(self, path: str) -> Any:
        self._read.add(path)
        value = self._values.get(path, ("", None))[1]
        if isinstance(value, str):
            return value.strip() or None
        return value


def _walk(value: Mapping[str, Any], path: str, place: str, depth: int) -> Iterator[tuple[str, str, Any]]:
    if depth > _DEEPEST:
        raise FormatError(place, f"nested deeper than {_DEEPEST}")
    for key, inner in value.items():
        below = f"{place}/{key.replace('~', '~0').replace('/', '~1')}"
        if isinstance(inner, Mapping) and inner:
            yield from _walk(inner, f"{path}{key}.", below, depth + 1)
        else:
            yield f"{path}{key}", below, inner


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, int) and abs(value) > EXACT:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None

"""Typed cells of one row of a CSV file; an empty cell says nothing. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from results.ingest.rows import FormatError

_LARGEST = 2**53
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Cells:
    """``place`` is ``line 3``."""

    place: str
    values: Mapping[str, str]

    def fail(self, column: str, reason: str) -> NoReturn:
        raise FormatError(f"{self.place}, {column}", reason)

    def text(self, column: str) -> str | None:
        return self.values.get(column) or None

    def number(self, column: str) -> float | None:
        """A finite number of at least zero."""
        cell = self.text(column)
        if cell is None:
            return None
        try:
            value = float(cell)
        except ValueError:
            self.fail(column, "must be a number")
        if not math.isfinite(value) or value < 0:
            self.fail(column, "must be a finite number of at least zero")
        return value

    def count(self, column: str) -> int | None:
        value = self.number(column)
        if value is None:
            return None
        if value != int(value) or value >= _LARGEST:
            self.fail(column, "must be a whole number")
        return int(value)

    def flag(self, column: str) -> bool | None:
        cell = self.text(column)
        if cell is None:
            return None
        if cell.lower() not in _BOOLEANS:
            self.fail(column, "must be True or False")
        return _BOOLEANS[cell.lower()]

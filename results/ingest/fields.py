"""Typed access to the fields of one foreign object; a wrong type is a FormatError at its pointer. Pure.

An absent field and ``null`` are both None: neither says anything.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from results.ingest.rows import FormatError

#: Integers above are not exact as floats.
EXACT = 2**53
#: No quantity of a benchmark is larger; sums and products of some of these stay finite.
LARGEST = 1e30
#: Digits of a count that is written as text.
LONGEST_COUNT = 12
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: Moments between 2000 and 2100, in seconds since 1970.
_MOMENTS = (946_684_800, 4_102_444_800)
_COMPACT = re.compile(r"\d{8}-\d{6}")


@dataclass(frozen=True, slots=True)
class Fields:
    """``place`` is the pointer of the object, or ``line 3``."""

    values: Mapping[str, Any]
    place: str = ""

    @classmethod
    def of(cls, value: Any, place: str = "") -> "Fields":
        """The fields of a decoded value; raises FormatError for what is no object."""
        if not isinstance(value, dict):
            raise FormatError(place, "must be an object")
        return cls(value, place)

    def pointer(self, name: str) -> str:
        step = "/" + name.replace("~", "~0").replace("/", "~1")
        return f"{self.place}, {step}" if self.place.startswith("line") else f"{self.place}{step}"

    def fail(self, name: str, reason: str) -> NoReturn:
        raise FormatError(self.pointer(name), reason)

    def number(self, name: str) -> float | None:
        """A finite number."""
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(name, "must be a number")
        if isinstance(value, int) and abs(value) > EXACT:
            self.fail(name, "an integer beyond 2^53 is not exact as a number")
        if not math.isfinite(value):
            self.fail(name, "must be finite")
        if abs(value) > LARGEST:
            self.fail(name, f"must be at most {LARGEST:.0e}")
        return float(value)

    def amount(self, name: str) -> float | None:
        """A finite number of at least zero."""
        value = self.number(name)
        if value is not None and value < 0:
            self.fail(name, "must not be negative")
        return value

    def count(self, name: str) -> int | None:
        """A whole number of at least zero; ``12.0`` is one too."""
        value = self.amount(name)
        if value is not None and (value > EXACT or value != int(value)):
            self.fail(name, "must be a whole number of at most 2^53")
        return None if value is None else int(value)

    def positive(self, name: str) -> int | None:
        """A whole number of at least one."""
        value = self.count(name)
        if value == 0:
            self.fail(name, "must be at least 1")
        return value

    def text(self, name: str) -> str | None:
        """Text without the space around it; empty text says nothing."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, str):
            self.fail(name, "must be text")
        return (value or "").strip() or None

    def flag(self, name: str) -> bool | None:
        """A boolean, also spelled as text."""
        value = self.values.get(name)
        if isinstance(value, str):
            value = {"true": True, "false": False}.get(value.strip().lower(), value)
        if value is not None and not isinstance(value, bool):
            self.fail(name, "must be true or false")
        return value

    def inner(self, name: str) -> "Fields":
        """An object; without it an empty one."""
        value = self.values.get(name)
        return Fields.of({} if value is None else value, self.pointer(name))

    def items(self, name: str) -> Sequence[Any]:
        """An array; without it an empty one."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, list):
            self.fail(name, "must be an array")
        return value or ()

    def numbers(self, name: str) -> list[float]:
        """An array of finite numbers; without it an empty one."""
        found = Fields({str(index): item for index, item in enumerate(self.items(name))}, self.pointer(name))
        numbers = [(key, found.number(key)) for key in found.values]
        return [found.fail(key, "must be a number") if value is None else value for key, value in numbers]

    def moment(self, name: str) -> datetime | None:
        """Seconds since 1970, or ISO 8601 with an offset, in UTC."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            return self._epoch(name)
        try:
            found = datetime.fromisoformat(value.strip())
        except ValueError:
            self.fail(name, "must be a time of ISO 8601")
        if found.tzinfo is None:
            self.fail(name, "a time without an offset says no moment")
        try:
            return found.astimezone(UTC)
        except OverflowError:
            self.fail(name, "must be a time of ISO 8601")

    def _epoch(self, name: str) -> datetime:
        seconds = self.number(name) or 0.0
        if not _MOMENTS[0] <= seconds < _MOMENTS[1]:
            self.fail(name, "must be seconds since 1970, between the years 2000 and 2100")
        return _EPOCH + timedelta(seconds=seconds)


def is_local_time(value: object) -> bool:
    """``20260527-075026`` of benchmark clients: the host's clock without an offset, so no moment."""
    return isinstance(value, str) and _COMPACT.fullmatch(value) is not None

"""Cursors for lists ordered by (created_at, id), newest first: stable while rows are added."""

import base64
import binascii
import uuid
from dataclasses import dataclass
from datetime import datetime


def pack(created_at: datetime, identifier: str) -> str:
    """A position in a list as text for an address."""
    text = f"{created_at.isoformat()}|{identifier}"
    return base64.urlsafe_b64encode(text.encode("ascii")).decode("ascii").rstrip("=")


def unpack(text: str) -> tuple[datetime, str]:
    """What ``pack`` was given; ValueError when ``text`` was not made by it."""
    try:
        plain = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except (binascii.Error, UnicodeError) as error:
        raise ValueError("not a cursor") from error
    moment, _bar, identifier = plain.partition("|")
    created_at = datetime.fromisoformat(moment)
    if created_at.tzinfo is None:
        raise ValueError("not a cursor")
    return created_at, identifier


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last row that was shown; the next page starts after it."""

    created_at: datetime
    id: uuid.UUID

    def encode(self) -> str:
        return pack(self.created_at, self.id.hex)

    @classmethod
    def decode(cls, text: str) -> "Cursor":
        """ValueError when ``text`` was not made by ``encode``."""
        created_at, identifier = unpack(text)
        return cls(created_at, uuid.UUID(hex=identifier))


@dataclass(frozen=True, slots=True)
class RowCursor:
    """The same for tables whose rows have numbers."""

    created_at: datetime
    id: int

    def encode(self) -> str:
        return pack(self.created_at, str(self.id))

    @classmethod
    def decode(cls, text: str) -> "RowCursor":
        """ValueError when ``text`` was not made by ``encode``."""
        created_at, number = unpack(text)
        if not number.isdecimal() or int(number) >= 2**63:
            raise ValueError("not a cursor")
        return cls(created_at, int(number))


@dataclass(frozen=True, slots=True)
class PlaceCursor:
    """For lists that never change: how many rows have been shown."""

    place: int

    def encode(self) -> str:
        return str(self.place)

    @classmethod
    def decode(cls, text: str) -> "PlaceCursor":
        """ValueError when ``text`` was not made by ``encode``."""
        if not (text.isascii() and text.isdecimal()) or len(text) > 9:
            raise ValueError("not a cursor")
        return cls(int(text))

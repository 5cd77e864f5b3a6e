"""Cursors for lists ordered by (created_at, id), newest first: stable while rows are added."""

import base64
import binascii
import uuid
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last row that was shown; the next page starts after it."""

    created_at: datetime
    id: uuid.UUID

    def encode(self) -> str:
        text = f"{self.created_at.isoformat()}|{self.id.hex}"
        return base64.urlsafe_b64encode(text.encode("ascii")).decode("ascii").rstrip("=")

    @classmethod
    def decode(cls, text: str) -> "Cursor":
        """ValueError when ``text`` was not made by ``encode``."""
        try:
            plain = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
        except (binascii.Error, UnicodeError) as error:
            raise ValueError("not a cursor") from error
        moment, _bar, identifier = plain.partition("|")
        created_at = datetime.fromisoformat(moment)
        if created_at.tzinfo is None:
            raise ValueError("not a cursor")
        return cls(created_at, uuid.UUID(hex=identifier))

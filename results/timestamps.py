"""Moments as the database sends them, read by the interpreter's own parser.

A page looks at thousands. Django's reader takes a regular expression and two corrections of the time zone
for each, twenty times as long.
"""

from datetime import UTC, datetime
from typing import Any

from psycopg.abc import Buffer
from psycopg.types.datetime import TimestamptzLoader


class TimestampLoader(TimestamptzLoader):
    """Everything is in UTC; what is no moment of ours, such as infinity, is left to the driver's reader."""

    #: Django asks a reader for it.
    timezone = UTC

    def load(self, data: Buffer) -> datetime:
        try:
            found = datetime.fromisoformat(bytes(data).decode())
        except ValueError:
            found = super().load(data)
        return found if found.tzinfo is UTC else found.astimezone(UTC)


def register(connection: Any, **_signal: Any) -> None:
    """Receiver of ``connection_created``."""
    if connection.vendor == "postgresql" and connection.timezone is UTC:
        connection.connection.adapters.register_loader("timestamptz", TimestampLoader)

"""What a supervisor tells: one JSON object per line on standard output (docs/runner-protocol.md)."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

#: Receives one event; the supervisor's only way to speak.
Emit = Callable[[Mapping[str, Any]], None]


def utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def to_stdout(event: Mapping[str, Any]) -> None:
    """A reader that is gone, or a full disk behind it, must not keep the supervisor from its teardown."""
    try:
        sys.stdout.write(json.dumps(event, allow_nan=False) + "\n")
        sys.stdout.flush()
    except OSError:
        # What is left in the buffer would fail again when Python exits.
        with Path(os.devnull).open("w", encoding="ascii") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


class Phases:
    """Times of the phases of an attempt; each begin is also an event."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self.list: list[dict[str, Any]] = []

    def begin(self, name: str, load: int | None = None) -> None:
        at = utc_now()
        self.end(at)
        self.list.append({"name": name, "load": load, "started_at": at, "ended_at": None})
        self._emit({"event": "phase", "phase": name, "load": load, "at": at})

    def end(self, at: str | None = None) -> None:
        if self.list and self.list[-1]["ended_at"] is None:
            self.list[-1]["ended_at"] = at or utc_now()

    @property
    def current(self) -> str:
        return str(self.list[-1]["name"]) if self.list else "prepare"

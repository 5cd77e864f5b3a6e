"""What a format reader hands over: numbers of one load, not yet in the database."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from results.analysis.validity import Verdict


class UnreadableError(ValueError):
    """A file cannot be read; ``path`` is relative to the load's folder, ``missing`` when it is not there."""

    def __init__(self, path: str, reason: str, *, missing: bool = False) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason
        self.missing = missing


@dataclass(frozen=True, slots=True)
class RawPoint:
    """``values`` by registry key in registered units; ``extra`` is what has no registry entry."""

    load: int
    values: Mapping[str, float]
    extra: Mapping[str, Any]
    verdict: Verdict
    parser_version: str
    started_at: datetime | None
    ended_at: datetime | None
    planned_window_seconds: float

"""What readers of foreign files hand over: rows in the file's words, numbers in registered units. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from results.analysis.validity import Verdict

#: Part of a recipe or scenario document; a field that the file does not state is absent.
Partial = Mapping[str, Any]


class FormatError(ValueError):
    """A file, or the rest of it, cannot be read.

    ``pointer`` is a JSON pointer or ``line 12``; empty for the file as a whole.
    """

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer}: {reason}" if pointer else reason)
        self.pointer = pointer
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Source:
    """One stored file as a format sees it.

    ``path`` is the name under which it was sent (for messages and pairing, never for numbers), ``location``
    a readable local copy, ``siblings`` the files that were sent in the same folder, by base name.
    """

    path: str
    location: Path
    siblings: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export of ours says about the run of a point; recipe and scenario are then complete documents.

    ``run`` is a UUID. ``attempt`` and ``host`` are those of the server that executed it.
    """

    run: str
    label: str
    parser_version: str
    block: int | None = None
    attempt: int | None = None
    host: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """One measured point. ``recipe`` and ``scenario`` are partial documents in the file's own spellings.

    ``values`` by registry key in registered units, ``extra`` what has no registry entry, ``flags`` short
    keys of what is odd about the row, ``notes`` sentences about what was left out and why. ``source_run``
    names the run that measured, ``published_run`` the one that published. Times are UTC.
    """

    pointer: str
    recipe: Partial
    scenario: Partial
    load: int | None
    values: Mapping[str, float]
    verdict: Verdict
    extra: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    source_run: str | None = None
    published_run: str | None = None
    measured_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    planned_window_seconds: float | None = None
    exported: Exported | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One accuracy score; ``score`` and its standard error are fractions, ``samples`` a count."""

    pointer: str
    recipe: Partial
    scenario: Partial
    load: int | None
    task: str
    metric: str
    score: float
    score_se: float | None = None
    samples: int | None = None
    source_run: str | None = None
    measured_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of a performance changelog: which configurations changed, why, in which pull request."""

    pointer: str
    config_keys: tuple[str, ...]
    description: str
    pull_request: str = ""
    changed_at: datetime | None = None
    base_ref: str = ""
    head_ref: str = ""
    source_run: str | None = None


@dataclass(frozen=True, slots=True)
class Reliability:
    """How many jobs of a hardware succeeded in one run or on one day."""

    pointer: str
    hardware: str
    succeeded: int
    total: int
    day: datetime | None = None
    source_run: str | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """The file was recognised and yields no row of its own: why (for example, read together with another)."""

    pointer: str
    text: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """One row that is refused while others are read; ``missing`` points at absent identity fields."""

    pointer: str
    reason: str
    missing: tuple[str, ...] = ()


Row = Result | Evaluation | Change | Reliability | Remark | Rejected

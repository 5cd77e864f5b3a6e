"""A delivery of result files: what was sent, by whom, and what the report about it adds up to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from results.ingest.archives import shown_name
from results.ingest.reports import FileReport
from results.models import ApiToken, Upload

_LONGEST_PATH = 512
#: Files that the door reads itself; no format reads them and no identity belongs to them.
ARCHIVE, BUNDLE, IDENTITY = "archive", "northstar-bundle", "northstar-identity"
DOOR_FORMATS = (ARCHIVE, BUNDLE, IDENTITY)


@dataclass(frozen=True, slots=True)
class Sent:
    """One file as it came: the name it is shown under, and where its bytes are."""

    path: str
    location: Path


@dataclass(frozen=True, slots=True)
class Delivery:
    """``identity`` is a checked identity document that holds for every file.

    ``accept`` lets a run that covers less replace a published curve. ``token`` is None for an operator.
    """

    handle: Upload.Handle
    name: str
    identity: Mapping[str, Any] = field(default_factory=dict)
    token: ApiToken | None = None
    validate_only: bool = False
    accept: bool = False
    request_id: str = ""


@dataclass(slots=True)
class Names:
    """Paths of one delivery, each once, none too long."""

    taken: set[str] = field(default_factory=set)

    def unique(self, path: str) -> str:
        """``path`` as it is shown, with a number where it stands already."""
        shown = shown_name(path)[-_LONGEST_PATH + 8 :] or "?"
        found, number = shown, 1
        while found in self.taken:
            number += 1
            found = f"{shown} ({number})"
        self.taken.add(found)
        return found


def report_json(files: Sequence[FileReport]) -> dict[str, Any]:
    """``{"files": [...], "totals": {...}}``; totals count files and rows."""
    totals = {
        "files": len(files),
        "created": sum(file.created for file in files),
        "unchanged": sum(file.unchanged for file in files),
        "superseded": sum(file.superseded for file in files),
        "quarantined": sum(len(file.quarantined) for file in files),
    }
    return {"files": [file.to_json() for file in files], "totals": totals}

"""What the reading of one file answers; the door adds the files of a delivery up. Pure: no Django."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Refused:
    """One refused row. ``pointer`` is a JSON pointer or ``line 12``, empty for the file as a whole.

    ``missing`` are JSON pointers of identity fields that nobody stated (``/recipe/roles/serve/hardware``);
    ``unknown`` is (kind, spelling) of a value that has no alias yet.
    """

    pointer: str
    reason: str
    missing: tuple[str, ...] = ()
    unknown: tuple[str, str] | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {
            "missing": list(self.missing),
            "unknown": None if self.unknown is None else list(self.unknown),
        }


@dataclass(frozen=True, slots=True)
class KeptCurve:
    """A newer run that did not replace the published one, because it covers less.

    ``missing_loads`` stand in the published run only, ``new_loads`` in the newer one only.
    """

    recipe: str
    scenario: str
    published_run: str
    newer_run: str
    missing_loads: tuple[int, ...]
    new_loads: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FileReport:
    """What one file left. Counts are rows: points, evaluations, changelog entries and job counts.

    ``created`` and ``unchanged`` rows of this file; ``superseded`` observations of the same run and load
    that are no longer current because of it. ``format`` is empty when no reader recognised the file.
    """

    path: str
    sha256: str
    format: str = ""
    version: str = ""
    created: int = 0
    unchanged: int = 0
    superseded: int = 0
    quarantined: tuple[Refused, ...] = ()
    remarks: tuple[str, ...] = ()
    kept_curves: tuple[KeptCurve, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {
            "quarantined": [row.to_json() for row in self.quarantined],
            "remarks": list(self.remarks),
            "kept_curves": [asdict(curve) for curve in self.kept_curves],
        }

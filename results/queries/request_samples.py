"""Per-request numbers of runs from the records stored with them; read when asked for, and bounded."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from results.analysis.ecdf import Ecdf, ecdf
from results.analysis.requests import RecordError, RequestRecord, parse_records
from results.models import AttemptArtifact, State
from results.storage import ArtifactMissingError, open_artifact

RECORDS = "profile_export.jsonl"
#: Records read of one file, and of all files of one answer.
PER_FILE, IN_ALL = 50_000, 200_000
#: What can be drawn: key, attribute of a record, unit.
QUANTITIES: Mapping[str, tuple[str, str]] = {
    "ttft": ("ttft", "s"),
    "itl": ("itl", "s"),
    "e2e_latency": ("latency", "s"),
}


@dataclass(frozen=True, slots=True)
class Distribution:
    """Successful profiled requests of one run at one load; ``cut`` when the file holds more records.

    ``ecdf`` is None with a ``problem``: no_records or unreadable.
    """

    run: uuid.UUID
    ecdf: Ecdf | None
    cut: bool = False
    problem: str = ""


def distributions(runs: Sequence[uuid.UUID], load: int, quantity: str) -> list[Distribution]:
    """One per run in the order given. One query; KeyError for an unknown quantity."""
    attribute, _unit = QUANTITIES[quantity]
    files = _files(runs, load)
    budget = min(PER_FILE, IN_ALL // max(1, len(files)))
    return [_distribution(run, files.get(run), attribute, budget) for run in runs]


def _files(runs: Sequence[uuid.UUID], load: int) -> dict[uuid.UUID, str]:
    """Digest of the records of the newest succeeded attempt of each run."""
    path = f"loads/c{load:04d}/{RECORDS}"
    rows = AttemptArtifact.objects.filter(
        attempt__run__in=list(runs), attempt__state=State.SUCCEEDED, path=path
    ).order_by("attempt__number")
    return dict(rows.values_list("attempt__run_id", "artifact_id"))


def _distribution(run: uuid.UUID, sha256: str | None, attribute: str, budget: int) -> Distribution:
    if sha256 is None:
        return Distribution(run, None, problem="no_records")
    try:
        with open_artifact(sha256) as stream:
            records = list(islice(parse_records(stream), budget))
            cut = bool(stream.readline())
        return Distribution(run, ecdf(_values(records, attribute)), cut)
    except (ArtifactMissingError, RecordError):
        return Distribution(run, None, problem="unreadable")


def _values(records: Sequence[RequestRecord], attribute: str) -> Iterator[float | None]:
    return (getattr(record, attribute) for record in records if record.successful)

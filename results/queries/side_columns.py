"""Columns of the points that stand for the sides of a comparison, and distributions over their requests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from results.analysis.column_file import PointColumns
from results.analysis.ecdf import Ecdf, ecdf
from results.analysis.request_columns import RequestColumns
from results.ingest.column_store import RECORDS, columns_of
from results.models import AttemptArtifact, Point
from results.queries.point_detail import imported_columns

#: What can be drawn: key, column of the requests, unit.
QUANTITIES: Mapping[str, tuple[str, str]] = {
    "ttft": ("ttft", "s"),
    "itl": ("itl", "s"),
    "e2e_latency": ("latency", "s"),
}


@dataclass(frozen=True, slots=True)
class Distribution:
    """Successful profiled requests of one point; without them ``problem`` is no_records or unreadable."""

    ecdf: Ecdf | None
    problem: str = ""


def columns_of_points(identifiers: Sequence[int]) -> dict[int, PointColumns | None]:
    """The columns of each point, None where nothing was kept of its requests. Two queries."""
    points = Point.objects.filter(id__in=list(identifiers)).values_list("id", "attempt_id", "load", "extra")
    found = list(points)
    files = _files({attempt for _id, attempt, _load, _extra in found if attempt is not None})
    return {
        identifier: imported_columns(extra) if attempt is None
        else columns_of(attempt, load, files.get((attempt, load), {}))
        for identifier, attempt, load, extra in found
    }  # fmt: skip


def _files(attempts: set[int]) -> dict[tuple[int, int | None], dict[str, str]]:
    """sha256 of files by path, by attempt and load."""
    rows = AttemptArtifact.objects.filter(attempt__in=attempts, load__isnull=False)
    found: dict[tuple[int, int | None], dict[str, str]] = {}
    for attempt, load, path, sha256 in rows.values_list("attempt_id", "load", "path", "artifact_id"):
        found.setdefault((attempt, load), {})[path] = sha256
    return found


def distribution(columns: PointColumns | None, quantity: str) -> Distribution:
    """How one quantity lies over the requests; KeyError for an unknown one."""
    name, _unit = QUANTITIES[quantity]
    if columns is not None and columns.requests is not None:
        return Distribution(ecdf(_values(columns.requests, name)))
    unreadable = columns is not None and RECORDS in columns.unreadable
    return Distribution(None, "unreadable" if unreadable else "no_records")


def _values(requests: RequestColumns, name: str) -> list[float | None]:
    measured = requests[name][requests.successful].tolist()
    return [None if isnan(value) else value for value in measured]

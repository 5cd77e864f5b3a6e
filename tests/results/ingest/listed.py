"""A format for tests of the store: what a file holds is looked up by its content."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4

from results import clock
from results.analysis.validity import Reason, Validity, Verdict
from results.documents.identity import identity_digest
from results.ingest.read_file import ingest_file
from results.ingest.reports import FileReport
from results.ingest.rows import Result, Row, Source
from results.models import ResultFile
from results.services.load_catalogue import load_catalogue
from results.storage import put_bytes

GOOD = Verdict(Validity.VALID, (), "fixed-1")
SHORT = Verdict(Validity.DIAGNOSTIC, (Reason.SHORT_WINDOW,), "fixed-1")
FAILED = Verdict(Validity.FAILED, (Reason.NO_SUCCESSFUL_REQUEST,), "fixed-1")
RECIPE: dict[str, Any] = {
    "roles": {"serve": {"hardware": "b200-dgxc", "gpus": 8, "tp": 8}},
    "engine": {"name": "vllm", "version": "0.11"},
    "model": {"name": "dsr1"},
    "precision": "nvfp4",
}
FIXED = {"kind": "fixed", "isl": 8192, "osl": 1024}


@dataclass
class Listed:
    """``files`` maps a content to its rows."""

    NAME: str = "listed"
    PARSER_VERSION: str = "listed/1"
    files: dict[bytes, Sequence[Row | Exception]] = field(default_factory=dict)

    def detect(self, source: Source) -> str | None:
        return "1" if source.location.read_bytes() in self.files else None

    def read(self, source: Source) -> Iterator[Row]:
        for row in self.files[source.location.read_bytes()]:
            if isinstance(row, Exception):
                raise row
            yield row


@dataclass
class Desk:
    """Puts files of listed rows into the store."""

    format: Listed

    def content(self, rows: Iterable[Row | Exception]) -> bytes:
        body = uuid4().bytes
        self.format.files[body] = list(rows)
        return body

    def put(self, body: bytes, identity: dict[str, Any] | None = None) -> ResultFile:
        stated = identity or {}
        return ResultFile.objects.get_or_create(
            artifact=put_bytes(body),
            identity_digest=identity_digest(stated),
            defaults={"identity": stated, "path": "a.json", "received_at": clock.now()},
        )[0]

    def read(self, body: bytes, identity: dict[str, Any] | None = None, **options: bool) -> FileReport:
        location = Path(mkdtemp(prefix="northstar-")) / "a.json"
        location.write_bytes(body)
        return ingest_file(file=self.put(body, identity), source=Source("a.json", location), **options)

    def send(self, *rows: Row | Exception, identity: dict[str, Any] | None = None) -> FileReport:
        return self.read(self.content(rows), identity)


def desk() -> Desk:
    load_catalogue()
    return Desk(Listed())


def result(load: int | None = 4, day: int = 1, **changes: Any) -> Result:
    """A valid point of 2026-05-``day``; ``values`` may be given as a number of output tokens per second."""
    values = changes.pop("values", 100.0)
    if not isinstance(values, dict):
        values = {"output_throughput": float(values)}
    columns: dict[str, Any] = {
        "pointer": f"/{load}/{day}",
        "recipe": RECIPE,
        "scenario": FIXED,
        "load": load,
        "values": values,
        "verdict": GOOD,
        "measured_at": datetime(2026, 5, day, 12, tzinfo=UTC),
    }
    return Result(**(columns | changes))

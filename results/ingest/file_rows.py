"""Stores the rows of one file, kind by kind, and collects what is refused."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from results.documents.canonical import fingerprint
from results.ingest.normalize import Normalizer, RefusedError
from results.ingest.observation import Observer
from results.ingest.point_store import PointStore
from results.ingest.reports import Refused
from results.ingest.rows import Change, Evaluation, Rejected, Reliability, Remark, Result, Row
from results.ingest.statements import CHANGE, EVALUATION, RELIABILITY, Statements
from results.models import ChangelogEntry, ReliabilityCount, ResultFile
from results.models import Evaluation as EvaluationRow

#: Distinct remarks that are kept of one file.
_REMARKS = 100
#: What a score must say about the deployment that it belongs to.
_NEEDED = ("/recipe/model/name", "/recipe/precision")


class FileRows:
    """``refused`` and ``remarks`` are complete once ``store`` has returned."""

    def __init__(
        self, file: ResultFile, normalizer: Normalizer, *, parser_version: str, now: datetime
    ) -> None:
        self._normalizer = normalizer
        self._observer = Observer(normalizer, parser_version)
        self._now = now
        self.points = PointStore(file, now=now)
        self.scores = Statements(EvaluationRow, EVALUATION, file)
        self.changes = Statements(ChangelogEntry, CHANGE, file)
        self.jobs = Statements(ReliabilityCount, RELIABILITY, file)
        self._refused: list[Refused] = []
        self._remarks: dict[str, None] = {}

    def store(self, rows: Iterable[Row]) -> None:
        """Store every row that is not refused."""
        try:
            for row in rows:
                self._store_or_refuse(row)
            self.points.flush()
        finally:
            self.points.abandon()
        for statements in (self.scores, self.changes, self.jobs):
            statements.flush()

    @property
    def refused(self) -> tuple[Refused, ...]:
        return (*self._refused, *self.points.refused)

    @property
    def remarks(self) -> tuple[str, ...]:
        return tuple(self._remarks)

    @property
    def created(self) -> int:
        stated = (self.scores.created, self.changes.created, self.jobs.created)
        return self.points.created + sum(map(len, stated))

    @property
    def read(self) -> int:
        return self.points.read + self.scores.read + self.changes.read + self.jobs.read

    def _store_or_refuse(self, row: Row) -> None:
        try:
            self._store(row)
        except RefusedError as error:
            self._refused.append(replace(error.row, pointer=row.pointer))

    def _store(self, row: Row) -> None:
        match row:
            case Result():
                self.points.add(self._observer.observe(row))
                self._remark(*row.notes)
            case Evaluation():
                self._state(self.scores, self._score(row))
            case Change():
                self._state(self.changes, _change(row))
            case Reliability():
                self._state(self.jobs, self._job(row))
            case Remark():
                self._remark(f"{row.pointer}: {row.text}" if row.pointer else row.text)
            case Rejected():
                self._refused.append(Refused(row.pointer, row.reason, row.missing))

    def _state(self, statements: Statements[Any], columns: Mapping[str, Any]) -> None:
        self.points.finish()
        statements.add(columns)

    def _remark(self, *texts: str) -> None:
        for text in texts:
            if len(self._remarks) < _REMARKS:
                self._remarks.setdefault(text)

    def _score(self, row: Evaluation) -> dict[str, Any]:
        if not 0 <= row.score <= 1:
            raise RefusedError(Refused("", f"score {row.score} is no fraction"))
        config = self._normalizer.config(row.recipe)
        missing = tuple(_missing(config))
        if missing:
            raise RefusedError(Refused("", f"nobody stated {', '.join(missing)}", missing))
        sent = self._normalizer.identity.get("scenario")
        scenario = {**row.scenario, **(sent if isinstance(sent, Mapping) else {})}
        return {
            "pointer": row.pointer[:512],
            "config": config,
            "config_digest": fingerprint(config),
            "task": row.task[:128],
            "metric": row.metric[:64],
            "score": float(row.score),
            "score_se": None if row.score_se is None else float(row.score_se),
            "samples": row.samples,
            "isl": scenario.get("isl"),
            "osl": scenario.get("osl"),
            "load": self._normalizer.stated("load", row.load),
            "source_run": (self._normalizer.stated("source_run", row.source_run) or "")[:256],
            "measured_at": row.measured_at,
            "created_at": self._now,
        }

    def _job(self, row: Reliability) -> dict[str, Any]:
        if not 0 <= row.succeeded <= row.total:
            raise RefusedError(Refused("", f"{row.succeeded} succeeded of {row.total} jobs"))
        return {
            "hardware_id": self._normalizer.hardware(row.hardware),
            "day": row.day,
            "source_run": (row.source_run or "")[:256],
            "succeeded": row.succeeded,
            "total": row.total,
        }


def _change(row: Change) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "config_keys": [key[:256] for key in row.config_keys],
        "description": row.description,
        "pull_request": row.pull_request[:512],
        "base_ref": row.base_ref[:256],
        "head_ref": row.head_ref[:256],
        "source_run": (row.source_run or "")[:256],
    }
    moment = None if row.changed_at is None else row.changed_at.isoformat()
    digest = fingerprint([columns, moment])
    return {**columns, "pointer": row.pointer[:512], "changed_at": row.changed_at, "digest": digest}


def _missing(config: Mapping[str, Any]) -> Iterable[str]:
    for pointer in _NEEDED:
        value: Any = config
        for step in pointer.removeprefix("/recipe/").split("/"):
            value = value.get(step) if isinstance(value, Mapping) else None
        if value is None:
            yield pointer
    roles = config.get("roles") or {"serve": {}}
    for name, role in roles.items():
        if not (isinstance(role, Mapping) and role.get("hardware")):
            yield f"/recipe/roles/{name}/hardware"

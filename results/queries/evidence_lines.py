"""Every judged quantity of the evidence, one line each: figure, table, CSV and API read the same lines."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from results.analysis.gains.verdicts import MetricVerdict
from results.queries.comparisons import EvidenceRow, evidence_of, of_project

STANDING, RUNNING, WITHDRAWN = "standing", "running", "withdrawn"


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """``verdict`` is None while runs are live and after a withdrawal: neither has a number to show.

    ``x`` names the metric that is held equal where the gain is one along a frontier, from ``low`` to
    ``high``; a gain at equal load has a load instead, and the two are different quantities.
    """

    evidence: int
    status: str
    project: str
    topic: str | None
    repository: str | None
    number: int | None
    comparison: uuid.UUID
    title: str
    declared_before_running: bool
    scenario: str
    hosts: tuple[str, ...]
    created_at: datetime
    note: str
    withdrawn_reason: str
    verdict: MetricVerdict | None
    x: str | None = None
    low: float | None = None
    high: float | None = None

    @property
    def subject(self) -> str:
        return f"{self.repository}#{self.number}" if self.repository else str(self.topic)


def evidence_lines(rows: Iterable[EvidenceRow]) -> tuple[EvidenceLine, ...]:
    """Declared quantities and the gain along the frontier, in the order of the evidence and of its plan.

    Nothing is sorted by what it gained.
    """
    return tuple(line for row in rows for line in _lines(row))


def evidence_lines_of(project: str | None) -> tuple[EvidenceLine, ...]:
    """Lines of a project, or of all of them; three queries."""
    return evidence_lines(evidence_of() if project is None else evidence_of(of_project(project)))


def status_of(row: EvidenceRow) -> str:
    if row.withdrawn_at is not None:
        return WITHDRAWN
    return RUNNING if row.comparison.verdict is None else STANDING


def _lines(row: EvidenceRow) -> Iterator[EvidenceLine]:
    verdict = row.comparison.verdict
    if verdict is None or row.withdrawn_at is not None:
        yield _line(row, None)
        return
    for one in verdict.primary:
        yield _line(row, one)
    curve = verdict.frontier
    if curve is not None:
        yield _line(row, curve.verdict, curve.x, curve.low, curve.high)


def _line(
    row: EvidenceRow,
    verdict: MetricVerdict | None,
    x: str | None = None,
    low: float | None = None,
    high: float | None = None,
) -> EvidenceLine:
    found = row.comparison
    return EvidenceLine(
        evidence=row.id,
        status=status_of(row),
        project=row.project,
        topic=row.topic,
        repository=row.repository,
        number=row.number,
        comparison=found.id,
        title=found.title,
        declared_before_running=found.declared_before_running,
        scenario=found.scenario,
        hosts=found.hosts,
        created_at=row.created_at,
        note=row.note,
        withdrawn_reason=row.withdrawn_reason,
        verdict=verdict,
        x=x,
        low=low,
        high=high,
    )

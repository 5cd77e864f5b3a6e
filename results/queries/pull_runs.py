"""Runs that were submitted for a pull request, and what became of them, as pages and API show it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from results.analysis.gains.baselines import NO_BASELINE_TEXTS, NOT_COMPARED_TEXTS
from results.metrics import gettext_noop
from results.models import LIVE, PullRequestRun

#: Why there is no comparison, by code; sentences for ``gettext``.
TEXTS: Mapping[str, str] = {
    **{str(code): text for code, text in NO_BASELINE_TEXTS.items()},
    **{str(code): text for code, text in NOT_COMPARED_TEXTS.items()},
    "live": gettext_noop("the run is not over"),
    "merge_base_asked": gettext_noop("GitHub has not said the merge base yet"),
    "due": gettext_noop("the baseline is looked for within a minute"),
    "": "",
}


@dataclass(frozen=True, slots=True)
class PullRunRow:
    """``why`` is a code of TEXTS, empty with a ``comparison``; ``trouble`` is GitHub's, empty without one.

    ``merge_base_source``: "stated" by the submission, "github", or empty while it is not known.
    """

    run: UUID
    label: str
    state: str
    created_at: datetime
    repository: str
    number: int
    commit: str
    merge_base: str
    merge_base_source: str
    outcome: str
    why: str
    trouble: str
    comparison: UUID | None
    evidence: int | None
    decided_at: datetime | None

    @property
    def owner(self) -> str:
        return self.repository.partition("/")[0]

    @property
    def name(self) -> str:
        return self.repository.partition("/")[2]

    @property
    def reason(self) -> str:
        """In English; pages translate it."""
        return TEXTS.get(self.why, self.why)


def pull_runs(**filters: object) -> tuple[PullRunRow, ...]:
    """Those that fit Django ``filters``, newest first; one query."""
    rows = PullRequestRun.objects.filter(**filters).select_related("run", "pull_request", "evidence")
    return tuple(_row(row) for row in rows.order_by("-run__created_at", "-id"))


def _row(row: PullRequestRun) -> PullRunRow:
    return PullRunRow(
        run=row.run_id,
        label=row.run.label,
        state=row.run.state,
        created_at=row.run.created_at,
        repository=row.pull_request.repository,
        number=row.pull_request.number,
        commit=row.commit,
        merge_base=row.merge_base,
        merge_base_source=row.merge_base_source,
        outcome=row.outcome,
        why=_why(row),
        trouble=row.trouble,
        comparison=row.evidence.comparison_id if row.evidence is not None else None,
        evidence=row.evidence_id,
        decided_at=row.decided_at,
    )


def _why(row: PullRequestRun) -> str:
    if row.outcome != PullRequestRun.Outcome.WAITING:
        return row.reason
    if row.run.state in LIVE:
        return "live"
    return "due" if row.merge_base else "merge_base_asked"

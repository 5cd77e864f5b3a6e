"""Comparisons and evidence as pages and API show them."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.db.models import F, Func, JSONField, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from results.analysis.gains.verdicts import ComparisonVerdict
from results.documents.verdict import read_verdict
from results.models import Attempt, Comparison, ComparisonRun, Evidence
from results.queries.names import shipped_name
from results.queries.recipe_text import flatten


class _Declared(Func):
    """A stored verdict without its exploratory metrics."""

    template = "(%(expressions)s - 'exploratory'::text)"
    output_field = JSONField()


@dataclass(frozen=True, slots=True)
class MemberRow:
    """One run of a comparison; ``arm`` A is the baseline."""

    run: uuid.UUID
    block: int
    arm: str
    state: str
    host: str | None


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """``differences``: (baseline, candidate) by recipe field that differs. ``verdict`` once concluded.

    ``engines``: name and version, of the baseline and of the candidate where it has another.
    """

    id: uuid.UUID
    title: str
    state: str
    declared_before_running: bool
    extended: bool
    scenario: str
    engines: tuple[str, ...]
    baseline: str
    candidate: str
    differences: Mapping[str, tuple[str, str]]
    plan: Mapping[str, Any]
    members: tuple[MemberRow, ...]
    verdict: ComparisonVerdict | None
    created_at: datetime
    concluded_at: datetime | None

    @property
    def done(self) -> int:
        return sum(member.state in ("succeeded", "failed", "cancelled") for member in self.members)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Where the runs were executed; a plan that ran elsewhere names its host itself."""
        named = {member.host for member in self.members if member.host}
        return tuple(sorted(named or filter(None, [str(self.plan.get("host") or "")])))


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """``withdrawn_at`` is None while it stands. ``topic`` is None where it is about a pull request."""

    id: int
    comparison: ComparisonRow
    project: str
    repository: str | None
    number: int | None
    topic: str | None
    project_name: str
    topic_en: str
    topic_zh: str
    note: str
    created_at: datetime
    withdrawn_at: datetime | None
    withdrawn_reason: str

    @property
    def owner(self) -> str:
        return (self.repository or "").partition("/")[0]

    @property
    def name(self) -> str:
        return (self.repository or "").partition("/")[2]


def comparison_row(identifier: uuid.UUID, *, exploratory: bool = False) -> ComparisonRow | None:
    """One comparison, or None; three queries. ``exploratory`` as of ``evidence_of``."""
    found = _comparisons(exploratory).filter(id=identifier).first()
    return None if found is None else _row(found)


def evidence_of(*conditions: Q, exploratory: bool = False, **filters: object) -> tuple[EvidenceRow, ...]:
    """Evidence that fits Django ``filters``; three queries.

    ``exploratory`` metrics are most of a verdict and few readers show them: without it there are none.
    Standing before withdrawn, a change before a recipe against itself, planned before what runs happened to
    show, newest first: whoever takes the first takes the strongest.
    """
    rows = (
        Evidence.objects.filter(*conditions, **filters)
        .select_related("pull_request__optimization__project", "optimization__project")
        .prefetch_related(Prefetch("comparison", queryset=_comparisons(exploratory)))
    )
    return tuple(sorted(map(_evidence, rows), key=_rank))


def _rank(row: EvidenceRow) -> tuple[bool, bool, bool]:
    found = row.comparison
    return row.withdrawn_at is not None, not found.differences, not found.declared_before_running


def standing_comparisons() -> int:
    """How many comparisons are evidence that was not withdrawn; one query."""
    return Evidence.objects.filter(withdrawn_at__isnull=True).values("comparison").distinct().count()


def of_project(slug: str) -> Q:
    """Evidence about a project: for one of its topics, or for one of their pull requests."""
    return Q(optimization__project__slug=slug) | Q(pull_request__optimization__project__slug=slug)


def of_pull(identifier: int) -> Q:
    """Evidence for a pull request, and for the topic that it belongs to."""
    return Q(pull_request__id=identifier) | Q(optimization__pull_requests__id=identifier)


def _comparisons(exploratory: bool) -> QuerySet[Comparison]:
    """With ``judged``, the part of the verdict that is wanted."""
    judged = F("verdict") if exploratory else _Declared("verdict")
    held = Attempt.objects.filter(run=OuterRef("run"), host__isnull=False).order_by("-number")
    executed_by = Subquery(held.values("host__name")[:1])
    members = ComparisonRun.objects.order_by("position").annotate(
        state=F("run__state"), host=Coalesce(executed_by, "run__host__name")
    )
    rows = Comparison.objects.select_related("baseline", "candidate", "scenario").defer("verdict")
    return rows.annotate(judged=judged).prefetch_related(Prefetch("members", queryset=members))


def _row(comparison: Comparison) -> ComparisonRow:
    before, after = flatten(comparison.baseline.document), flatten(comparison.candidate.document)
    keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    return ComparisonRow(
        id=comparison.id,
        title=comparison.title,
        state=comparison.state,
        declared_before_running=comparison.declared_before_running,
        extended=comparison.extended,
        scenario=str(comparison.scenario),
        engines=tuple(dict.fromkeys(_engine(leaves) for leaves in (before, after))),
        baseline=comparison.baseline.fingerprint,
        candidate=comparison.candidate.fingerprint,
        differences={key: (before.get(key, "–"), after.get(key, "–")) for key in keys},
        plan=comparison.plan,
        members=tuple(_member(member) for member in comparison.members.all()),
        verdict=_verdict(cast(Any, comparison).judged),
        created_at=comparison.created_at,
        concluded_at=comparison.concluded_at,
    )


def _verdict(judged: dict[str, Any] | None) -> ComparisonVerdict | None:
    return None if judged is None else read_verdict({"exploratory": (), **judged})


def _engine(leaves: Mapping[str, str]) -> str:
    name, version = shipped_name("engines", leaves.get("engine.name", "")), leaves.get("engine.version", "")
    return f"{name} {version}".strip()


def _member(member: ComparisonRun) -> MemberRow:
    """Where it was executed, or is to be."""
    annotated = cast(Any, member)
    return MemberRow(member.run_id, member.block, member.arm, annotated.state, annotated.host)


def _evidence(row: Evidence) -> EvidenceRow:
    pull, topic = row.pull_request, row.optimization
    about = topic or (pull.optimization if pull is not None else None)
    return EvidenceRow(
        id=row.id,
        comparison=_row(row.comparison),
        project=about.project.slug if about is not None else "",
        repository=pull.repository if pull is not None else None,
        number=pull.number if pull is not None else None,
        topic=topic.slug if topic is not None else None,
        project_name=about.project.name if about is not None else "",
        topic_en=topic.name_en if topic is not None else "",
        topic_zh=topic.name_zh if topic is not None else "",
        note=row.note,
        created_at=row.created_at,
        withdrawn_at=row.withdrawn_at,
        withdrawn_reason=row.withdrawn_reason,
    )

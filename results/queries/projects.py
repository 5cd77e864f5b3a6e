"""Upstream work as pages and API show it: projects, topics, pull requests, claims, status history."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Prefetch, QuerySet

from results.analysis.claimed import OffScale, claimed
from results.models import Claim, Evidence, Optimization, Project, PullRequest
from results.queries.github import GitHubView, github_view

#: Kinds whose gain is a right answer, not a faster one.
NOT_PERFORMANCE = ("day-zero", "correctness")


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """What the author states; texts may be empty where he states none.

    ``gain``: the same as a fraction on the scale of measured gains, or None with the reason in ``off``;
    ``metric_key``: the registered metric that it is about, where there is one.
    """

    id: int
    metric: str
    before: str
    after: str
    change: str
    unit: str
    setup: str
    source_url: str
    gain: float | None
    off: OffScale | None
    metric_key: str | None


@dataclass(frozen=True, slots=True)
class PullRow:
    """``measured`` counts comparisons of ours that speak about it and were not withdrawn."""

    repository: str
    number: int
    project: str
    topic: str
    kind: str
    title: str
    status: str
    status_as_of: date
    status_source: str
    landed_on: str
    opened_on: date | None
    merged_on: date | None
    grade: str
    grade_basis: str
    listed_by: str
    added_later: bool
    source_url: str
    note: str
    claims: tuple[ClaimRow, ...]
    measured: int

    @property
    def owner(self) -> str:
        return self.repository.partition("/")[0]

    @property
    def name(self) -> str:
        return self.repository.partition("/")[2]

    @property
    def url(self) -> str:
        return f"https://github.com/{self.repository}/pull/{self.number}"


@dataclass(frozen=True, slots=True)
class TopicRow:
    slug: str
    name: str
    layer: str
    text: str
    pulls: tuple[PullRow, ...]


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """``statuses`` counts pull requests by status; ``claimed`` and ``measured`` those with one or more."""

    slug: str
    name: str
    layer: str
    repository: str
    added_later: bool
    summary: str
    pulls: int
    statuses: Mapping[str, int]
    claimed: int
    measured: int


@dataclass(frozen=True, slots=True)
class ProjectDetail:
    row: ProjectRow
    topics: tuple[TopicRow, ...]
    writeup: str

    @property
    def repository(self) -> str:
        return self.row.repository

    @property
    def numbers(self) -> Mapping[int, str]:
        """Its pull requests with the repository of each."""
        return {pull.number: pull.repository for topic in self.topics for pull in topic.pulls}


@dataclass(frozen=True, slots=True)
class PullTopic:
    """What a pull request belongs to: a topic, and the project's slug, name and repository.

    ``numbers`` are the pull requests of the topic with the repository of each.
    """

    project: str
    project_name: str
    repository: str
    slug: str
    name: str
    layer: str
    text: str
    numbers: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class StatusRow:
    status: str
    as_of: datetime
    source: str


@dataclass(frozen=True, slots=True)
class PullDetail:
    """``github`` is what GitHub said at the last sync, and how that went."""

    id: int
    row: PullRow
    topic: PullTopic
    history: tuple[StatusRow, ...]
    github: GitHubView


def project_rows(language: str) -> tuple[ProjectRow, ...]:
    """Every project in catalogue order; three queries."""
    pulls = _by_project(_pulls())
    return tuple(_project(row, pulls.get(row.slug, []), language) for row in Project.objects.all())


def pull_rows(language: str, **filters: object) -> tuple[PullRow, ...]:
    """Pull requests that fit Django ``filters``, by project and topic; three queries."""
    return tuple(pull_row(pull, language) for pull in _pulls().filter(**filters))


def project_detail(slug: str, language: str) -> ProjectDetail | None:
    """One project with its topics; None when there is none of this name. Four queries."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        return None
    pulls = list(_pulls().filter(optimization__project=project))
    topics = tuple(
        _topic(topic, [pull for pull in pulls if pull.optimization_id == topic.id], language)
        for topic in project.optimizations.all()
    )
    writeup = text_in(project, "writeup", language)
    return ProjectDetail(row=_project(project, pulls, language), topics=topics, writeup=writeup)


def topic_row(project: str, slug: str, language: str) -> TopicRow:
    """One topic of a project; four queries. Optimization.DoesNotExist without it."""
    topic = Optimization.objects.get(project__slug=project, slug=slug)
    return _topic(topic, list(_pulls().filter(optimization=topic)), language)


def pull_detail(repository: str, number: int, language: str) -> PullDetail | None:
    """One pull request with what surrounds it, five queries. GitHub ignores case in names, so does this."""
    rows = _pulls().filter(repository__iexact=repository, number=number)
    pull = rows.select_related("optimization__project", "sync").prefetch_related("history").first()
    if pull is None:
        return None
    return PullDetail(
        id=pull.id,
        row=pull_row(pull, language),
        topic=_pull_topic(pull.optimization, language),
        history=tuple(StatusRow(row.status, row.as_of, row.source) for row in pull.history.all()),
        github=github_view(pull),
    )


def _pull_topic(topic: Optimization, language: str) -> PullTopic:
    """A topic that was fetched with its project; one query."""
    return PullTopic(
        project=topic.project.slug,
        project_name=topic.project.name,
        repository=topic.project.repository,
        slug=topic.slug,
        name=text_in(topic, "name", language),
        layer=topic.layer,
        text=text_in(topic, "text", language),
        numbers=dict(topic.pull_requests.order_by("position", "number").values_list("number", "repository")),
    )


def pull_row(pull: PullRequest, language: str) -> PullRow:
    """The row of a pull request that was fetched by this module; no query."""
    return PullRow(
        repository=pull.repository,
        number=pull.number,
        project=pull.optimization.project.slug,
        topic=pull.optimization.slug,
        kind=pull.kind,
        title=text_in(pull, "title", language),
        status=pull.status,
        status_as_of=pull.status_as_of,
        status_source=pull.status_source,
        landed_on=pull.landed_on,
        opened_on=pull.opened_on,
        merged_on=pull.merged_on,
        grade=pull.grade,
        grade_basis=pull.grade_basis,
        listed_by=pull.listed_by,
        added_later=pull.added_later,
        source_url=pull.source_url,
        note=text_in(pull, "note", language),
        claims=tuple(claim_row(claim, language) for claim in pull.claims.all()),
        measured=len(pull.evidence.all()),
    )


def _pulls() -> QuerySet[PullRequest]:
    standing = Evidence.objects.filter(withdrawn_at__isnull=True)
    return (
        PullRequest.objects.select_related("optimization__project")
        .prefetch_related("claims", Prefetch("evidence", queryset=standing))
        .order_by("optimization__project__position", "optimization__position", "position", "number")
    )


def _by_project(pulls: Iterable[PullRequest]) -> dict[str, list[PullRequest]]:
    result: dict[str, list[PullRequest]] = {}
    for pull in pulls:
        result.setdefault(pull.optimization.project.slug, []).append(pull)
    return result


def _project(project: Project, pulls: list[PullRequest], language: str) -> ProjectRow:
    return ProjectRow(
        slug=project.slug,
        name=project.name,
        layer=project.layer,
        repository=project.repository,
        added_later=project.added_later,
        summary=text_in(project, "summary", language),
        pulls=len(pulls),
        statuses=_statuses(pulls),
        claimed=sum(bool(pull.claims.all()) for pull in pulls),
        measured=sum(bool(pull.evidence.all()) for pull in pulls),
    )


def _statuses(pulls: list[PullRequest]) -> dict[str, int]:
    """In one order everywhere: what is in the project first, what nobody checked last."""
    counts = Counter(pull.status for pull in pulls)
    return {status: counts[status] for status in PullRequest.Status.values if counts[status]}


def _topic(topic: Optimization, pulls: list[PullRequest], language: str) -> TopicRow:
    return TopicRow(
        slug=topic.slug,
        name=text_in(topic, "name", language),
        layer=topic.layer,
        text=text_in(topic, "text", language),
        pulls=tuple(pull_row(pull, language) for pull in pulls),
    )


def claim_row(claim: Claim, language: str) -> ClaimRow:
    """A claim in the reader's language and on the scale of measured gains; no query."""
    scaled = claimed(claim.metric_en, claim.before, claim.after, claim.change)
    return ClaimRow(
        id=claim.id,
        metric=text_in(claim, "metric", language),
        before=claim.before,
        after=claim.after,
        change=claim.change,
        unit=claim.unit,
        setup=text_in(claim, "setup", language),
        source_url=claim.source_url,
        gain=scaled.gain,
        off=scaled.off,
        metric_key=scaled.metric,
    )


def text_in(row: object, name: str, language: str) -> str:
    """The column in the reader's language: Chinese for every Chinese locale, English for all others."""
    return str(getattr(row, f"{name}_{'zh' if language.startswith('zh') else 'en'}"))

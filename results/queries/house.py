"""State of the house: hosts and their queues, the sweeper, GitHub, quarantine. Eight queries."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Max, Min, Q

from results import clock
from results.github.server import configured_server
from results.github.trouble import ConfigurationError
from results.models import HELD, LIVE, Attempt, Duty, GitHubPause, Host, PullRequest, PullRequestRun, State
from results.queries.host_room import ABSENT, has_room
from results.queries.quarantine import quarantine_counts

#: Duties come every 30 s and every hour; one that is missed twice is overdue.
_PATIENCE = {Duty.Name.SWEEP: timedelta(seconds=90), Duty.Name.GITHUB: timedelta(hours=2)}


@dataclass(frozen=True, slots=True)
class HostLine:
    """``waiting`` counts queued runs that the host can execute; ``holds`` is the run that it measures now."""

    name: str
    state: str
    hardware: tuple[str, ...]
    engines: tuple[str, ...]
    last_seen_at: datetime
    present: bool
    holds: UUID | None
    waiting: int


@dataclass(frozen=True, slots=True)
class QueueState:
    """``homeless``: queued runs that no ready host can execute."""

    queued: int
    held: int
    homeless: int
    oldest_queued_at: datetime | None


@dataclass(frozen=True, slots=True)
class DutyState:
    """``began_at`` None: never done. ``overdue``: it should have come round again."""

    name: str
    began_at: datetime | None
    ended_at: datetime | None
    outcome: str
    trouble: str
    overdue: bool


@dataclass(frozen=True, slots=True)
class RepositorySync:
    """``troubles``: pull requests by why the last attempt for them failed. Oldest and newest reading."""

    repository: str
    pulls: int
    synced: int
    oldest: datetime | None
    newest: datetime | None
    attempted_at: datetime | None
    troubles: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class GitHubState:
    """``asks``: the sweeper reads GitHub by itself. ``server`` is empty where the setting breaks a rule."""

    asks: bool
    has_token: bool
    server: str
    problem: str
    paused_until: datetime | None
    duty: DutyState
    waiting_for_merge_base: int
    repositories: tuple[RepositorySync, ...]


@dataclass(frozen=True, slots=True)
class House:
    at: datetime
    hosts: tuple[HostLine, ...]
    queue: QueueState
    sweeper: DutyState
    github: GitHubState
    quarantine: Mapping[str, int]

    @property
    def quarantined(self) -> int:
        return sum(self.quarantine.values())


def house() -> House:
    now = clock.now()
    duties = {duty.name: duty for duty in Duty.objects.all()}
    hosts, queue = _hosts_and_queue(now)
    return House(
        at=now,
        hosts=hosts,
        queue=queue,
        sweeper=_duty(Duty.Name.SWEEP, duties, now, wanted=True),
        github=_github(duties, now),
        quarantine=quarantine_counts(),
    )


def _hosts_and_queue(now: datetime) -> tuple[tuple[HostLine, ...], QueueState]:
    hosts = list(Host.objects.all())
    live = Attempt.objects.filter(state__in=LIVE)
    held = dict(live.filter(state__in=HELD).values_list("host_id", "run_id"))
    queued = live.filter(state=State.QUEUED).values_list(
        "run__host_id", "run__recipe__hardware__slug", "run__recipe__engine__slug",
        "run__recipe__gpu_count",
    )  # fmt: skip
    kinds = list(queued.annotate(n=Count("id"), oldest=Min("run__created_at")).order_by())
    lines, reached = [], set()
    for host in hosts:
        fitting = [kind for kind in kinds if _fits(host, *kind[:4])]
        if host.state == Host.State.READY:
            reached |= set(fitting)
        lines.append(_line(host, sum(kind[4] for kind in fitting), held.get(host.id), now))
    queue = QueueState(
        queued=sum(kind[4] for kind in kinds),
        held=len(held),
        homeless=sum(kind[4] for kind in kinds if kind not in reached),
        oldest_queued_at=min((kind[5] for kind in kinds), default=None),
    )
    return tuple(lines), queue


def _fits(host: Host, wanted: int | None, hardware: str, engine: str, gpus: int) -> bool:
    return wanted in (None, host.id) and engine in host.engines and has_room(host, hardware, gpus)


def _line(host: Host, waiting: int, holds: UUID | None, now: datetime) -> HostLine:
    return HostLine(
        name=host.name,
        state=host.state,
        hardware=tuple(host.hardware_slugs),
        engines=tuple(host.engines),
        last_seen_at=host.last_seen_at,
        present=host.last_seen_at >= now - ABSENT,
        holds=holds,
        waiting=waiting,
    )


def _duty(name: Duty.Name, known: Mapping[str, Duty], now: datetime, *, wanted: bool) -> DutyState:
    """``wanted``: somebody counts on it."""
    row = known.get(name)
    if row is None:
        return DutyState(name, None, None, "", "", overdue=wanted)
    late = wanted and row.began_at < now - _PATIENCE[name]
    return DutyState(name, row.began_at, row.ended_at, row.outcome, row.trouble, late)


def _github(duties: Mapping[str, Duty], now: datetime) -> GitHubState:
    server, problem = "", ""
    try:
        server = configured_server().key
    except ConfigurationError as error:
        problem = str(error)
    pause = GitHubPause.objects.filter(server=server, until__gt=now).first()
    waiting = PullRequestRun.objects.filter(outcome=PullRequestRun.Outcome.WAITING, merge_base="")
    return GitHubState(
        asks=settings.GITHUB_SYNC,
        has_token=bool(settings.GITHUB_TOKEN),
        server=server,
        problem=problem,
        paused_until=pause.until if pause is not None else None,
        duty=_duty(Duty.Name.GITHUB, duties, now, wanted=settings.GITHUB_SYNC),
        waiting_for_merge_base=waiting.count(),
        repositories=_repositories(),
    )


def _repositories() -> tuple[RepositorySync, ...]:
    """Two queries, whatever the catalogue holds."""
    troubles: dict[str, Counter[str]] = {}
    failed = PullRequest.objects.filter(sync__isnull=False).exclude(sync__error="")
    for repository, error in failed.order_by().values_list("repository", "sync__error"):
        troubles.setdefault(repository, Counter())[error] += 1
    rows = (
        PullRequest.objects.order_by("repository")
        .values("repository")
        .annotate(
            pulls=Count("id"),
            synced=Count("id", filter=Q(github_synced_at__isnull=False)),
            oldest=Min("github_synced_at"),
            newest=Max("github_synced_at"),
            attempted_at=Max("sync__attempted_at"),
        )
    )
    return tuple(RepositorySync(**row, troubles=dict(troubles.get(row["repository"], {}))) for row in rows)

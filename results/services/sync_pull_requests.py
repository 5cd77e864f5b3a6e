"""Reads pull requests from GitHub, one after another, the longest unread first."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from results import clock
from results.github.client import GitHub
from results.github.facts import API
from results.github.pull_requests import fetch_pull
from results.github.trouble import OUTAGE, GitHubError, Trouble
from results.models import PullRequest
from results.services.github_facts import apply_facts, confirm_unchanged, current_name, record_trouble
from results.services.github_pauses import pause, paused_until

#: A nightly round that a rate limit cut short goes on where it stopped.
FRESH = timedelta(hours=12)
#: So many failures of the server in a row end a round: it is down, and every further one costs a timeout.
_PATIENCE = 3
#: Sync troubles after which no other pull request would fare better.
_HOPELESS = (Trouble.RATE_LIMITED, Trouble.UNAUTHORIZED)


@dataclass(slots=True)
class SyncReport:
    """Pull requests by outcome; ``left`` were not asked for, and ``stopped`` says why."""

    counts: Counter[str] = field(default_factory=Counter)
    left: int = 0
    stopped: str = ""
    until: datetime | None = None


def due_pull_requests(now: datetime) -> QuerySet[PullRequest]:
    """Those not attempted within the last twelve hours, the longest unread first."""
    never_or_old = Q(sync__isnull=True) | Q(sync__attempted_at__lte=now - FRESH)
    order = F("sync__attempted_at").asc(nulls_first=True)
    return PullRequest.objects.filter(never_or_old).select_related("sync").order_by(order, "id")


def sync_pull_requests(*, pulls: Sequence[PullRequest], github: GitHub) -> SyncReport:
    """Ask GitHub about each; failures are recorded and change no fact.

    A rate limit, a refused token and a server that is down end the round; nothing waits.
    """
    report, outages = SyncReport(), 0
    for place, pull in enumerate(pulls):
        report.until = paused_until(github.server, clock.now())
        if report.until is not None:
            report.stopped, report.left = Trouble.RATE_LIMITED, len(pulls) - place
            break
        trouble = _sync(pull, github, report)
        outages = outages + 1 if trouble in OUTAGE else 0
        if trouble in _HOPELESS or outages == _PATIENCE:
            report.stopped, report.left = str(trouble), len(pulls) - place - 1
            report.until = paused_until(github.server, clock.now())
            break
    return report


def _sync(pull: PullRequest, github: GitHub, report: SyncReport) -> Trouble | None:
    try:
        report.counts[_read(pull, github)] += 1
    except GitHubError as error:
        if error.until is not None:
            pause(github.server, error.until)
        record_trouble(pull_id=pull.id, error=error, now=clock.now())
        report.counts["failed"] += 1
        return error.trouble
    return None


def _read(pull: PullRequest, github: GitHub) -> str:
    """Once a repository has moved it is asked by its new name: the old one may get another owner."""
    etag = pull.github_etag if pull.github_synced_at is not None else ""
    fetched = fetch_pull(github, current_name(pull), pull.number, etag)
    now = clock.now()
    if fetched.spent_until is not None:
        pause(github.server, fetched.spent_until)
    if fetched.facts is None:
        confirm_unchanged(pull_id=pull.id, now=now)
        return "unchanged"
    return apply_facts(
        pull_id=pull.id,
        facts=fetched.facts,
        source=API,
        now=now,
        etag=fetched.etag,
        moved_to=fetched.moved_to,
    )

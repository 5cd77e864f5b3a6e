"""Asks GitHub for the merge bases of runs that were submitted without one."""

import re
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from results import clock
from results.github.client import GitHub
from results.github.merge_base import fetch_merge_base
from results.github.trouble import GitHubError, Trouble
from results.models import PullRequest, PullRequestRun
from results.services.github_facts import current_name
from results.services.github_pauses import pause, paused_until
from results.services.sync_pull_requests import sync_pull_requests

#: A question that found no answer is repeated after this time.
AGAIN = timedelta(minutes=10)
_REF = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_./-]*")


def unknown_merge_bases(now: datetime) -> QuerySet[PullRequestRun]:
    """Undecided runs without one that were not asked about lately, the longest unasked first."""
    due = Q(asked_at__isnull=True) | Q(asked_at__lte=now - AGAIN)
    rows = PullRequestRun.objects.filter(due, outcome=PullRequestRun.Outcome.WAITING, merge_base="")
    return rows.select_related("pull_request__sync").order_by(F("asked_at").asc(nulls_first=True), "id")


def ask_merge_bases(*, github: GitHub) -> int:
    """How many were answered. A limit ends the round; every failure is kept with its run."""
    answered = 0
    for row in unknown_merge_bases(clock.now()):
        if paused_until(github.server, clock.now()) is not None:
            break
        answered += _ask(row, github)
    return answered


def _ask(row: PullRequestRun, github: GitHub) -> bool:
    try:
        found, trouble = _merge_base(row, github), ""
    except GitHubError as error:
        if error.until is not None:
            pause(github.server, error.until)
        found, trouble = "", str(error.trouble)
    waiting = PullRequestRun.objects.filter(id=row.id, merge_base="")
    source = PullRequestRun.Source.GITHUB if found else ""
    waiting.update(asked_at=clock.now(), trouble=trouble, merge_base=found, merge_base_source=source)
    return bool(found)


def _merge_base(row: PullRequestRun, github: GitHub) -> str:
    pull = row.pull_request
    if pull.github_synced_at is None:
        sync_pull_requests(pulls=[pull], github=github)
        pull = PullRequest.objects.select_related("sync").get(id=pull.id)
    return fetch_merge_base(github, current_name(pull), _base(pull), row.commit)


def _base(pull: PullRequest) -> str:
    """The branch; after the merge, which made the change part of it, the commit where it stood before."""
    base = pull.github_base_sha if pull.github_merged_at is not None else pull.github_base_ref
    if not _REF.fullmatch(base):
        trouble = getattr(getattr(pull, "sync", None), "error", "") or Trouble.BAD_ANSWER
        raise GitHubError(Trouble(trouble), "the base branch is not known")
    return base

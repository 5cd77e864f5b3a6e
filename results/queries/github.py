"""What GitHub says about a pull request, and where that differs from the catalogue."""

from dataclasses import dataclass
from datetime import date, datetime

from results.github.facts import SOURCES
from results.models import PullRequest, PullRequestStatus, PullRequestSync


@dataclass(frozen=True, slots=True)
class StatusDrift:
    """The two statuses, each with its date."""

    catalogue: str
    catalogue_as_of: datetime
    github: str
    github_as_of: datetime


@dataclass(frozen=True, slots=True)
class DateDrift:
    """The two days of the merge."""

    catalogue: date
    github: date


@dataclass(frozen=True, slots=True)
class GitHubView:
    """Empty texts and None before the first sync. ``error``: why the last attempt failed, empty if not."""

    synced_at: datetime | None
    title: str
    state: str
    merged_at: datetime | None
    base_ref: str
    base_sha: str
    head_sha: str
    merge_sha: str
    labels: tuple[str, ...]
    moved_to: str
    attempted_at: datetime | None
    error: str
    error_text: str
    status_drift: StatusDrift | None
    date_drift: DateDrift | None


def github_view(pull: PullRequest) -> GitHubView:
    """No query where ``sync`` and ``history`` were fetched along."""
    sync: PullRequestSync | None = getattr(pull, "sync", None)
    return GitHubView(
        synced_at=pull.github_synced_at,
        title=pull.github_title,
        state=pull.github_state,
        merged_at=pull.github_merged_at,
        base_ref=pull.github_base_ref,
        base_sha=pull.github_base_sha,
        head_sha=pull.github_head_sha,
        merge_sha=pull.github_merge_sha,
        labels=tuple(pull.github_labels),
        moved_to=sync.moved_to if sync else "",
        attempted_at=sync.attempted_at if sync else None,
        error=sync.error if sync else "",
        error_text=sync.error_text if sync else "",
        status_drift=_status_drift(pull),
        date_drift=_date_drift(pull),
    )


def _status_drift(pull: PullRequest) -> StatusDrift | None:
    """A catalogue that does not know the status contradicts nobody."""
    if pull.github_synced_at is None:
        return None
    found = _catalogue_status(pull)
    if found is None or found.status in (pull.status, PullRequest.Status.UNKNOWN):
        return None
    return StatusDrift(found.status, found.as_of, pull.status, pull.github_synced_at)


def _catalogue_status(pull: PullRequest) -> PullRequestStatus | None:
    """The newest statement of the catalogue; the history is ordered, newest first."""
    return next((row for row in pull.history.all() if row.source not in SOURCES), None)


def _date_drift(pull: PullRequest) -> DateDrift | None:
    if pull.github_merged_at is None or pull.merged_on is None:
        return None
    merged = pull.github_merged_at.date()
    return None if merged == pull.merged_on else DateDrift(pull.merged_on, merged)

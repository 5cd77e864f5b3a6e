"""Writes what GitHub says about a pull request beside what the catalogue says; nothing replaces nothing."""

from datetime import datetime
from enum import StrEnum

from django.db import transaction

from results.github.facts import SOURCES, PullFacts
from results.github.trouble import GitHubError, Trouble
from results.models import PullRequest, PullRequestStatus, PullRequestSync


class Change(StrEnum):
    APPLIED = "applied"
    UNCHANGED = "unchanged"
    STALE = "stale"


@transaction.atomic
def apply_facts(
    *, pull_id: int, facts: PullFacts, source: str, now: datetime, etag: str = "", moved_to: str = ""
) -> Change:
    """Store what GitHub says; a status that is new from this side becomes a row of the history.

    Stale: an answer that is older than what is stored changes nothing. GitHubError (bad_answer) when the
    facts contradict what GitHub itself said before.
    """
    pull = PullRequest.objects.select_for_update(no_key=True).get(id=pull_id)
    sync, _made = PullRequestSync.objects.get_or_create(pull_request=pull, defaults={"attempted_at": now})
    _refuse_contradictions(pull, sync, facts)
    if sync.github_updated_at is not None and facts.updated_at < sync.github_updated_at:
        return Change.STALE
    changed = _write(pull, facts, source=source, now=now, etag=etag)
    sync.github_id, sync.github_updated_at = facts.id, facts.updated_at
    sync.moved_to = moved_to or sync.moved_to
    sync.attempted_at, sync.error, sync.error_text = now, "", ""
    sync.save()
    return Change.APPLIED if changed else Change.UNCHANGED


@transaction.atomic
def confirm_unchanged(*, pull_id: int, now: datetime) -> None:
    """GitHub said that nothing changed: the known facts hold as of now."""
    pull = PullRequest.objects.select_for_update(no_key=True).get(id=pull_id)
    pull.github_synced_at, pull.status_as_of = now, now.date()
    pull.save(update_fields=["github_synced_at", "status_as_of"])
    PullRequestSync.objects.filter(pull_request=pull).update(attempted_at=now, error="", error_text="")


def record_trouble(*, pull_id: int, error: GitHubError, now: datetime) -> None:
    """Keep why an attempt failed; what is known about the pull request stays as it is."""
    PullRequestSync.objects.update_or_create(
        pull_request_id=pull_id,
        defaults={"attempted_at": now, "error": error.trouble, "error_text": error.text[:256]},
    )


def _refuse_contradictions(pull: PullRequest, sync: PullRequestSync, facts: PullFacts) -> None:
    if sync.github_id is not None and sync.github_id != facts.id:
        raise GitHubError(Trouble.BAD_ANSWER, "another pull request has taken this name")
    if pull.github_merged_at is not None and facts.merged_at != pull.github_merged_at:
        raise GitHubError(Trouble.BAD_ANSWER, "the merge that was reported before is denied now")


def _write(pull: PullRequest, facts: PullFacts, *, source: str, now: datetime, etag: str) -> bool:
    """Whether a fact changed; dates of the reading itself are no facts."""
    values = _columns(facts)
    changed = pull.github_synced_at is None or any(getattr(pull, key) != values[key] for key in values)
    known = pull.history.filter(source__in=SOURCES).order_by("-as_of", "-id").first()
    if known is None or (known.status, pull.landed_on) != (facts.status, facts.landed_on):
        PullRequestStatus.objects.get_or_create(
            pull_request=pull, status=facts.status, as_of=now, source=source
        )
    values |= {"status_as_of": now.date(), "status_source": source}
    values |= {"github_etag": etag, "github_synced_at": now}
    if pull.merged_on is None and facts.merged_at is not None:
        values["merged_on"] = facts.merged_at.date()
    for name, value in values.items():
        setattr(pull, name, value)
    pull.save(update_fields=list(values))
    return changed


def _columns(facts: PullFacts) -> dict[str, object]:
    return {
        "status": facts.status,
        "landed_on": facts.landed_on,
        "github_title": facts.title[:512],
        "github_state": facts.state,
        "github_merged_at": facts.merged_at,
        "github_base_ref": facts.base.ref,
        "github_base_sha": facts.base.sha,
        "github_head_sha": facts.head.sha,
        "github_merge_sha": facts.merge_sha,
        "github_labels": [label.name for label in facts.labels],
    }


def current_name(pull: PullRequest) -> str:
    """The repository's name, also after it was renamed."""
    sync: PullRequestSync | None = getattr(pull, "sync", None)
    return sync.moved_to if sync is not None and sync.moved_to else pull.repository

"""Writes verdicts to pull requests on GitHub: one comment each, brought up to date in place."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.crypto import salted_hmac

from results import clock
from results.github.client import GitHub
from results.github.comment import comment, headline
from results.github.pull_requests import identifier, repository_path
from results.github.trouble import GitHubError, Trouble
from results.models import Evidence, PullRequest
from results.queries.comparisons import EvidenceRow, evidence_of
from results.services.check_runs import locked, put_check_run
from results.services.github_facts import current_name
from results.services.github_pauses import pause, paused_until

_PAGE, _PAGES = 100, 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the settings allow to be written, and the address of this site for links."""

    comments: bool
    checks: bool
    site: str


def commented_pulls() -> list[PullRequest]:
    """Pull requests with evidence, standing or withdrawn."""
    return list(PullRequest.objects.filter(id__in=Evidence.objects.values("pull_request")).order_by("id"))


def comment_pull(*, pull: PullRequest, github: GitHub, wanted: Wanted) -> list[str]:
    """Bring comment and check run up to date; what was written, nothing when both say it already.

    Raises GitHubError.
    """
    until = paused_until(github.server, clock.now())
    if until is not None:
        raise GitHubError(Trouble.RATE_LIMITED, "GitHub wants no more requests for now", until)
    evidence = evidence_of(pull_request__id=pull.id)
    try:
        return list(_write(pull, evidence, github, wanted))
    except GitHubError as error:
        if error.until is not None:
            pause(github.server, error.until)
        raise


def _write(
    pull: PullRequest, evidence: Sequence[EvidenceRow], github: GitHub, wanted: Wanted
) -> Iterator[str]:
    text = comment(pull.repository, pull.number, evidence, wanted.site)
    if wanted.comments and _put_comment(pull, text, evidence, github):
        yield "comment"
    if wanted.checks and put_check_run(pull=pull, text=text, evidence=evidence, github=github):
        yield "check run"


@transaction.atomic
def _put_comment(pull: PullRequest, text: str, evidence: Sequence[EvidenceRow], github: GitHub) -> bool:
    """A first comment needs a verdict that stands; a later one may have to say that it was withdrawn."""
    ours = locked(pull)
    digest = hashlib.sha256(text.encode()).hexdigest()
    if ours.deleted_at is not None or ours.body_sha256 == digest:
        return False
    if ours.comment_id is None and headline(evidence) in ("not measured", "being measured"):
        return False
    issue = f"{repository_path(current_name(pull))}/issues"
    known = ours.comment_id or _find(github, f"{issue}/{pull.number}/comments", pull)
    if known is None and headline(evidence) == "evidence withdrawn":
        return False
    ours.comment_id = _send(github, issue, pull, known, text)
    if ours.comment_id is None:
        ours.deleted_at = clock.now()
    else:
        ours.body_sha256, ours.posted_at = digest, clock.now()
    ours.save()
    return ours.deleted_at is None


def _send(github: GitHub, issue: str, pull: PullRequest, known: int | None, text: str) -> int | None:
    """Identifier of the written comment; None when it was deleted by somebody, which is respected."""
    body = f"{marker(pull)}\n{text}"
    if known is None:
        reply = github.write("POST", f"{issue}/{pull.number}/comments", {"body": body})
        return identifier(reply.value)
    try:
        github.write("PATCH", f"{issue}/comments/{known}", {"body": body})
    except GitHubError as error:
        if error.trouble is Trouble.NOT_FOUND:
            return None
        raise
    return known


def marker(pull: PullRequest) -> str:
    """An invisible first line by which our own comment is found again.

    Nobody can write it before we do, and ours is the earliest that has it: a comment of somebody else, which
    a powerful token could change, is never taken for ours.
    """
    digest = salted_hmac("results.github.comment", f"{pull.repository}#{pull.number}", algorithm="sha256")
    return f"<!-- northstar {digest.hexdigest()[:32]} -->"


def _find(github: GitHub, address: str, pull: PullRequest) -> int | None:
    """Our comment of an attempt that died before it noted the identifier."""
    mark = marker(pull)
    for page in range(1, _PAGES + 1):
        rows = github.get(f"{address}?per_page={_PAGE}&page={page}").value
        if not isinstance(rows, list):
            raise GitHubError(Trouble.BAD_ANSWER, "comments are not a list")
        found = [row for row in rows if isinstance(row, dict) and str(row.get("body")).startswith(mark)]
        if found:
            return identifier(found[0])
        if len(rows) < _PAGE:
            return None
    return None

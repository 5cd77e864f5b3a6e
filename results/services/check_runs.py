"""A check run at the commit that was measured. GitHub lets only the tokens of Apps write them."""

import hashlib
from collections.abc import Sequence
from typing import Any

from django.db import transaction

from results.analysis.gains.verdicts import GAINS, REGRESSIONS
from results.analysis.gains.vocabulary import Verdict
from results.documents.canonical import canonical_json
from results.github.client import GitHub
from results.github.comment import headline
from results.github.pull_requests import identifier, repository_path
from results.models import PullRequest, PullRequestComment
from results.queries.comparisons import EvidenceRow
from results.services.github_facts import current_name

_COMMIT = "engine.commit"
_NAME = "Northstar"


@transaction.atomic
def put_check_run(*, pull: PullRequest, text: str, evidence: Sequence[EvidenceRow], github: GitHub) -> bool:
    """Whether something was written. A verdict about another commit than the head says nothing about it."""
    ours, sha, verdict = locked(pull), pull.github_head_sha, _measured(pull, evidence)
    if not sha or (verdict is None and ours.check_sha != sha):
        return False
    body = _body(verdict, text, evidence)
    digest = hashlib.sha256(canonical_json(body)).hexdigest()
    if (ours.check_sha, ours.check_sha256) == (sha, digest):
        return False
    address = f"{repository_path(current_name(pull))}/check-runs"
    known = ours.check_run_id if ours.check_sha == sha else _find(github, pull)
    if known is None:
        created = github.write("POST", address, body | {"head_sha": sha, "external_id": str(pull)})
        known = identifier(created.value)
    else:
        github.write("PATCH", f"{address}/{known}", body)
    ours.check_run_id, ours.check_sha, ours.check_sha256 = known, sha, digest
    ours.save()
    return True


def locked(pull: PullRequest) -> PullRequestComment:
    """What we wrote to a pull request, locked so that two processes never write it twice."""
    PullRequestComment.objects.get_or_create(pull_request=pull)
    return PullRequestComment.objects.select_for_update().get(pull_request=pull)


def _measured(pull: PullRequest, evidence: Sequence[EvidenceRow]) -> Verdict | None:
    """The newest verdict that stands and whose candidate is the head of the pull request."""
    for row in evidence:
        commit = row.comparison.differences.get(_COMMIT, ("", ""))[1]
        verdict = row.comparison.verdict if row.withdrawn_at is None else None
        if verdict is not None and len(commit) >= 7 and pull.github_head_sha.startswith(commit):
            return verdict.headline.verdict
    return None


def _body(verdict: Verdict | None, text: str, evidence: Sequence[EvidenceRow]) -> dict[str, Any]:
    return {
        "name": _NAME,
        "status": "completed",
        "conclusion": conclusion(verdict),
        "output": {"title": headline(evidence), "summary": text},
    }


def conclusion(verdict: Verdict | None) -> str:
    """What is no statement about the candidate, or was withdrawn, neither passes nor fails it."""
    if verdict in REGRESSIONS:
        return "failure"
    return "success" if verdict in GAINS or verdict is Verdict.EQUIVALENT else "neutral"


def _find(github: GitHub, pull: PullRequest) -> int | None:
    """The check run of an attempt that died before it noted the identifier."""
    commit = f"{repository_path(current_name(pull))}/commits/{pull.github_head_sha}"
    found = github.get(f"{commit}/check-runs?check_name={_NAME}&per_page=100").value
    rows = found.get("check_runs") if isinstance(found, dict) else None
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and row.get("external_id") == str(pull):
            return identifier(row)
    return None

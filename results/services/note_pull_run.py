"""Runs of a pull request, at the moments when they are submitted and when a run succeeds."""

from collections.abc import Iterable

from django.db.models import Q, QuerySet

from results.documents.refusal import DocumentError, Problem
from results.documents.run import RunDocument
from results.models import Evidence, PullRequest, PullRequestRun, Run


def note_pull_run(*, run: Run, document: RunDocument) -> None:
    """Remember for which pull request a run was submitted; DocumentError if the catalogue has none such."""
    if document.pull_request is None or document.commit is None:
        return
    repository, _hash, number = document.pull_request.partition("#")
    pull = PullRequest.objects.filter(repository__iexact=repository, number=int(number)).first()
    if pull is None:
        message = f"the catalogue has no pull request {document.pull_request}"
        raise DocumentError([Problem(pointer="/pull_request", rule="unknown_pull_request", message=message)])
    base = document.merge_base or ""
    PullRequestRun.objects.create(
        run=run,
        pull_request=pull,
        commit=document.commit,
        merge_base=base,
        merge_base_source=PullRequestRun.Source.STATED if base else "",
    )


def reopen_pull_runs(*, run: Run) -> int:
    """A run has succeeded: those whose baseline it may be look again, and itself; returns how many."""
    commit = run.recipe.document["engine"].get("commit")
    wanted = Q(run=run) | Q(merge_base=commit) if commit else Q(run=run)
    return _reopen(PullRequestRun.objects.filter(wanted))


def reopen_withdrawn(*, evidence: Iterable[Evidence]) -> int:
    """A run of theirs was taken back: those that were compared with it look again; returns how many."""
    return _reopen(PullRequestRun.objects.filter(evidence__in=evidence))


def _reopen(rows: QuerySet[PullRequestRun]) -> int:
    decided = rows.exclude(outcome=PullRequestRun.Outcome.WAITING)
    return decided.update(outcome=PullRequestRun.Outcome.WAITING, reason="", evidence=None, decided_at=None)

"""Evidence for upstream work: a comparison attached to a pull request, and taken back with a reason."""

from django.db import transaction

from results import clock
from results.documents.comparison import ComparisonPlan, RunSets
from results.documents.refusal import DocumentError, Problem
from results.models import ApiToken, AuditEvent, Comparison, Evidence, PullRequest
from results.services.compare_runs import compare_runs
from results.services.start_comparison import start_comparison


@transaction.atomic
def link_evidence(
    *, pull_request: PullRequest, basis: ComparisonPlan | RunSets, token: ApiToken | None
) -> Evidence:
    """Run a plan, or judge runs that exist, and attach the comparison.

    The verdict of a plan follows when its runs are over. Raises DocumentError as those services do.
    """
    if isinstance(basis, ComparisonPlan):
        comparison = start_comparison(plan=basis, token=token)
    else:
        comparison = compare_runs(sets=basis, token=token)
    return _attach(pull_request, comparison, token)


@transaction.atomic
def withdraw_evidence(*, evidence: Evidence, reason: str, actor: str) -> bool:
    """Take evidence back; it stays readable with its reason. False when it was withdrawn before."""
    if not reason.strip():
        message = "say why the evidence is withdrawn"
        raise DocumentError([Problem(pointer="/reason", rule="required", message=message)])
    standing = Evidence.objects.filter(id=evidence.id, withdrawn_at__isnull=True)
    changed = standing.update(withdrawn_at=clock.now(), withdrawn_reason=reason.strip())
    if changed:
        _audit("withdraw", evidence, actor)
    return bool(changed)


def _attach(pull_request: PullRequest, comparison: Comparison, token: ApiToken | None) -> Evidence:
    evidence = Evidence.objects.create(
        comparison=comparison, pull_request=pull_request, created_at=clock.now()
    )
    _audit("attach", evidence, f"token:{token.prefix}" if token else "operator")
    return evidence


def _audit(verb: str, evidence: Evidence, actor: str) -> None:
    AuditEvent.objects.create(
        at=clock.now(),
        actor=actor,
        verb=verb,
        object_type="evidence",
        object_id=str(evidence.id),
        details={"comparison": str(evidence.comparison_id), "pull_request": str(evidence.pull_request)},
    )

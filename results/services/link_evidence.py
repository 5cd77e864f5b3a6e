"""Evidence for upstream work: a comparison attached to a pull request, and taken back with a reason."""

from django.db import transaction
from pydantic import ValidationError

from results import clock
from results.documents.comparison import ComparisonPlan, EvidenceRequest
from results.documents.refusal import DocumentError, Problem
from results.models import ApiToken, AuditEvent, Comparison, Evidence, PullRequest
from results.services.compare_runs import compare_runs
from results.services.start_comparison import start_comparison


def read_evidence_request(value: object) -> EvidenceRequest:
    """The request in parsed JSON; DocumentError names every problem at its place."""
    try:
        return EvidenceRequest.model_validate(value)
    except ValidationError as error:
        raise DocumentError.from_validation(error) from None


@transaction.atomic
def link_evidence(*, pull_request: PullRequest, request: EvidenceRequest, token: ApiToken | None) -> Evidence:
    """Run a plan, or judge runs that exist, and attach the comparison.

    The verdict of a plan follows when its runs are over. Raises DocumentError as those services do, with
    pointers into the request.
    """
    basis = request.basis
    try:
        if isinstance(basis, ComparisonPlan):
            comparison = start_comparison(plan=basis, token=token)
        else:
            comparison = compare_runs(sets=basis, token=token)
    except DocumentError as error:
        raise _inside("/plan" if request.plan else "/runs", error) from None
    return attach_comparison(pull_request=pull_request, comparison=comparison, token=token)


def _inside(place: str, error: DocumentError) -> DocumentError:
    return DocumentError([
        Problem(pointer=place + item["pointer"], rule=item["rule"], message=item["message"])
        for item in error.problems
    ])  # fmt: skip


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


def attach_comparison(
    *, pull_request: PullRequest, comparison: Comparison, token: ApiToken | None
) -> Evidence:
    """Evidence of a comparison that exists."""
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

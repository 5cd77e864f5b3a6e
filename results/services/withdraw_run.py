"""Taking a run back: its points are results no longer, and evidence that rests on it says so."""

from uuid import UUID

from django.db import transaction

from results import clock
from results.documents.refusal import DocumentError, Problem
from results.models import AuditEvent, Evidence, Point, Run
from results.services.link_evidence import withdraw_evidence
from results.services.note_pull_run import reopen_withdrawn
from results.services.publish_curve import publish_curve

#: Reason of a point whose run was taken back; it stands before the others that the point had.
WITHDRAWN = "withdrawn"


@transaction.atomic
def withdraw_run(*, run_id: UUID, reason: str, actor: str, request_id: str = "") -> bool:
    """False when it was withdrawn before. Run.DoesNotExist without it; DocumentError without a reason.

    Points become invalid, another run of the configuration is published where there is one, evidence is
    withdrawn, and a comparison that still runs lacks the block. Nothing is deleted, and the audit trail says
    what the points were.
    """
    if not reason.strip():
        raise DocumentError([Problem(pointer="/reason", rule="required", message="say why in words")])
    run = Run.objects.select_for_update(no_key=True).get(id=run_id)
    points = [point for point in run.points.order_by("id") if WITHDRAWN not in point.reasons]
    standing = Evidence.objects.filter(withdrawn_at__isnull=True, comparison__members__run=run)
    evidence = list(standing.distinct())
    if not points and not evidence:
        return False
    before = {str(point.id): point.validity for point in points}
    for point in points:
        point.validity, point.reasons = Point.Validity.INVALID, [WITHDRAWN, *point.reasons]
    Point.objects.bulk_update(points, ["validity", "reasons"])
    publish_curve(run=run.id)
    for one in evidence:
        withdraw_evidence(evidence=one, reason=f"run {str(run.id)[:8]} was withdrawn: {reason}", actor=actor)
    reopen_withdrawn(evidence=evidence)
    AuditEvent.objects.create(
        at=clock.now(),
        actor=actor[:80],
        verb="withdraw",
        object_type="run",
        object_id=str(run.id),
        details={"reason": reason.strip(), "validity": before},
        request_id=request_id,
    )
    return True

"""Comparisons by identifier; evidence that is taken back."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.authentication import token_of
from results.api.idempotency import answer, answered
from results.api.query import StrictViewSet
from results.api.serializers.comparisons import ComparisonRead, EvidenceRead, WithdrawalWrite
from results.api.views.runs import KEY
from results.documents.refusal import DocumentError, Problem
from results.models import Evidence
from results.queries.comparisons import comparison_row, evidence_of
from results.services.idempotency import Answer
from results.services.link_evidence import withdraw_evidence


class ComparisonItem(StrictViewSet):
    @extend_schema(operation_id="read_comparison", responses=ComparisonRead)
    def retrieve(self, request: Request, comparison_id: UUID) -> Response:
        """Plan, runs and verdict of a comparison; the verdict is null while runs are live."""
        found = comparison_row(comparison_id, exploratory=True)
        if found is None:
            raise Http404
        return Response(ComparisonRead(found, context={"request": request}).data)


class EvidenceItem(StrictViewSet):
    """Only the token that brought evidence may withdraw it."""

    write_scope = write_throttle = "submit"

    @extend_schema(
        operation_id="withdraw_evidence", parameters=[KEY], request=WithdrawalWrite, responses=EvidenceRead
    )
    def withdraw(self, request: Request, evidence_id: int) -> HttpResponse:
        """Take evidence back; it stays readable, with the reason."""
        mine = Evidence.objects.filter(comparison__submitted_by=token_of(request))
        evidence = get_object_or_404(mine, id=evidence_id)
        return answered(request, lambda: self._withdraw(request, evidence))

    def _withdraw(self, request: Request, evidence: Evidence) -> Answer:
        reason = request.data.get("reason") if isinstance(request.data, dict) else None
        if not isinstance(reason, str):
            raise DocumentError([Problem(pointer="/reason", rule="required", message="say why in words")])
        actor = f"token:{token_of(request).prefix}"
        withdraw_evidence(evidence=evidence, reason=reason[:2000], actor=actor)
        shown = evidence_of(exploratory=True, id=evidence.id)[0]
        return answer(200, EvidenceRead(shown, context={"request": request}).data)

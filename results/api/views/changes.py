"""A metric over time, and the change points that people decide about."""

from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.authentication import token_of
from results.api.idempotency import answer, answered
from results.api.many import ManyViewSet
from results.api.query import StrictViewSet
from results.api.serializers.changes import ChangePointRead, HistoryQuery, HistoryRead
from results.api.views.runs import KEY
from results.documents.change_point import ChangeDecision, WatchedSeries
from results.models import ChangePoint
from results.queries.history import Series, history, stored_row
from results.queries.history_document import history_document
from results.services.change_points import decide_change, propose_changes, read_decision, read_series
from results.services.idempotency import Answer


class HistoryItem(ManyViewSet):
    query_class = HistoryQuery

    @extend_schema(operation_id="read_history", parameters=[HistoryQuery], responses=HistoryRead)
    def retrieve(self, request: Request) -> Response:
        """One metric of one configuration over time, its change points, and what changed upstream."""
        return Response(history_document(history(Series(**self.params))))


class ChangePointCollection(StrictViewSet):
    write_scope = write_throttle = "submit"

    @extend_schema(
        operation_id="propose_change_points", parameters=[KEY], request=WatchedSeries, responses=HistoryRead
    )
    def create(self, request: Request) -> HttpResponse:
        """Store what the detectors see in a series as proposals; rows that exist stay as they are."""
        return answered(request, lambda: self._propose(request))

    def _propose(self, request: Request) -> Answer:
        found = propose_changes(
            watched=read_series(request.data),
            actor=f"token:{token_of(request).prefix}",
            request_id=request.META["REQUEST_ID"],
        )
        return answer(200, history_document(found))


class ChangePointItem(StrictViewSet):
    write_scope = "admin"

    @extend_schema(
        operation_id="decide_change_point",
        parameters=[KEY],
        request=ChangeDecision,
        responses=ChangePointRead,
    )
    def decide(self, request: Request, point_id: int) -> HttpResponse:
        """Accept a change point, reject it, or move it to another run of its series."""
        return answered(request, lambda: self._decide(request, point_id))

    def _decide(self, request: Request, point_id: int) -> Answer:
        decision: Any = read_decision(request.data)
        try:
            row = decide_change(
                point_id=point_id,
                decision=decision,
                actor=f"token:{token_of(request).prefix}",
                request_id=request.META["REQUEST_ID"],
            )
        except ChangePoint.DoesNotExist:
            raise Http404 from None
        return answer(200, ChangePointRead(stored_row(row)).data)

"""Submit, list, read and cancel runs."""

import json
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.authentication import token_of
from results.api.idempotency import answer, answered
from results.api.pagination import next_address, read_cursor
from results.api.query import StrictViewSet
from results.api.run_reads import run_list, run_read
from results.api.serializers.comparisons import WithdrawalWrite
from results.api.serializers.runs import RunPage, RunQuery, RunRead
from results.documents.refusal import DocumentError, Problem
from results.documents.run import RunDocument
from results.models import Run
from results.queries.keyset import Cursor
from results.services.cancel_run import cancel_run
from results.services.idempotency import Answer
from results.services.submit_run import read_run_document, submit_run
from results.services.withdraw_run import withdraw_run

KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="The same key with the same body repeats the first answer for seven days.",
)


class RunCollection(StrictViewSet):
    """All runs, newest first."""

    query_class = RunQuery
    write_scope = write_throttle = "submit"

    @extend_schema(operation_id="list_runs", parameters=[RunQuery], responses=RunPage)
    def list(self, request: Request) -> Response:
        """Runs, newest first."""
        rows, cursor = run_list(self.params, read_cursor(Cursor, self.params.get("cursor")))
        page = {"next": next_address(request, cursor), "results": rows}
        return Response(RunPage(page, context={"request": request}).data)

    @extend_schema(operation_id="submit_run", parameters=[KEY], request=RunDocument, responses={201: RunRead})
    def create(self, request: Request) -> HttpResponse:
        """Queue a run. The body is a run document."""
        response = answered(request, lambda: self._submit(request))
        response.headers["Location"] = json.loads(response.content)["url"]
        return response

    def _submit(self, request: Request) -> Answer:
        document = read_run_document(request.data)
        run = submit_run(document=document, token=token_of(request), request_id=request.META["REQUEST_ID"])
        return answer(201, _shown(request, run.id))


class RunItem(StrictViewSet):
    """One run; only the token that submitted it may cancel it."""

    write_scope = write_throttle = "submit"

    @extend_schema(operation_id="read_run", responses=RunRead)
    def retrieve(self, request: Request, run_id: UUID) -> Response:
        """State, attempts, artifacts and document of a run."""
        return Response(_shown(request, run_id))

    @extend_schema(operation_id="cancel_run", parameters=[KEY], request=None, responses=RunRead)
    def cancel(self, request: Request, run_id: UUID) -> HttpResponse:
        """Ask a run to stop. A queued run ends at once, a held one at its host's next heartbeat.

        An unknown run and a run of another token are both answered with 404.
        """
        if request.data:
            raise DocumentError([Problem(pointer="", rule="empty", message="cancelling takes no body")])
        return answered(request, lambda: self._cancel(request, run_id))

    def _cancel(self, request: Request, run_id: UUID) -> Answer:
        cancel_run(run_id=run_id, token=token_of(request), request_id=request.META["REQUEST_ID"])
        return answer(200, _shown(request, run_id))


class RunWithdrawal(StrictViewSet):
    write_scope = "admin"

    @extend_schema(operation_id="withdraw_run", parameters=[KEY], request=WithdrawalWrite, responses=RunRead)
    def withdraw(self, request: Request, run_id: UUID) -> HttpResponse:
        """Take a run back: its points stop being results, and evidence that rests on it is withdrawn too."""
        return answered(request, lambda: self._withdraw(request, run_id))

    def _withdraw(self, request: Request, run_id: UUID) -> Answer:
        reason = request.data.get("reason") if isinstance(request.data, dict) else None
        actor, trace = f"token:{token_of(request).prefix}", request.META["REQUEST_ID"]
        try:
            withdraw_run(run_id=run_id, reason=str(reason or "")[:1000], actor=actor, request_id=trace)
        except Run.DoesNotExist:
            raise Http404 from None
        return answer(200, _shown(request, run_id))


def _shown(request: Request, run_id: UUID) -> dict[str, Any]:
    try:
        return RunRead(run_read(run_id), context={"request": request}).data
    except Run.DoesNotExist:
        raise Http404 from None

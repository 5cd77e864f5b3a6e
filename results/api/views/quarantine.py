"""Quarantine, the files that wait there, and what releases them."""

from pathlib import PurePosixPath
from typing import Any

from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from pydantic import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.authentication import token_of
from results.api.idempotency import answer, answered
from results.api.negotiation import OneRepresentation
from results.api.pagination import next_address, read_cursor
from results.api.query import StrictViewSet
from results.api.serializers.quarantine import (
    AliasList,
    AliasQuery,
    CompletedRead,
    QuarantinePage,
    QuarantineQuery,
    ReleasedRead,
    ResultFileRead,
)
from results.api.views.artifacts import attached
from results.api.views.results import KEY
from results.documents.catalogue import AliasEntry
from results.documents.identity import Identity
from results.documents.refusal import DocumentError
from results.models import Alias, ResultFile
from results.queries.keyset import RowCursor
from results.queries.quarantine import QuarantineFilter, quarantine_page
from results.queries.result_files import FileDetail, file_detail
from results.services.add_alias import add_alias
from results.services.complete_identity import complete_identity
from results.services.idempotency import Answer
from results.storage import BINARY


class QuarantineCollection(StrictViewSet):
    query_class = QuarantineQuery

    @extend_schema(operation_id="list_quarantine", parameters=[QuarantineQuery], responses=QuarantinePage)
    def list(self, request: Request) -> Response:
        """What could not be read, newest first: by default only what still waits."""
        names = ("cause", "resolved", "file", "unknown_kind", "unknown_value")
        filters = QuarantineFilter(**{name: self.params[name] for name in names if name in self.params})
        after = read_cursor(RowCursor, self.params.get("cursor"))
        page = quarantine_page(filters, after, self.params["limit"])
        shown = {"next": next_address(request, page.next), "results": page.rows}
        return Response(QuarantinePage(shown, context={"request": request}).data)


class ResultFileItem(StrictViewSet):
    write_scope = "worker"
    write_throttle = "upload"

    @extend_schema(operation_id="read_result_file", responses=ResultFileRead)
    def retrieve(self, request: Request, file_id: int) -> Response:
        """One file that somebody brought: what it is, what it left, what it waits for."""
        return Response(ResultFileRead(_found(file_id), context={"request": request}).data)

    @extend_schema(
        operation_id="complete_identity", parameters=[KEY], request=Identity, responses=CompletedRead
    )
    def identity(self, request: Request, file_id: int) -> HttpResponse:
        """State what the file does not say about itself; it is read again at once.

        The body is an identity document. What it states holds over what was stated before.
        """
        return answered(request, lambda: self._complete(request, file_id))

    def _complete(self, request: Request, file_id: int) -> Answer:
        try:
            file, report = complete_identity(
                file_id=file_id,
                identity=request.data,
                token=token_of(request),
                request_id=request.META["REQUEST_ID"],
            )
        except ResultFile.DoesNotExist:
            raise Http404 from None
        shown = {"file": _found(file.id), "report": report.to_json()}
        return answer(200, CompletedRead(shown, context={"request": request}).data)


class ResultFileContent(StrictViewSet):
    content_negotiation_class = OneRepresentation

    @extend_schema(operation_id="download_result_file", responses={(200, BINARY): OpenApiTypes.BINARY})
    def retrieve(self, request: Request, file_id: int) -> FileResponse:
        """The file as it was sent, to be saved and never to be displayed."""
        file = get_object_or_404(ResultFile.objects.select_related("artifact"), id=file_id)
        return attached(file.artifact, PurePosixPath(file.path).name)


class AliasCollection(StrictViewSet):
    """Spellings of catalogue values."""

    query_class = AliasQuery
    write_scope = "admin"

    @extend_schema(operation_id="list_aliases", parameters=[AliasQuery], responses=AliasList)
    def list(self, request: Request) -> Response:
        """Every other spelling of hardware, engines, models and so on, with the place it was seen at."""
        rows = Alias.objects.filter(**self.params)
        return Response(AliasList({"results": rows}).data)

    @extend_schema(
        operation_id="add_alias", parameters=[KEY], request=AliasEntry, responses={201: ReleasedRead}
    )
    def create(self, request: Request) -> HttpResponse:
        """Add a spelling; files that wait for it, at most 200, are read again at once."""
        return answered(request, lambda: self._add(request))

    def _add(self, request: Request) -> Answer:
        released = add_alias(
            entry=_entry(request.data),
            actor=f"token:{token_of(request).prefix}",
            request_id=request.META["REQUEST_ID"],
        )
        return answer(201, ReleasedRead(released).data)


def _entry(body: Any) -> AliasEntry:
    try:
        return AliasEntry.model_validate(body)
    except ValidationError as error:
        raise DocumentError.from_validation(error) from None


def _found(file_id: int) -> FileDetail:
    found = file_detail(file_id)
    if found is None:
        raise Http404
    return found

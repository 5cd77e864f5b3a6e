"""Receiving result files, and what was received."""

import json
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from results.api.authentication import token_of
from results.api.idempotency import answer, answered
from results.api.multipart import Form, read_form
from results.api.pagination import next_address, read_cursor
from results.api.parsers import ResultFilesParser
from results.api.query import StrictViewSet
from results.api.serializers.uploads import (
    ReceiveQuery,
    ReportRead,
    ResultsForm,
    UploadPage,
    UploadQuery,
    UploadRead,
)
from results.models import Upload
from results.queries.keyset import Cursor
from results.queries.uploads import upload_detail, upload_page
from results.services.deliveries import Delivery
from results.services.idempotency import Answer
from results.services.receive_upload import Received, receive_upload

KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="The same key with the same parts repeats the first answer for seven days.",
)


class ResultCollection(StrictViewSet):
    """The door for result files of every known tool."""

    parser_classes = [ResultFilesParser]
    write_query_class = ReceiveQuery
    write_scope = "worker"
    write_throttle = "upload"

    @extend_schema(
        operation_id="upload_results",
        parameters=[KEY, ReceiveQuery],
        request={ResultFilesParser.media_type: ResultsForm},
        responses={201: ReportRead, 200: ReportRead},
    )
    def create(self, request: Request) -> HttpResponse:
        """Result files and archives (zip, tar, tar.gz, tar.bz2, tar.xz), at most 256 MiB in all.

        Every byte is stored before it is read. What cannot be read waits in quarantine and is part of the
        answer. 201 when the files were stored, 200 with `validate_only`.
        """
        form = read_form(request, self.params)
        response = answered(request, lambda: self._receive(request, form), form.sha256)
        address = json.loads(response.content)["url"]
        if address is not None:
            response.headers["Location"] = address
        return response

    def _receive(self, request: Request, form: Form) -> Answer:
        delivery = Delivery(
            handle=Upload.Handle.API,
            name=", ".join(str(file.name) for file in form.files)[:512],
            identity=form.identity,
            token=token_of(request),
            validate_only=form.validate_only,
            accept=form.accept,
            request_id=request.META["REQUEST_ID"],
        )
        with form.on_disk() as sent:
            received = receive_upload(sent=sent, delivery=delivery)
        return answer(200 if received.upload is None else 201, _report(request, received))


class UploadCollection(StrictViewSet):
    query_class = UploadQuery

    @extend_schema(operation_id="list_uploads", parameters=[UploadQuery], responses=UploadPage)
    def list(self, request: Request) -> Response:
        """Deliveries of result files, newest first."""
        page = upload_page(read_cursor(Cursor, self.params.get("cursor")), self.params["limit"])
        shown = {"next": next_address(request, page.next), "results": page.rows}
        return Response(UploadPage(shown, context={"request": request}).data)


class UploadItem(StrictViewSet):
    @extend_schema(operation_id="read_upload", responses=UploadRead)
    def retrieve(self, request: Request, upload_id: UUID) -> Response:
        """One delivery with its files and its report."""
        found = upload_detail(upload_id)
        if found is None:
            raise Http404
        return Response(UploadRead(found, context={"request": request}).data)


def _report(request: Request, received: Received) -> dict[str, Any]:
    address = None
    if received.upload is not None:
        address = reverse("api:upload", kwargs={"upload_id": received.upload}, request=request)
    return dict(ReportRead({**received.report, "id": received.upload, "url": address}).data)

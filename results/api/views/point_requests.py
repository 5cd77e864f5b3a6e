"""The requests and samples of one point: a page of rows, and whole tables as CSV."""

import numpy as np
from django.http import Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.analysis.column_file import PointColumns
from results.api.negotiation import OneRepresentation
from results.api.pagination import next_address, read_cursor
from results.api.query import PageQuery, StrictViewSet
from results.api.serializers.points import RequestPage
from results.queries.keyset import PlaceCursor
from results.queries.point_detail import point_columns
from results.queries.request_rows import TABLES, rows_of, table_lines

TABLE = OpenApiParameter("table", {"type": "string", "enum": list(TABLES)}, OpenApiParameter.PATH)


def _columns(point_id: int) -> PointColumns:
    """Http404 without such a point; one without stored requests has empty columns."""
    found = point_columns(point_id)
    if found is None:
        raise Http404
    return found[1] or PointColumns(None, None, None)


class PointRequests(StrictViewSet):
    query_class = PageQuery

    @extend_schema(operation_id="list_point_requests", parameters=[PageQuery], responses=RequestPage)
    def list(self, request: Request, point_id: int) -> Response:
        """Requests of one point in the order of the client's file; none for most imported points."""
        after = read_cursor(PlaceCursor, self.params.get("cursor"))
        requests = _columns(point_id).requests
        count = 0 if requests is None else len(requests)
        first = 0 if after is None else after.place
        last = min(first + self.params["limit"], count)
        rows = [] if requests is None else rows_of(requests, np.arange(first, max(first, last)))
        following = PlaceCursor(last).encode() if last < count else None
        shown = {"next": next_address(request, following), "count": count, "results": rows}
        return Response(RequestPage(shown, context={"request": request}).data)


class PointSamples(StrictViewSet):
    content_negotiation_class = OneRepresentation

    @extend_schema(
        operation_id="download_point_table",
        parameters=[TABLE],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def retrieve(self, request: Request, point_id: int, table: str) -> StreamingHttpResponse:
        """All `requests`, `engine` samples or `gpu` samples of one point as CSV; units stand in the header.

        404 for a table that the point does not have.
        """
        columns = _columns(point_id)
        if table not in TABLES or getattr(columns, table) is None:
            raise Http404
        headers = {"Content-Disposition": f'attachment; filename="point-{point_id}-{table}.csv"'}
        lines = table_lines(columns, table)
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)

"""Points: list, one, and all as CSV."""

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.negotiation import OneRepresentation
from results.api.pagination import next_address, read_cursor
from results.api.query import StrictViewSet
from results.api.serializers.points import PointPage, PointQuery, PointRead, PointSelection, point_filter
from results.models import Point
from results.queries.keyset import RowCursor
from results.queries.points import RELATED, csv_lines, json_lines, point_page, point_row


class PointCollection(StrictViewSet):
    """Points of runs that stand; newest first."""

    query_class = PointQuery

    @extend_schema(operation_id="list_points", parameters=[PointQuery], responses=PointPage)
    def list(self, request: Request) -> Response:
        """Points, newest first."""
        after = read_cursor(RowCursor, self.params.get("cursor"))
        page = point_page(point_filter(self.params), after, self.params["limit"])
        shown = {"next": next_address(request, page.next), "results": page.rows}
        return Response(PointPage(shown, context={"request": request}).data)


class PointItem(StrictViewSet):
    @extend_schema(operation_id="read_point", responses=PointRead)
    def retrieve(self, request: Request, point_id: int) -> Response:
        """One point, also if its attempt was given up."""
        point = get_object_or_404(Point.objects.select_related(*RELATED), id=point_id)
        return Response(PointRead(point_row(point), context={"request": request}).data)


class PointTable(StrictViewSet):
    query_class = PointSelection
    content_negotiation_class = OneRepresentation

    @extend_schema(
        operation_id="download_points",
        parameters=[PointSelection],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def retrieve(self, request: Request) -> StreamingHttpResponse:
        """All selected points as CSV: one column per registered metric, empty where nothing was measured.

        Another Northstar, or this one, can import the file.
        """
        lines = csv_lines(point_filter(self.params))
        headers = {"Content-Disposition": 'attachment; filename="points.csv"'}
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


class PointDocument(StrictViewSet):
    query_class = PointSelection
    content_negotiation_class = OneRepresentation

    @extend_schema(
        operation_id="download_points_json",
        parameters=[PointSelection],
        responses={(200, "application/json"): OpenApiTypes.OBJECT},
    )
    def retrieve(self, request: Request) -> StreamingHttpResponse:
        """All selected points as one JSON document that another Northstar can import.

        ``{"schema": "northstar.points/1", "points": [...]}``; a point has the fields of a listed one, its
        recipe's document, and every number that no metric describes.
        """
        pieces = json_lines(point_filter(self.params))
        headers = {"Content-Disposition": 'attachment; filename="points.json"'}
        return StreamingHttpResponse(pieces, content_type="application/json", headers=headers)

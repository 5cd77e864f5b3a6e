"""The metric registry."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.query import StrictViewSet
from results.api.serializers.metrics import MetricList
from results.metrics import METRICS


class MetricCollection(StrictViewSet):
    @extend_schema(operation_id="list_metrics", responses=MetricList)
    def list(self, request: Request) -> Response:
        """Every number that a point may carry, with unit, direction and formula."""
        return Response(MetricList({"results": METRICS.values()}).data)

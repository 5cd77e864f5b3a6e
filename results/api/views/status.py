"""State of the house."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.query import StrictViewSet
from results.api.serializers.status import StatusRead
from results.queries.aa_history import aa_history
from results.queries.house import house


class StatusItem(StrictViewSet):
    @extend_schema(operation_id="read_status", responses=StatusRead)
    def retrieve(self, request: Request) -> Response:
        """Hosts, queue, sweeper, GitHub, quarantine, and how often comparisons of equal recipes err."""
        found = house()
        names = ("at", "sweeper", "queue", "hosts", "github", "quarantine")
        shown = {name: getattr(found, name) for name in names}
        return Response(StatusRead(shown | {"aa": aa_history()}).data)

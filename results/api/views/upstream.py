"""Evidence and claims as flat lists; upstream work as CSV."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.negotiation import OneRepresentation
from results.api.query import StrictViewSet
from results.api.serializers.projects import LanguageQuery, PullQuery
from results.api.serializers.upstream import ClaimList, ClaimQuery, EvidenceList, EvidenceQuery
from results.api.views.projects import chosen_pulls
from results.documents.csv_table import csv_text
from results.queries.claim_lines import claims_of
from results.queries.evidence_lines import evidence_lines_of
from results.queries.projects import project_rows
from results.queries.upstream_tables import Table, claims_table, evidence_table, projects_table, pulls_table

_CSV = {(200, "text/csv"): OpenApiTypes.STR}


class EvidenceLines(StrictViewSet):
    query_class = EvidenceQuery

    @extend_schema(operation_id="list_evidence", parameters=[EvidenceQuery], responses=EvidenceList)
    def list(self, request: Request) -> Response:
        """Every judged quantity of the evidence with its interval, newest evidence first, withdrawn last."""
        return Response(EvidenceList({"results": evidence_lines_of(self.params.get("project"))}).data)


class ClaimLines(StrictViewSet):
    query_class = ClaimQuery

    @extend_schema(operation_id="list_claims", parameters=[ClaimQuery], responses=ClaimList)
    def list(self, request: Request) -> Response:
        """What authors claim beside what was measured here, in the order of the catalogue."""
        found = claims_of(self.params["language"], self.params.get("project"))
        return Response(ClaimList(found).data)


class UpstreamTable(StrictViewSet):
    content_negotiation_class = OneRepresentation


class ProjectTable(UpstreamTable):
    query_class = LanguageQuery

    @extend_schema(operation_id="download_projects", parameters=[LanguageQuery], responses=_CSV)
    def retrieve(self, request: Request) -> HttpResponse:
        """Upstream projects as CSV, with pull requests counted by status."""
        return _csv("projects", projects_table(project_rows(self.params["language"])))


class PullTable(UpstreamTable):
    query_class = PullQuery

    @extend_schema(operation_id="download_pull_requests", parameters=[PullQuery], responses=_CSV)
    def retrieve(self, request: Request) -> HttpResponse:
        """Pull requests as CSV; the columns of the JSON answer."""
        return _csv("pull-requests", pulls_table(chosen_pulls(self.params)))


class EvidenceTable(UpstreamTable):
    query_class = EvidenceQuery

    @extend_schema(operation_id="download_evidence", parameters=[EvidenceQuery], responses=_CSV)
    def retrieve(self, request: Request) -> HttpResponse:
        """Every judged quantity of the evidence as CSV, each gain with its interval."""
        return _csv("evidence", evidence_table(evidence_lines_of(self.params.get("project"))))


class ClaimTable(UpstreamTable):
    query_class = ClaimQuery

    @extend_schema(operation_id="download_claims", parameters=[ClaimQuery], responses=_CSV)
    def retrieve(self, request: Request) -> HttpResponse:
        """Claims as CSV, one line per claim or per load at which its metric was measured here."""
        found = claims_of(self.params["language"], self.params.get("project"))
        return _csv("claims", claims_table(found.results))


def _csv(name: str, table: Table) -> HttpResponse:
    headers: dict[str, Any] = {"Content-Disposition": f'attachment; filename="northstar-{name}.csv"'}
    return HttpResponse(csv_text(*table).encode(), content_type="text/csv; charset=utf-8", headers=headers)

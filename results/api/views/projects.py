"""Upstream projects and pull requests, with claims and evidence."""

from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.authentication import token_of
from results.api.idempotency import answer, answered
from results.api.query import StrictViewSet
from results.api.serializers.comparisons import EvidenceRead, PullDetailRead
from results.api.serializers.projects import (
    LanguageQuery,
    ProjectDetailRead,
    ProjectList,
    PullList,
    PullQuery,
)
from results.api.views.edits import ProjectEdits, PullEdits
from results.api.views.runs import KEY
from results.documents.comparison import EvidenceRequest
from results.models import PullRequest
from results.queries.comparisons import evidence_of
from results.queries.projects import PullRow, project_detail, project_rows, pull_detail, pull_rows
from results.queries.pull_runs import pull_runs
from results.services.idempotency import Answer
from results.services.link_evidence import link_evidence, read_evidence_request


class ProjectCollection(StrictViewSet):
    query_class = LanguageQuery

    @extend_schema(operation_id="list_projects", parameters=[LanguageQuery], responses=ProjectList)
    def list(self, request: Request) -> Response:
        """Upstream projects in the order of the catalogue."""
        return Response(ProjectList({"results": project_rows(self.params["language"])}).data)


class ProjectItem(ProjectEdits):
    query_class = LanguageQuery

    @extend_schema(operation_id="read_project", parameters=[LanguageQuery], responses=ProjectDetailRead)
    def retrieve(self, request: Request, slug: str) -> Response:
        """One project with its topics and their pull requests."""
        found = project_detail(slug, self.params["language"])
        if found is None:
            raise Http404
        return Response(ProjectDetailRead(asdict(found.row) | {"topics": found.topics}).data)


class PullCollection(StrictViewSet):
    query_class = PullQuery

    @extend_schema(operation_id="list_pull_requests", parameters=[PullQuery], responses=PullList)
    def list(self, request: Request) -> Response:
        """Pull requests by project and topic; the whole catalogue in one answer."""
        return Response(PullList({"results": chosen_pulls(self.params)}).data)


class PullItem(PullEdits):
    query_class = LanguageQuery

    @extend_schema(operation_id="read_pull_request", parameters=[LanguageQuery], responses=PullDetailRead)
    def retrieve(self, request: Request, owner: str, name: str, number: int) -> Response:
        """One pull request: status, claims, and what was measured here."""
        found = pull_detail(f"{owner}/{name}", number, self.params["language"])
        if found is None:
            raise Http404
        evidence = evidence_of(exploratory=True, pull_request__id=found.id)
        runs = pull_runs(pull_request=found.id)
        shown = {**_fields(found.row), "github": found.github, "runs": runs, "evidence": evidence}
        return Response(PullDetailRead(shown, context={"request": request}).data)


class EvidenceCollection(StrictViewSet):
    write_scope = write_throttle = "submit"

    @extend_schema(
        operation_id="add_evidence",
        parameters=[KEY],
        request=EvidenceRequest,
        responses={201: EvidenceRead},
    )
    def create(self, request: Request, owner: str, name: str, number: int) -> HttpResponse:
        """Run a declared comparison plan, or judge two sets of existing runs, for this pull request.

        A plan queues interleaved runs on one host and concludes by itself when they are over.
        """
        rows = PullRequest.objects.select_related("optimization__project")
        pull = get_object_or_404(rows, repository__iexact=f"{owner}/{name}", number=number)
        return answered(request, lambda: self._add(request, pull))

    def _add(self, request: Request, pull: PullRequest) -> Answer:
        wanted = read_evidence_request(request.data)
        evidence = link_evidence(pull_request=pull, request=wanted, token=token_of(request))
        shown = evidence_of(exploratory=True, id=evidence.id)[0]
        return answer(201, EvidenceRead(shown, context={"request": request}).data)


def chosen_pulls(params: dict[str, Any]) -> tuple[PullRow, ...]:
    """What ``PullQuery`` asks for."""
    columns = {"project": "optimization__project__slug", "status": "status", "kind": "kind"}
    filters = {columns[name]: params[name] for name in columns if name in params}
    return pull_rows(params["language"], **filters)


def _fields(row: PullRow) -> dict[str, Any]:
    return asdict(row) | {"url": row.url}

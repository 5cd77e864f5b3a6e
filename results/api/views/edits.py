"""Edits of the catalogue of upstream work. Every edit is audited, and a load of the catalogue keeps it."""

from typing import Any

from django.db.models import Model
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from results.api.authentication import token_of
from results.api.idempotency import answer, answered
from results.api.query import StrictViewSet
from results.api.serializers.projects import ClaimRead, LanguageQuery, ProjectRead, PullRead, TopicRead
from results.api.views.runs import KEY
from results.documents.catalogue_edit import ClaimEdit, Edit, ProjectEdit, PullEdit, TopicEdit
from results.models import Claim, Optimization, Project, PullRequest
from results.queries.projects import claim_row, project_rows, pull_rows, topic_row
from results.services.edit_catalogue import edit_catalogue, read_edit

_PARAMETERS: list[Any] = [LanguageQuery, KEY]


class CatalogueEdit(StrictViewSet):
    """Texts that ship with the product, changed by an operator."""

    write_scope = "admin"
    write_query_class = LanguageQuery
    http_method_names = ["get", "head", "patch"]

    def edit(self, request: Request, row: Model, kind: type[Edit]) -> None:
        edit_catalogue(
            row=row,
            edit=read_edit(kind, request.data),
            actor=f"token:{token_of(request).prefix}",
            request_id=request.META["REQUEST_ID"],
        )

    @property
    def language(self) -> str:
        return str(self.params["language"])


class ProjectEdits(CatalogueEdit):
    @extend_schema(
        operation_id="edit_project", parameters=_PARAMETERS, request=ProjectEdit, responses=ProjectRead
    )
    def partial_update(self, request: Request, slug: str) -> HttpResponse:
        """Change what is named; null gives a field back to the shipped catalogue and its next load."""
        row = get_object_or_404(Project, slug=slug)

        def act() -> Any:
            self.edit(request, row, ProjectEdit)
            shown = next(one for one in project_rows(self.language) if one.slug == slug)
            return answer(200, ProjectRead(shown).data)

        return answered(request, act)


class TopicEdits(CatalogueEdit):
    @extend_schema(operation_id="edit_topic", parameters=_PARAMETERS, request=TopicEdit, responses=TopicRead)
    def partial_update(self, request: Request, slug: str, topic: str) -> HttpResponse:
        """Change the words of one topic of a project."""
        row = get_object_or_404(Optimization, project__slug=slug, slug=topic)

        def act() -> Any:
            self.edit(request, row, TopicEdit)
            return answer(200, TopicRead(topic_row(slug, topic, self.language)).data)

        return answered(request, act)


class PullEdits(CatalogueEdit):
    @extend_schema(
        operation_id="edit_pull_request", parameters=_PARAMETERS, request=PullEdit, responses=PullRead
    )
    def partial_update(self, request: Request, owner: str, name: str, number: int) -> HttpResponse:
        """Change title, note, kind, or the status with its day and source, which joins the history."""
        row = get_object_or_404(PullRequest, repository__iexact=f"{owner}/{name}", number=number)

        def act() -> Any:
            self.edit(request, row, PullEdit)
            return answer(200, PullRead(pull_rows(self.language, id=row.id)[0]).data)

        return answered(request, act)


class ClaimEdits(CatalogueEdit):
    @extend_schema(operation_id="edit_claim", parameters=_PARAMETERS, request=ClaimEdit, responses=ClaimRead)
    def partial_update(self, request: Request, claim_id: int) -> HttpResponse:
        """Change what an author is said to claim."""
        row = get_object_or_404(Claim, id=claim_id)

        def act() -> Any:
            self.edit(request, row, ClaimEdit)
            return answer(200, ClaimRead(claim_row(Claim.objects.get(id=claim_id), self.language)).data)

        return answered(request, act)

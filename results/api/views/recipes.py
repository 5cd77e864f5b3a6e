"""Recipes by fingerprint."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.query import SHA256, StrictViewSet
from results.api.serializers.recipes import RecipeRead
from results.models import Recipe

FINGERPRINT = OpenApiParameter("fingerprint", SHA256, OpenApiParameter.PATH)


class RecipeItem(StrictViewSet):
    @extend_schema(operation_id="read_recipe", parameters=[FINGERPRINT], responses=RecipeRead)
    def retrieve(self, request: Request, fingerprint: str) -> Response:
        """What is served under this fingerprint."""
        rows = Recipe.objects.select_related("hardware", "engine", "language_model")
        return Response(RecipeRead(get_object_or_404(rows, fingerprint=fingerprint)).data)

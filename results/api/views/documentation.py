"""The schema and its browser."""

from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from results.api import schema

#: Loading the module registers what it knows about documents and tokens.
EXTENSIONS = (schema.DocumentExtension, schema.TokenExtension)


class SchemaView(SpectacularAPIView):
    """The OpenAPI description of this API."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        response: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        return response


class DocsView(SpectacularSwaggerSplitView):
    """Swagger UI from our own files; the page carries no inline script and no inline style."""

    url_name = "api:schema"
    template_name = "api/swagger.html"

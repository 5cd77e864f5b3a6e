"""Stored files, byte for byte."""

from pathlib import PurePosixPath

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from results.api.negotiation import OneRepresentation
from results.api.query import SHA256, StrictViewSet
from results.models import Artifact
from results.storage import BINARY, open_artifact

#: What a browser may be told; anything else is bytes.
_TYPES = {"application/json", "application/x-ndjson", "text/plain", "text/csv"}
_FOREVER = "public, max-age=31536000, immutable"
DIGEST = OpenApiParameter("sha256", SHA256, OpenApiParameter.PATH)


class ArtifactItem(StrictViewSet):
    content_negotiation_class = OneRepresentation

    @extend_schema(
        operation_id="download_artifact",
        parameters=[DIGEST],
        responses={(200, BINARY): OpenApiTypes.BINARY},
    )
    def retrieve(self, request: Request, sha256: str) -> FileResponse:
        """The file as it was stored, to be saved and never to be displayed."""
        artifact = get_object_or_404(Artifact, sha256=sha256)
        use = artifact.uses.order_by("id").first()
        return attached(artifact, PurePosixPath(use.path).name if use is not None else "")


def attached(artifact: Artifact, name: str) -> FileResponse:
    """The stored bytes as a download; ``name`` follows the beginning of the digest."""
    response = FileResponse(
        open_artifact(artifact.sha256),
        as_attachment=True,
        filename=f"{artifact.sha256[:12]}-{name}" if name else artifact.sha256[:12],
        content_type=artifact.media_type if artifact.media_type in _TYPES else BINARY,
    )
    response.headers["Content-Length"] = str(artifact.size)
    response.headers["Cache-Control"] = _FOREVER
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response

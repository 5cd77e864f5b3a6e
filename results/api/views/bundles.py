"""Uploading the bundle of a run that was executed elsewhere."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.authentication import token_of
from results.api.parsers import TarParser
from results.api.query import StrictViewSet
from results.api.serializers.bundles import IngestedRead
from results.ingest.manifest import BundleError
from results.services.upload_bundle import upload_bundle


class BundleCollection(StrictViewSet):
    parser_classes = [TarParser]
    write_scope = "worker"
    write_throttle = "upload"

    @extend_schema(
        operation_id="upload_bundle",
        request={TarParser.media_type: OpenApiTypes.BINARY},
        responses={201: IngestedRead, 200: IngestedRead},
    )
    def create(self, request: Request) -> Response:
        """An uncompressed tar of a bundle, at most 512 MiB. The same bundle again is answered with 200."""
        archive: Any = request.data
        if not hasattr(archive, "read"):
            raise BundleError("archive: is empty")
        request_id = request.META["REQUEST_ID"]
        done = upload_bundle(archive=archive, token=token_of(request), request_id=request_id)
        return Response(IngestedRead(done).data, status=201 if done.new_files else 200)

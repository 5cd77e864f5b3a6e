"""Uploads of result files and the report about each."""

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from results.api.query import PageQuery, Query
from results.models import Upload

_OBJECT = {"type": "object", "additionalProperties": True}


class ReceiveQuery(Query):
    """How to receive; both may also be parts of the form."""

    validate_only = serializers.BooleanField(
        required=False, help_text="answer the report and change nothing at all"
    )
    accept = serializers.BooleanField(
        required=False, help_text="let a run that covers less replace the published curve"
    )


class ResultsForm(serializers.Serializer[Any]):
    """Result files and archives; `identity` is an identity document that holds for all of them."""

    files = serializers.ListField(child=serializers.FileField(), help_text="any number of parts")
    identity = serializers.JSONField(required=False)
    validate_only = serializers.BooleanField(required=False)
    accept = serializers.BooleanField(required=False)


class RefusedRead(serializers.Serializer[Any]):
    """One refused place of a file."""

    pointer = serializers.CharField(help_text="JSON pointer, `line 12`, or empty for the whole file")
    reason = serializers.CharField()
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="pointers of identity fields that nobody stated"
    )
    unknown = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="kind and spelling without an alias"
    )


class KeptCurveRead(serializers.Serializer[Any]):
    """A newer run that covers less than the published one and did not replace it."""

    recipe = serializers.CharField(help_text="fingerprint")
    scenario = serializers.CharField()
    published_run = serializers.CharField()
    newer_run = serializers.CharField()
    missing_loads = serializers.ListField(child=serializers.IntegerField())
    new_loads = serializers.ListField(child=serializers.IntegerField())


class FileReportRead(serializers.Serializer[Any]):
    """What one file left. Counts are rows: points, scores, changelog entries, job counts."""

    path = serializers.CharField()
    sha256 = serializers.CharField()
    format = serializers.CharField(help_text="empty when no reader recognised the file")
    version = serializers.CharField()
    created = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    superseded = serializers.IntegerField(help_text="observations that are no longer the current ones")
    quarantined = RefusedRead(many=True)
    remarks = serializers.ListField(child=serializers.CharField())
    kept_curves = KeptCurveRead(many=True)


class TotalsRead(serializers.Serializer[Any]):
    files = serializers.IntegerField()
    created = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    superseded = serializers.IntegerField()
    quarantined = serializers.IntegerField()


class StoredReportRead(serializers.Serializer[Any]):
    files = FileReportRead(many=True)
    totals = TotalsRead()


class ReportRead(StoredReportRead):
    """The ingestion report; `id` and `url` are those of the upload, null when nothing was stored."""

    id = serializers.UUIDField(allow_null=True)
    url = serializers.URLField(allow_null=True)


class UploadSummary(serializers.Serializer[Any]):
    """One delivery; `complete` is false when it was interrupted: send it again."""

    id = serializers.UUIDField()
    url = serializers.HyperlinkedIdentityField(
        view_name="api:upload", lookup_field="id", lookup_url_kwarg="upload_id"
    )
    name = serializers.CharField()
    handle = serializers.ChoiceField(Upload.Handle.choices)
    uploaded_by = serializers.CharField(allow_null=True, help_text="name of the token; null for an operator")
    received_at = serializers.DateTimeField()
    complete = serializers.BooleanField()
    totals = TotalsRead()


class UploadedFileRead(serializers.Serializer[Any]):
    """A file of an upload; `file` is its number under /api/v1/result-files/."""

    path = serializers.CharField()
    file = serializers.IntegerField()
    sha256 = serializers.CharField()
    size = serializers.IntegerField(help_text="bytes")
    url = serializers.HyperlinkedIdentityField(
        view_name="api:result-file", lookup_field="file", lookup_url_kwarg="file_id"
    )


class UploadRead(UploadSummary):
    identity = extend_schema_field(_OBJECT)(serializers.JSONField)()
    archive = serializers.CharField(allow_null=True, help_text="sha256 of the archive that was sent")
    report = StoredReportRead(allow_null=True, help_text="as it was answered; null when interrupted")
    files = UploadedFileRead(many=True)


class UploadQuery(PageQuery):
    """One page of uploads."""


@extend_schema_serializer(many=False)
class UploadPage(serializers.Serializer[Any]):
    """``next`` is the address of the next page, null on the last."""

    next = serializers.URLField(allow_null=True)
    results = UploadSummary(many=True)

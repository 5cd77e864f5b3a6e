"""Quarantine, result files, and what releases them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from results.api.query import PageQuery, Query
from results.api.serializers.uploads import FileReportRead
from results.models import Alias
from results.queries.quarantine import CAUSES

_OBJECT = {"type": "object", "additionalProperties": True}
_CAUSES = [(name, name) for name in CAUSES]


class QuarantineQuery(PageQuery):
    resolved = serializers.BooleanField(
        required=False, default=False, help_text="entries that a later reading resolved"
    )
    cause = serializers.ChoiceField(_CAUSES, required=False, help_text="why it waits")
    file = serializers.IntegerField(
        min_value=1, max_value=2**63 - 1, required=False, help_text="number of a result file"
    )
    unknown_kind = serializers.ChoiceField(Alias.Kind.choices, required=False)
    unknown_value = serializers.CharField(max_length=256, required=False)


class QuarantineRead(serializers.Serializer[Any]):
    """A refused place of a file, or an unreadable load of an attempt; the other fields are null."""

    id = serializers.IntegerField()
    cause = serializers.ChoiceField(
        _CAUSES, help_text="missing identity, unknown value, unreadable file or load"
    )
    file = serializers.IntegerField(allow_null=True, help_text="number under /api/v1/result-files/")
    sha256 = serializers.CharField(allow_null=True)
    run = serializers.UUIDField(allow_null=True)
    attempt = serializers.IntegerField(allow_null=True)
    load = serializers.IntegerField(allow_null=True)
    path = serializers.CharField(allow_blank=True, help_text="file, or folder of the load in its bundle")
    pointer = serializers.CharField(allow_blank=True, help_text="place in the file; empty for all of it")
    format = serializers.CharField(allow_blank=True)
    reason = serializers.CharField()
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="pointers of identity fields that nobody stated"
    )
    unknown_kind = serializers.CharField(allow_blank=True)
    unknown_value = serializers.CharField(allow_blank=True)
    parser_version = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    resolved_at = serializers.DateTimeField(allow_null=True)


@extend_schema_serializer(many=False)
class QuarantinePage(serializers.Serializer[Any]):
    """``next`` is the address of the next page, null on the last."""

    next = serializers.URLField(allow_null=True)
    results = QuarantineRead(many=True)


class FileRunRead(serializers.Serializer[Any]):
    """A run in which the file states points."""

    id = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]
    recipe = serializers.CharField(help_text="fingerprint")
    points = serializers.IntegerField()


class FileDeliveryRead(serializers.Serializer[Any]):
    upload = serializers.UUIDField()
    name = serializers.CharField()
    path = serializers.CharField()
    received_at = serializers.DateTimeField()


class ResultFileRead(serializers.Serializer[Any]):
    """One content with one identity. `runs` lists at most 50 of the runs in which it states points."""

    id = serializers.IntegerField()
    url = serializers.HyperlinkedIdentityField(
        view_name="api:result-file", lookup_field="id", lookup_url_kwarg="file_id"
    )
    content_url = serializers.HyperlinkedIdentityField(
        view_name="api:result-file-content", lookup_field="id", lookup_url_kwarg="file_id"
    )
    path = serializers.CharField()
    sha256 = serializers.CharField()
    size = serializers.IntegerField(help_text="bytes")
    format = serializers.CharField(allow_blank=True, help_text="empty when no reader recognised it")
    format_version = serializers.CharField(allow_blank=True)
    parser_version = serializers.CharField(allow_blank=True)
    identity = extend_schema_field(_OBJECT)(serializers.JSONField)()
    remarks = serializers.ListField(child=serializers.CharField())
    received_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True)
    points = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="places in quarantine")
    runs = FileRunRead(many=True)
    deliveries = FileDeliveryRead(many=True)


class CompletedRead(serializers.Serializer[Any]):
    """The file with its whole identity, and what reading it again left."""

    file = ResultFileRead()
    report = FileReportRead()


class AliasQuery(Query):
    kind = serializers.ChoiceField(Alias.Kind.choices, required=False)


class AliasRead(serializers.ModelSerializer[Alias]):
    class Meta:
        model = Alias
        fields = ["kind", "spelling", "canonical", "source"]


@extend_schema_serializer(many=False)
class AliasList(serializers.Serializer[Any]):
    results = AliasRead(many=True)


class ReleasedRead(serializers.Serializer[Any]):
    """The alias, and what the files that waited for it left when they were read again."""

    alias = AliasRead()
    reread = serializers.IntegerField(help_text="files")
    created = serializers.IntegerField(help_text="rows")
    waiting = serializers.IntegerField(help_text="rows of these files that still wait, for whatever reason")

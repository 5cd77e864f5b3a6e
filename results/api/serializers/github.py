from typing import Any

from rest_framework import serializers


class StatusDriftRead(serializers.Serializer[Any]):
    catalogue = serializers.CharField()
    catalogue_as_of = serializers.DateTimeField()
    github = serializers.CharField()
    github_as_of = serializers.DateTimeField()


class DateDriftRead(serializers.Serializer[Any]):
    catalogue = serializers.DateField()
    github = serializers.DateField()


class GitHubRead(serializers.Serializer[Any]):
    """What GitHub said at the last sync: null and empty before one, and kept whatever fails later."""

    synced_at = serializers.DateTimeField(allow_null=True)
    title = serializers.CharField(allow_blank=True)
    state = serializers.CharField(allow_blank=True)
    merged_at = serializers.DateTimeField(allow_null=True)
    base_ref = serializers.CharField(allow_blank=True)
    base_sha = serializers.CharField(allow_blank=True)
    head_sha = serializers.CharField(allow_blank=True)
    merge_sha = serializers.CharField(allow_blank=True)
    labels = serializers.ListField(child=serializers.CharField())
    moved_to = serializers.CharField(allow_blank=True, help_text="the repository's name after a rename")
    attempted_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_blank=True, help_text="why the last attempt failed")
    status_drift = StatusDriftRead(allow_null=True)
    date_drift = DateDriftRead(allow_null=True, help_text="of the merge")


class WebhookRead(serializers.Serializer[Any]):
    outcome = serializers.ChoiceField(
        ["applied", "unchanged", "stale", "unknown", "ignored", "repeated"],
        help_text="unknown: a pull request that the catalogue does not name; ignored: another event",
    )

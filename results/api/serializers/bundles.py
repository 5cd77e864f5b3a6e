from typing import Any

from rest_framework import serializers


class IngestedRead(serializers.Serializer[Any]):
    """What an upload left. Loads in quarantine are stored and could not be read."""

    run = serializers.UUIDField()
    attempt = serializers.IntegerField(source="number")
    new_files = serializers.IntegerField()
    points = serializers.ListField(child=serializers.IntegerField(), help_text="loads that became points")
    quarantined = serializers.ListField(child=serializers.IntegerField(), help_text="loads")
    manifest_sha256 = serializers.CharField()

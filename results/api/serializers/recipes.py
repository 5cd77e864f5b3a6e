from typing import Any

from rest_framework import serializers

from results.models import Recipe


class RecipeRead(serializers.Serializer[Any]):
    """``document`` is the identity; the other fields repeat what lists filter by."""

    fingerprint = serializers.CharField(help_text="sha256 of the canonical JSON of `document`")
    document = serializers.DictField()
    hardware = serializers.CharField(source="hardware.slug")
    gpu_count = serializers.IntegerField(help_text="all accelerators of the deployment")
    engine = serializers.CharField(source="engine.slug")
    engine_version = serializers.CharField()
    model = serializers.CharField(source="language_model.slug")
    precision = serializers.CharField()
    speculative = serializers.CharField(allow_blank=True)
    kv_offload = serializers.CharField()
    disaggregated = serializers.BooleanField()
    multinode = serializers.BooleanField()
    accuracy = serializers.ChoiceField(Recipe.Accuracy.choices, help_text="by the gates of its scores")
    created_at = serializers.DateTimeField()

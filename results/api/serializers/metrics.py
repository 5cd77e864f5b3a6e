from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from results.metrics import Direction


class MetricRead(serializers.Serializer[Any]):
    """A registered number. ``key`` is its name in points, CSV headers and the database."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    name = serializers.CharField()
    stat = serializers.CharField(allow_null=True, help_text="null for a scalar")
    unit = serializers.CharField(help_text="1 for a ratio")
    direction = serializers.ChoiceField([way.value for way in Direction], help_text="which way is better")
    formula = serializers.CharField()
    denominator = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]


@extend_schema_serializer(many=False)
class MetricList(serializers.Serializer[Any]):
    results = MetricRead(many=True)

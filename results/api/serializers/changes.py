"""History and change points as the API answers them."""

from typing import Any

from rest_framework import serializers

from results.api.query import Query
from results.api.serializers.decide import DIRECTED
from results.models import ChangePoint
from results.queries.history import BASES, METRIC, X


class HistoryQuery(Query):
    model = serializers.CharField(max_length=128, required=False, help_text="catalogue name")
    scenario = serializers.CharField(
        max_length=64, required=False, help_text="corpus, or ISL/OSL in tokens such as 8192/1024"
    )
    family = serializers.RegexField(
        r"^[0-9a-f]{8,64}$", required=False, help_text="key of a family, or its first 8 to 64 digits"
    )
    metric = serializers.ChoiceField(DIRECTED, default=METRIC)
    basis = serializers.ChoiceField(
        BASES,
        default="load",
        help_text="load: one configuration; equal_x: a frontier at a value of x",
    )
    load = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)
    x = serializers.ChoiceField(DIRECTED, default=X, help_text="held equal, for basis equal_x")
    at = serializers.FloatField(min_value=1e-9, max_value=1e12, required=False, help_text="value of x")


class FamilyRead(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()
    builds = serializers.IntegerField()
    runs = serializers.IntegerField()


class ObservedRead(serializers.Serializer[Any]):
    """`error` is the median leave-one-out error of an interpolated value."""

    run = serializers.UUIDField()
    at = serializers.DateTimeField()
    version = serializers.CharField(help_text="engine build")
    value = serializers.FloatField()
    interpolated = serializers.BooleanField()
    error = serializers.FloatField(allow_null=True)
    points = serializers.ListField(child=serializers.IntegerField(), help_text="evidence")


class ChangePointRead(serializers.Serializer[Any]):
    """A stored row. `run` begins the new level; `gain` is positive for better."""

    id = serializers.IntegerField()
    run = serializers.UUIDField()
    found_at = serializers.UUIDField(help_text="the run at which the detectors found it")
    status = serializers.ChoiceField(ChangePoint.Status.choices)
    gain = serializers.FloatField(help_text="fraction of the level before")
    before = serializers.FloatField()
    votes = serializers.ListField(child=serializers.CharField(), help_text="detectors that see it")
    algorithm_version = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
    decided_by = serializers.CharField(allow_blank=True)


class SeenRead(serializers.Serializer[Any]):
    """What the detectors see now and no row holds."""

    run = serializers.UUIDField()
    gain = serializers.FloatField()
    before = serializers.FloatField()
    votes = serializers.ListField(child=serializers.CharField())
    algorithm_version = serializers.CharField()


class UpstreamRead(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(["changelog", "pull_request"])
    at = serializers.DateTimeField()
    title = serializers.CharField()
    url = serializers.CharField(allow_blank=True)


class HistoryRead(serializers.Serializer[Any]):
    """One metric of one family over time; `upstream` lies between the first and the last observation."""

    model = serializers.CharField(allow_null=True)
    scenario = serializers.CharField(allow_null=True)
    metric = serializers.CharField()
    unit = serializers.CharField()
    direction = serializers.CharField()
    basis = serializers.ChoiceField(BASES)
    load = serializers.IntegerField(allow_null=True)
    x = serializers.CharField(allow_null=True)
    at = serializers.FloatField(allow_null=True)
    family = FamilyRead(allow_null=True)
    families = FamilyRead(many=True)
    series = serializers.CharField(allow_null=True, help_text="identity under which change points are stored")
    observed = ObservedRead(many=True)
    without = serializers.DictField(child=serializers.IntegerField(), help_text="left out by reason")
    change_points = ChangePointRead(many=True)
    seen = SeenRead(many=True)
    upstream = UpstreamRead(many=True)
    undated_changelog = serializers.IntegerField(help_text="fitting changelog entries without a date")

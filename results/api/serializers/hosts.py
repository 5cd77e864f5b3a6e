from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from results.models import Host


class HostRead(serializers.Serializer[Any]):
    """A machine that executes runs; nothing here names it on a network."""

    name = serializers.CharField()
    state = serializers.ChoiceField(Host.State.choices)
    hardware = serializers.ListField(child=serializers.CharField(), help_text="slugs")
    engines = serializers.ListField(child=serializers.CharField(), help_text="that it can execute")
    first_seen_at = serializers.DateTimeField()
    last_seen_at = serializers.DateTimeField()
    probes = serializers.IntegerField(help_text="how many are kept")
    probed_at = serializers.DateTimeField(allow_null=True, help_text="the newest")


class MeasuredRead(serializers.Serializer[Any]):
    """Median, lowest and highest of the repeats."""

    unit = serializers.CharField()
    median = serializers.FloatField()
    lowest = serializers.FloatField()
    highest = serializers.FloatField()
    repeats = serializers.IntegerField()
    bytes = serializers.IntegerField(allow_null=True, help_text="size of one transfer")


class RateRead(serializers.Serializer[Any]):
    """`gpu` is null where all of them took part."""

    name = serializers.CharField()
    gpu = serializers.IntegerField(allow_null=True)
    measured = MeasuredRead()


class ProbeRead(serializers.Serializer[Any]):
    """What the host could do at best at that time."""

    at = serializers.DateTimeField()
    devices = serializers.ListField(child=serializers.DictField(), help_text="memory, driver, clocks")
    numa = serializers.ListField(child=serializers.DictField())
    torch = serializers.DictField(allow_null=True)
    rates = RateRead(many=True)


class HostDetailRead(HostRead):
    facts = serializers.DictField()
    probe_reports = ProbeRead(many=True, help_text="newest first")


@extend_schema_serializer(many=False)
class HostList(serializers.Serializer[Any]):
    results = HostRead(many=True)

from typing import Any

from rest_framework import serializers

from results.models import Host


class HostLineRead(serializers.Serializer[Any]):
    name = serializers.CharField()
    state = serializers.ChoiceField(Host.State.choices)
    hardware = serializers.ListField(child=serializers.CharField())
    engines = serializers.ListField(child=serializers.CharField())
    last_seen_at = serializers.DateTimeField()
    present = serializers.BooleanField(help_text="seen within ten minutes")
    holds = serializers.UUIDField(allow_null=True, help_text="run that it measures now")
    waiting = serializers.IntegerField(help_text="queued runs that it can execute")


class QueueRead(serializers.Serializer[Any]):
    queued = serializers.IntegerField()
    held = serializers.IntegerField(help_text="runs that a host executes now")
    homeless = serializers.IntegerField(help_text="queued runs that no ready host can execute")
    oldest_queued_at = serializers.DateTimeField(allow_null=True)


class DutyRead(serializers.Serializer[Any]):
    """The last round of what the house does by itself."""

    began_at = serializers.DateTimeField(allow_null=True, help_text="null: never")
    ended_at = serializers.DateTimeField(allow_null=True)
    outcome = serializers.CharField(allow_blank=True)
    trouble = serializers.CharField(allow_blank=True)
    overdue = serializers.BooleanField(help_text="it should have come round again")


class RepositorySyncRead(serializers.Serializer[Any]):
    repository = serializers.CharField()
    pulls = serializers.IntegerField()
    synced = serializers.IntegerField(help_text="pull requests that GitHub was ever read for")
    oldest = serializers.DateTimeField(allow_null=True, help_text="least recent reading")
    newest = serializers.DateTimeField(allow_null=True)
    attempted_at = serializers.DateTimeField(allow_null=True)
    troubles = serializers.DictField(
        child=serializers.IntegerField(), help_text="pull requests by why the last attempt failed"
    )


class GitHubStateRead(serializers.Serializer[Any]):
    asks = serializers.BooleanField(help_text="the sweeper reads GitHub by itself")
    has_token = serializers.BooleanField()
    server = serializers.CharField(allow_blank=True)
    problem = serializers.CharField(allow_blank=True, help_text="a setting that breaks a rule")
    paused_until = serializers.DateTimeField(allow_null=True, help_text="end of a rate limit")
    duty = DutyRead()
    waiting_for_merge_base = serializers.IntegerField(help_text="runs of pull requests")
    repositories = RepositorySyncRead(many=True)


class AaScheduleRead(serializers.Serializer[Any]):
    name = serializers.CharField()
    host = serializers.CharField()
    engine = serializers.CharField()
    model = serializers.CharField()
    loads = serializers.ListField(child=serializers.IntegerField())
    blocks = serializers.IntegerField()
    every_days = serializers.IntegerField()
    enabled = serializers.BooleanField()
    comparisons = serializers.IntegerField(help_text="so far")
    newest = serializers.UUIDField(allow_null=True, help_text="its last comparison")
    running = serializers.BooleanField()
    started_at = serializers.DateTimeField(allow_null=True)
    next_at = serializers.DateTimeField(help_text="start of the next comparison, at the earliest")
    problem = serializers.CharField(allow_blank=True, help_text="why the last start failed")


class AaRateRead(serializers.Serializer[Any]):
    """Share of tests between equal recipes that were significant at `alpha`."""

    host_class = serializers.CharField()
    metric = serializers.CharField(allow_null=True, help_text="null: all of them")
    rejected = serializers.IntegerField()
    tests = serializers.IntegerField(help_text="quantities: metrics at loads")
    comparisons = serializers.IntegerField(help_text="independent ones; the interval counts these")
    rate = serializers.FloatField()
    low = serializers.FloatField(help_text="Wilson, 95 %")
    high = serializers.FloatField()
    used = serializers.BooleanField(help_text="enough comparisons to judge the host class by")
    trusted = serializers.BooleanField(help_text="at most twice alpha")


class AaFloorRead(serializers.Serializer[Any]):
    """A gain must exceed this fraction."""

    host_class = serializers.CharField()
    model = serializers.CharField()
    blocks = serializers.IntegerField()
    metric = serializers.CharField()
    basis = serializers.CharField()
    load = serializers.IntegerField(allow_null=True)
    floor = serializers.FloatField()


class AaHistoryRead(serializers.Serializer[Any]):
    alpha = serializers.FloatField()
    minimum = serializers.IntegerField(help_text="comparisons before a rate or a floor is used")
    schedules = AaScheduleRead(many=True)
    rates = AaRateRead(many=True)
    floors = AaFloorRead(many=True)


class StatusRead(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    sweeper = DutyRead()
    queue = QueueRead()
    hosts = HostLineRead(many=True)
    github = GitHubStateRead()
    quarantine = serializers.DictField(child=serializers.IntegerField(), help_text="waiting, by cause")
    aa = AaHistoryRead()

from typing import Any

from rest_framework import serializers

from results.api.serializers.github import GitHubRead
from results.api.serializers.projects import PullRead
from results.api.serializers.pull_runs import PullRunRead
from results.models import Comparison


class MetricVerdictRead(serializers.Serializer[Any]):
    """Fractions: `gain` 0.04 is 4 % better, whichever way is better for the metric."""

    metric = serializers.CharField()
    unit = serializers.CharField()
    direction = serializers.CharField()
    basis = serializers.CharField(help_text="what is held equal between the sides")
    load = serializers.IntegerField(allow_null=True)
    family = serializers.CharField(help_text="primary: declared before the first run")
    n = serializers.IntegerField(help_text="independent server launches per side")
    gain = serializers.FloatField(allow_null=True)
    ci_low = serializers.FloatField(allow_null=True)
    ci_high = serializers.FloatField(allow_null=True)
    confidence = serializers.FloatField()
    p = serializers.FloatField(allow_null=True)
    adjusted_p = serializers.FloatField(allow_null=True)
    verdict = serializers.CharField()
    reasons = serializers.ListField(child=serializers.CharField())
    floor = serializers.FloatField(help_text="what a gain must exceed")
    mde = serializers.FloatField(allow_null=True, help_text="smallest effect found with power 0.8")
    needed_blocks = serializers.IntegerField(allow_null=True)
    rank_p = serializers.FloatField(allow_null=True, help_text="of the rank test, from six launches")
    rank_p_floor = serializers.FloatField(allow_null=True, help_text="smallest value it can take at this n")
    block_gains = serializers.ListField(child=serializers.FloatField())
    algorithm_version = serializers.CharField()


class ShiftRead(serializers.Serializer[Any]):
    """A gain with its interval and no verdict of its own."""

    n = serializers.IntegerField()
    gain = serializers.FloatField()
    ci_low = serializers.FloatField()
    ci_high = serializers.FloatField()
    p = serializers.FloatField()


class FrontierMarkRead(serializers.Serializer[Any]):
    x = serializers.FloatField()
    shift = ShiftRead(allow_null=True, help_text="null outside the common range")


class FrontierVerdictRead(serializers.Serializer[Any]):
    """Gain at equal `x` from `low` to `high`, where all curves overlap. It is no gain at equal load."""

    x = serializers.CharField(help_text="metric that is held equal")
    y = serializers.CharField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    verdict = MetricVerdictRead()
    area = ShiftRead(allow_null=True, help_text="of the area under the curves")
    marks = FrontierMarkRead(many=True)


class GuardRead(serializers.Serializer[Any]):
    """One condition of a fair comparison."""

    reason = serializers.CharField()
    blocks = serializers.BooleanField(help_text="no verdict without it")
    outcome = serializers.CharField()
    baseline = serializers.CharField(allow_null=True)
    candidate = serializers.CharField(allow_null=True)
    load = serializers.IntegerField(allow_null=True)


class VerdictRead(serializers.Serializer[Any]):
    headline = serializers.CharField(source="headline.verdict")
    blocks = serializers.IntegerField(help_text="complete, independent ones")
    primary = MetricVerdictRead(many=True)
    exploratory = MetricVerdictRead(many=True)
    frontier = FrontierVerdictRead(allow_null=True)
    guards = GuardRead(many=True)
    deviations = serializers.ListField(child=serializers.CharField(), help_text="from the plan")
    is_evidence = serializers.BooleanField(help_text="may stand at a pull request as a gain of it")
    algorithm_version = serializers.CharField()


class MemberRead(serializers.Serializer[Any]):
    run = serializers.UUIDField()
    block = serializers.IntegerField()
    arm = serializers.CharField(help_text="A is the baseline")
    state = serializers.CharField()
    host = serializers.CharField(allow_null=True)


class ComparisonRead(serializers.Serializer[Any]):
    """`verdict` is null until every run is over."""

    id = serializers.UUIDField()
    url = serializers.HyperlinkedIdentityField(
        view_name="api:comparison", lookup_field="id", lookup_url_kwarg="comparison_id"
    )
    title = serializers.CharField()
    state = serializers.ChoiceField(Comparison.State.choices)
    declared_before_running = serializers.BooleanField()
    extended = serializers.BooleanField()
    scenario = serializers.CharField()
    baseline = serializers.CharField(help_text="fingerprint")
    candidate = serializers.CharField(help_text="fingerprint")
    differences = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()), help_text="[baseline, candidate] by field"
    )
    plan = serializers.DictField()
    members = MemberRead(many=True)
    verdict = VerdictRead(allow_null=True)
    created_at = serializers.DateTimeField()
    concluded_at = serializers.DateTimeField(allow_null=True)


class EvidenceRead(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    repository = serializers.CharField(allow_null=True)
    number = serializers.IntegerField(allow_null=True)
    topic = serializers.CharField(allow_null=True)
    note = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    withdrawn_reason = serializers.CharField(allow_blank=True)
    comparison = ComparisonRead()


class PullDetailRead(PullRead):
    github = GitHubRead()
    runs = PullRunRead(many=True)
    evidence = EvidenceRead(many=True)


class WithdrawalWrite(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=2000)

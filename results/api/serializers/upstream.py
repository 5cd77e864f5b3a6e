"""Evidence and claims as flat lists, and edits of catalogue texts."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from results.analysis.claimed import OffScale
from results.api.query import Query
from results.api.serializers.comparisons import MetricVerdictRead
from results.api.serializers.projects import ClaimRead, LanguageQuery
from results.models import PullRequest


class EvidenceQuery(Query):
    project = serializers.SlugField(max_length=64, required=False, trim_whitespace=False)


class ClaimQuery(LanguageQuery):
    project = serializers.SlugField(max_length=64, required=False, trim_whitespace=False)


class EvidenceLineRead(serializers.Serializer[Any]):
    """One judged quantity. `verdict` is null while runs are live and after a withdrawal."""

    evidence = serializers.IntegerField()
    status = serializers.ChoiceField(["standing", "running", "withdrawn"])
    project = serializers.CharField()
    topic = serializers.CharField(allow_null=True, help_text="null where it is about a pull request")
    repository = serializers.CharField(allow_null=True)
    number = serializers.IntegerField(allow_null=True)
    comparison = serializers.UUIDField()
    title = serializers.CharField()
    declared_before_running = serializers.BooleanField()
    scenario = serializers.CharField()
    hosts = serializers.ListField(child=serializers.CharField())
    note = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    withdrawn_reason = serializers.CharField(allow_blank=True)
    held_equal = serializers.CharField(
        source="x", allow_null=True, help_text="metric of a gain along a frontier; null: at equal load"
    )
    low = serializers.FloatField(allow_null=True, help_text="of the common range of `held_equal`")
    high = serializers.FloatField(allow_null=True)
    verdict = MetricVerdictRead(allow_null=True)


@extend_schema_serializer(many=False)
class EvidenceList(serializers.Serializer[Any]):
    results = EvidenceLineRead(many=True)


class ClaimLineRead(serializers.Serializer[Any]):
    """A claim of an author beside what was measured here for its pull request; the setups differ."""

    repository = serializers.CharField(source="pull.repository")
    number = serializers.IntegerField(source="pull.number")
    status = serializers.ChoiceField(PullRequest.Status.choices, source="pull.status")
    claim = ClaimRead()
    claimed_gain = serializers.FloatField(
        source="gain", allow_null=True, help_text="on the scale of measured gains: 0.04 is 4 % better"
    )
    not_on_scale = serializers.ChoiceField(
        [one.value for one in OffScale], source="off", allow_null=True, help_text="why there is no ratio"
    )
    measured = EvidenceLineRead(many=True, help_text="of the claimed metric, at equal load")
    others = serializers.IntegerField(help_text="judged quantities of other metrics")


class FunnelRead(serializers.Serializer[Any]):
    """Pull requests, from all to those whose claim was measured on its own metric."""

    pulls = serializers.IntegerField()
    claimed = serializers.IntegerField()
    on_scale = serializers.IntegerField(help_text="with a claim that is a ratio")
    measured = serializers.IntegerField(help_text="with a claim, and evidence that stands")
    same_metric = serializers.IntegerField(help_text="whose claimed metric was measured here")
    unmeasured = serializers.IntegerField(help_text="with a claim and no evidence")


@extend_schema_serializer(many=False)
class ClaimList(serializers.Serializer[Any]):
    funnel = FunnelRead()
    results = ClaimLineRead(many=True)

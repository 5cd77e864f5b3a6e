"""Points as the API shows them; the numbers come from results.queries.points, as everywhere."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from results.api.query import PageQuery, Query
from results.models import Point, Recipe
from results.queries.points import PointFilter


class PointSelection(Query):
    """What to select; each parameter narrows."""

    run = serializers.UUIDField(required=False)
    recipe = serializers.RegexField(
        r"^[0-9a-f]{1,64}$", required=False, help_text="fingerprint, or the beginning of one"
    )
    label = serializers.CharField(max_length=64, required=False)  # type: ignore[assignment]
    engine = serializers.CharField(max_length=64, required=False, help_text="catalogue name")
    hardware = serializers.CharField(max_length=64, required=False, help_text="catalogue name")
    model = serializers.CharField(max_length=64, required=False, help_text="catalogue name")
    scenario = serializers.CharField(max_length=64, required=False, help_text="corpus, or ISL/OSL in tokens")
    validity = serializers.ChoiceField(Point.Validity.choices, required=False)
    load = serializers.IntegerField(min_value=1, max_value=65536, required=False)
    published = serializers.BooleanField(
        required=False, help_text="only current points of published curves: one per recipe, scenario and load"
    )
    evidence = serializers.BooleanField(
        required=False, help_text="also points of attempts that failed or were cancelled"
    )


class PointQuery(PageQuery, PointSelection):
    """A selection, one page at a time."""


def point_filter(params: dict[str, Any]) -> PointFilter:
    """The query's selection for results.queries.points."""
    names = set(PointSelection().fields) - {"validity"}
    chosen = {name: params[name] for name in names if name in params}
    validity = (params["validity"],) if "validity" in params else ()
    return PointFilter(validity=validity, **chosen)


class PointRead(serializers.Serializer[Any]):
    """What one run measured at one load. `values` holds what was measured and nothing else."""

    id = serializers.IntegerField()
    url = serializers.HyperlinkedIdentityField(
        view_name="api:point", lookup_field="id", lookup_url_kwarg="point_id"
    )
    page = serializers.HyperlinkedIdentityField(
        view_name="point", lookup_field="id", lookup_url_kwarg="identifier"
    )
    run = serializers.UUIDField()
    attempt = serializers.IntegerField(allow_null=True, help_text="null for imported points")
    label = serializers.CharField()  # type: ignore[assignment]
    block = serializers.IntegerField(allow_null=True)
    load = serializers.IntegerField(help_text="agentic: live session trees")
    validity = serializers.ChoiceField(Point.Validity.choices)
    reasons = serializers.ListField(child=serializers.CharField(), help_text="rules that were not met")
    rules_version = serializers.CharField()
    parser_version = serializers.CharField()
    recipe = serializers.CharField(help_text="fingerprint")
    hardware = serializers.CharField()
    gpu_count = serializers.IntegerField(help_text="all accelerators of the deployment")
    engine = serializers.CharField()
    engine_version = serializers.CharField()
    model = serializers.CharField()
    precision = serializers.CharField()
    speculative = serializers.CharField(allow_blank=True)
    kv_offload = serializers.CharField()
    disaggregated = serializers.BooleanField()
    multinode = serializers.BooleanField()
    accuracy = serializers.ChoiceField(Recipe.Accuracy.choices, help_text="of the recipe, by its gates")
    scenario = serializers.CharField()
    corpus_version = serializers.CharField(allow_null=True)
    context_cap = serializers.IntegerField(allow_null=True, help_text="tokens")
    host = serializers.CharField(allow_null=True)
    source_run = serializers.CharField(
        allow_blank=True, help_text="imported: the run that measured, as its file names it"
    )
    published_run = serializers.CharField(allow_blank=True, help_text="imported: the run that published")
    planned_window_seconds = serializers.FloatField(allow_null=True)
    measured_at = serializers.DateTimeField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    values = serializers.DictField(
        child=serializers.FloatField(), help_text="keys, units and directions: /api/v1/metrics/"
    )
    extra = serializers.DictField(help_text="numbers that no registered metric describes")


class RequestRead(serializers.Serializer[Any]):
    """One request of a point. Null is absent; times of day are nanoseconds since 1970."""

    line = serializers.IntegerField(help_text="in the client's file of records, from 1 on")
    outcome = serializers.CharField(help_text="ok, failed, cancelled, overflow or warmup")
    sent_at = serializers.FloatField(help_text="seconds after the first profiled request was sent")
    conversation = serializers.CharField(source="record.conversation", allow_null=True)
    session = serializers.CharField(
        source="record.session", allow_null=True, help_text="one replay of a conversation by one agent"
    )
    tree = serializers.CharField(
        source="record.root", allow_null=True, help_text="the session and all its sub-agents"
    )
    turn = serializers.IntegerField(source="record.turn", allow_null=True)
    agent_depth = serializers.IntegerField(source="record.agent_depth", help_text="0: no sub-agent")
    issued_ns = serializers.IntegerField(source="record.issued_ns", allow_null=True)
    start_ns = serializers.IntegerField(source="record.start_ns")
    end_ns = serializers.IntegerField(source="record.end_ns")
    ttft = serializers.FloatField(source="record.ttft", allow_null=True, help_text="seconds")
    itl = serializers.FloatField(source="record.itl", allow_null=True, help_text="seconds")
    latency = serializers.FloatField(source="record.latency", allow_null=True, help_text="seconds")
    input_tokens = serializers.IntegerField(source="record.input_tokens", allow_null=True)
    output_tokens = serializers.IntegerField(source="record.output_tokens", allow_null=True)
    cached_tokens = serializers.IntegerField(source="record.cached_tokens", allow_null=True)
    failure = serializers.CharField(source="record.failure.kind", allow_null=True, default=None)


@extend_schema_serializer(many=False)
class RequestPage(serializers.Serializer[Any]):
    """``next`` is the address of the next page, null on the last; ``count`` is all requests of the point."""

    next = serializers.URLField(allow_null=True)
    count = serializers.IntegerField()
    results = RequestRead(many=True)


@extend_schema_serializer(many=False)
class PointPage(serializers.Serializer[Any]):
    """``next`` is the address of the next page, null on the last."""

    next = serializers.URLField(allow_null=True)
    results = PointRead(many=True)

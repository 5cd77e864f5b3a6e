"""The answer to a frontier question, as the API describes it."""

from typing import Any

from rest_framework import serializers

from results.analysis.axis_names import AXES, PERCENTILES
from results.api.query import Query
from results.documents.prices import Tier
from results.metrics import Direction
from results.models import Point, Recipe
from results.queries.filters import FIELDS
from results.queries.frontier import SCENARIO
from results.queries.plane import GROUPINGS
from results.queries.prices import shipped_prices

#: Values of one parameter.
_MOST = 50


def _several(child: serializers.Field[Any, Any, Any, Any], help_text: str) -> serializers.ListField:
    return serializers.ListField(child=child, required=False, max_length=_MOST, help_text=help_text)


def _one_of(values: tuple[str, ...]) -> serializers.ChoiceField:
    """A choice that says what is allowed."""
    message = "{input} is not allowed; allowed: " + ", ".join(values)
    return serializers.ChoiceField(
        [(value, value) for value in values], error_messages={"invalid_choice": message}
    )


def _texts(help_text: str) -> serializers.ListField:
    return _several(serializers.CharField(max_length=128), help_text)


class FrontierQuery(Query):
    """Every parameter may be repeated. Several values of one narrow to any of them."""

    model = _texts("catalogue names; default the one published last")
    scenario = _several(
        serializers.RegexField(
            SCENARIO,
            error_messages={"invalid": "allowed: agentic, a corpus, or input/output tokens as 8192/1024"},
        ),
        "agentic, a corpus, or ISL/OSL in tokens such as 8192/1024; default the one published last",
    )
    validity = _several(
        _one_of(("auto", "valid", "diagnostic", "invalid", "failed", "all")),
        "auto is valid, or diagnostic where nothing is valid",
    )
    builds = _several(
        _one_of(("newest", "all")), "of what several builds of a configuration measured, newest or all"
    )
    x = _several(_one_of(AXES), "a family such as ttft, or a key of the registry such as ttft_p90")
    y = _several(_one_of(AXES), "as x; also derived metrics such as cost_per_million_total_tokens")
    percentile = _several(_one_of(PERCENTILES), "at which a family is read")
    group_by = _several(_one_of(GROUPINGS), "what the points of one frontier share")
    as_of = _several(serializers.DateField(), "a UTC day: what was published at its end")
    price_version = _several(
        _one_of(tuple(table.version for table in shipped_prices().tables)),
        "price table; default the one in force on the day",
    )
    tier = _several(_one_of(tuple(tier.value for tier in Tier)), "who is paid")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The filters of Explore besides, under the same names."""
        return {**super().get_fields(), **{name: _texts("any of these") for name in FIELDS}}


class AxisRead(serializers.Serializer[Any]):
    """A metric as an axis."""

    metric = serializers.CharField()
    unit = serializers.CharField()
    direction = serializers.ChoiceField([way.value for way in Direction], help_text="which way is better")


class PlanePointRead(serializers.Serializer[Any]):
    """One point with both numbers. Times are UTC."""

    id = serializers.IntegerField()
    x = serializers.FloatField()
    y = serializers.FloatField()
    on_frontier = serializers.BooleanField()
    on_canonical_frontier = serializers.BooleanField(
        allow_null=True, help_text="by the AgentX rule; null where it does not apply"
    )
    group = serializers.DictField(
        child=serializers.CharField(), help_text="`key`, and the value of each field grouped by"
    )
    model = serializers.CharField()
    scenario = serializers.CharField()
    hardware = serializers.CharField()
    vendor = serializers.CharField()
    engine = serializers.CharField()
    engine_version = serializers.CharField(allow_blank=True)
    precision = serializers.CharField()
    deployment = serializers.ChoiceField(["single", "multi", "disaggregated"])
    speculative = serializers.CharField(help_text="method, or none")
    offload = serializers.CharField(help_text="KV offload, or none")
    accuracy = serializers.ChoiceField(Recipe.Accuracy.choices)
    label = serializers.CharField()  # type: ignore[assignment]
    gpus = serializers.IntegerField()
    parallel = serializers.CharField(help_text="parallelism, as in TP8 or 4xDEP8+1xTEP16")
    load = serializers.IntegerField()
    validity = serializers.ChoiceField(Point.Validity.choices)
    measured_at = serializers.DateTimeField()
    run = serializers.UUIDField()
    recipe = serializers.CharField(help_text="fingerprint")


class VersionsRead(serializers.Serializer[Any]):
    """What the numbers depend on besides the question."""

    newest_point_at = serializers.DateTimeField(allow_null=True)
    newest_point = serializers.IntegerField(allow_null=True)
    rules = serializers.ListField(child=serializers.CharField())
    prices = serializers.CharField(allow_null=True, help_text="null when no price had a part in the numbers")
    tier = serializers.CharField(allow_null=True)


class PlaneRead(serializers.Serializer[Any]):
    """All points of one plane, and which of them win in their group."""

    x = AxisRead()
    y = AxisRead()
    group_by = serializers.ListField(child=serializers.CharField())
    models = serializers.ListField(child=serializers.CharField())
    scenarios = serializers.ListField(child=serializers.CharField())
    validity = serializers.CharField()
    as_of = serializers.DateField(allow_null=True)
    points = PlanePointRead(many=True, help_text="best y first")
    frontier = serializers.ListField(child=serializers.IntegerField(), help_text="ids of points")
    canonical_frontier = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="null where the AgentX rule does not apply",
    )
    dropped = serializers.DictField(
        child=serializers.IntegerField(), help_text="points that can win nothing, by reason"
    )
    versions = VersionsRead()


class FrontierRead(PlaneRead):
    """The first plane; with several of x, y, percentile, as_of, price_version or tier all of them."""

    planes = PlaneRead(many=True, required=False)

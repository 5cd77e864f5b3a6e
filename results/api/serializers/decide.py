"""What the addresses take and answer that compare and decide; the numbers come from results.queries."""

from typing import Any

from rest_framework import serializers

from results.analysis.gains.guards import Outcome
from results.analysis.side_by_side import Word
from results.api.query import Query
from results.documents.prices import Tier
from results.metrics import METRICS, Direction
from results.queries.compare import X, Y
from results.queries.sides import BUILDS
from results.queries.slo import KINDS, PERCENTILES

DIRECTED = [(key, key) for key, metric in METRICS.items() if metric.direction is not Direction.NEUTRAL]
_TIERS = [(tier.value, tier.value) for tier in Tier]


def _names(help_text: str) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.CharField(max_length=128), required=False, max_length=20, help_text=help_text
    )


class PlaceQuery(Query):
    model = serializers.CharField(max_length=128, required=False, help_text="catalogue name")
    scenario = serializers.CharField(
        max_length=64, required=False, help_text="corpus, or ISL/OSL in tokens such as 8192/1024"
    )
    prices = serializers.CharField(max_length=32, required=False, help_text="price table; default the newest")
    tier = serializers.ChoiceField(_TIERS, default=Tier.RENTAL.value, help_text="who is paid")


class CompareQuery(PlaceQuery):
    """Two to twenty sides. The first one is what the others are compared with."""

    run = serializers.ListField(child=serializers.UUIDField(), required=False, max_length=20)
    recipe = serializers.ListField(
        child=serializers.RegexField(r"^[0-9a-f]{8,64}$"), required=False, max_length=20,
        help_text="fingerprint, or its first 8 to 64 digits",
    )  # fmt: skip
    hardware = _names("everything published for this hardware")
    engine = _names("everything published for this engine")
    precision = serializers.CharField(
        max_length=128, required=False, help_text="of hardware and engines; all takes every one"
    )
    builds = serializers.ChoiceField(
        BUILDS, default=BUILDS[0],
        help_text="of hardware and engines: what the newest build of each configuration measured, or all",
    )  # fmt: skip
    as_of = serializers.DateField(
        required=False, help_text="a UTC day: what was published at its end, at the prices of that day"
    )
    x = serializers.ChoiceField(DIRECTED, default=X, help_text="held equal")
    y = serializers.ChoiceField(DIRECTED, default=Y, help_text="compared")
    at = serializers.ListField(
        child=serializers.FloatField(min_value=1e-9, max_value=1e12), required=False, max_length=20,
        help_text="values of x",
    )  # fmt: skip
    load = serializers.IntegerField(min_value=1, max_value=10**9, required=False)


class SloQuery(PlaceQuery):
    """Limits that are left out ask nothing."""

    ttft = serializers.FloatField(min_value=1e-9, max_value=1e9, required=False, help_text="s, at most")
    speed = serializers.FloatField(
        min_value=1e-9, max_value=1e9, required=False, help_text="tok/s/user, at least"
    )
    budget = serializers.FloatField(
        min_value=1e-9, max_value=1e12, required=False, help_text="USD/h, at most"
    )
    power = serializers.FloatField(min_value=1e-9, max_value=1e12, required=False, help_text="kW, at most")
    percentile = serializers.ChoiceField(PERCENTILES, default="p90", help_text="of TTFT and speed")
    kind = serializers.ChoiceField(KINDS, default="total", help_text="which tokens are counted and paid")
    precision = _names("only these")


class ComparedRead(serializers.Serializer[Any]):
    """`ratio` is value / first side's value; null where `reason` says why."""

    value = serializers.FloatField(allow_null=True)
    ratio = serializers.FloatField(allow_null=True)
    word = serializers.ChoiceField([word.value for word in Word], allow_null=True)
    reason = serializers.CharField(allow_null=True)


class KnotRead(serializers.Serializer[Any]):
    x = serializers.FloatField()
    y = serializers.FloatField()
    load = serializers.IntegerField()
    points = serializers.ListField(child=serializers.IntegerField())


class SideRead(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(["run", "recipe", "hardware", "engine"])
    key = serializers.CharField()
    name = serializers.CharField()
    recipes = serializers.ListField(child=serializers.CharField(), help_text="fingerprints")
    points = serializers.IntegerField()
    validity = serializers.CharField(allow_null=True, help_text="of the points that count")
    frontier = KnotRead(many=True)
    dropped = serializers.DictField(child=serializers.IntegerField(), help_text="points by reason")


class IdentityRead(serializers.Serializer[Any]):
    key = serializers.CharField()
    values = serializers.ListField(child=serializers.CharField())


class CheckRead(serializers.Serializer[Any]):
    outcome = serializers.ChoiceField([outcome.value for outcome in Outcome])
    stops = serializers.BooleanField(help_text="would block a verdict")
    warns = serializers.BooleanField()
    baseline = serializers.CharField(allow_null=True)
    candidate = serializers.CharField(allow_null=True)
    loads = serializers.ListField(child=serializers.IntegerField())


class ConditionRead(serializers.Serializer[Any]):
    condition = serializers.CharField()
    checks = CheckRead(many=True, help_text="each side after the first")


class MetricRowRead(serializers.Serializer[Any]):
    key = serializers.CharField()
    unit = serializers.CharField()
    direction = serializers.ChoiceField([way.value for way in Direction])
    cells = ComparedRead(many=True)


class LoadsRead(serializers.Serializer[Any]):
    shared = serializers.ListField(child=serializers.IntegerField())
    partial = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.IntegerField()), help_text="places of the sides by load"
    )


class IsoEntryRead(serializers.Serializer[Any]):
    """`error` is the median leave-one-out error of the line; null for measured values."""

    value = serializers.FloatField(allow_null=True)
    outside = serializers.CharField(allow_null=True, help_text="why there is no value")
    measured = serializers.BooleanField()
    error = serializers.FloatField(allow_null=True)
    points = serializers.ListField(child=serializers.IntegerField(), help_text="evidence")
    ratio = serializers.FloatField(allow_null=True)
    word = serializers.ChoiceField([word.value for word in Word], allow_null=True)
    costs = serializers.DictField(child=serializers.FloatField(), help_text="derived metrics there")


class IsoRowRead(serializers.Serializer[Any]):
    x = serializers.FloatField()
    entries = IsoEntryRead(many=True)


class PriceVersionRead(serializers.Serializer[Any]):
    prices = serializers.CharField(allow_null=True)
    tier = serializers.CharField()


class ComparisonSidesRead(serializers.Serializer[Any]):
    """Plain ratios to the first side, no verdict. Lists of cells and entries follow `sides`."""

    x = serializers.CharField()
    y = serializers.CharField()
    as_of = serializers.DateField(allow_null=True)
    builds = serializers.ChoiceField(BUILDS)
    sides = SideRead(many=True)
    identity = IdentityRead(many=True, help_text="keys of the recipes that are not equal")
    conditions = ConditionRead(many=True)
    load = serializers.IntegerField(allow_null=True, help_text="of `metrics`")
    loads = LoadsRead()
    metrics = MetricRowRead(many=True)
    one_side_only = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="places of the sides by metric",
    )
    iso = IsoRowRead(many=True)
    common_range = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    mean_over_common_range = ComparedRead(many=True)
    versions = PriceVersionRead()


class OfferRead(serializers.Serializer[Any]):
    """`deployments` equal copies; `throughput`, `dollars_per_hour` and `kilowatts` are for all of them."""

    rank = serializers.IntegerField()
    point = serializers.IntegerField()
    run = serializers.UUIDField()
    recipe = serializers.CharField(help_text="fingerprint")
    hardware = serializers.CharField()
    engine = serializers.CharField()
    label = serializers.CharField(help_text="parallelism")  # type: ignore[assignment]
    gpus = serializers.IntegerField()
    load = serializers.IntegerField()
    ttft = serializers.FloatField(allow_null=True)
    speed = serializers.FloatField(allow_null=True)
    deployments = serializers.IntegerField()
    throughput = serializers.FloatField(help_text="tok/s")
    dollars_per_hour = serializers.FloatField(allow_null=True)
    kilowatts = serializers.FloatField(allow_null=True)
    cost_per_million_tokens = serializers.FloatField(allow_null=True)


class SloRead(serializers.Serializer[Any]):
    """Offers, best first, one per configuration. `met` false: no measured configuration meets this."""

    met = serializers.BooleanField()
    model = serializers.CharField(allow_null=True)
    scenario = serializers.CharField(allow_null=True)
    percentile = serializers.CharField()
    points = serializers.IntegerField(help_text="published points that were looked at")
    diagnostic = serializers.BooleanField(help_text="no valid point exists, diagnostic ones stand in")
    offers = OfferRead(many=True)
    behind = serializers.IntegerField(help_text="points behind a better one of their configuration")
    misses = serializers.DictField(child=serializers.IntegerField(), help_text="points by reason")
    versions = PriceVersionRead()

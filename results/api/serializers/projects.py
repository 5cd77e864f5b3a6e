from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from results.api.query import Query
from results.models import PullRequest


class LanguageQuery(Query):
    language = serializers.ChoiceField(["en", "zh-hans"], default="en", help_text="of names and texts")


class PullQuery(LanguageQuery):
    project = serializers.SlugField(max_length=64, required=False, trim_whitespace=False)
    status = serializers.ChoiceField(PullRequest.Status.choices, required=False)
    kind = serializers.ChoiceField(PullRequest.Kind.choices, required=False)


class ClaimRead(serializers.Serializer[Any]):
    """What the author states, in his words; nothing of it was measured here."""

    id = serializers.IntegerField()
    metric = serializers.CharField()
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)
    change = serializers.CharField(allow_blank=True)
    unit = serializers.CharField(allow_blank=True)
    setup = serializers.CharField(allow_blank=True)
    source_url = serializers.URLField()
    metric_key = serializers.CharField(allow_null=True, help_text="registered metric that it is about")


class PullRead(serializers.Serializer[Any]):
    repository = serializers.CharField()
    number = serializers.IntegerField()
    url = serializers.URLField(help_text="on GitHub")
    project = serializers.CharField()
    topic = serializers.CharField()
    kind = serializers.ChoiceField(PullRequest.Kind.choices)
    title = serializers.CharField()
    status = serializers.ChoiceField(PullRequest.Status.choices)
    status_as_of = serializers.DateField()
    status_source = serializers.CharField()
    landed_on = serializers.CharField(allow_blank=True, help_text="branch of a merge beside the default one")
    opened_on = serializers.DateField(allow_null=True)
    merged_on = serializers.DateField(allow_null=True)
    grade = serializers.CharField(help_text="relation to AgentX")
    listed_by = serializers.CharField(allow_blank=True)
    added_later = serializers.BooleanField()
    source_url = serializers.URLField()
    note = serializers.CharField(allow_blank=True)
    claims = ClaimRead(many=True)
    measured = serializers.IntegerField(help_text="comparisons of ours that stand")


class ProjectRead(serializers.Serializer[Any]):
    """`statuses` counts pull requests by status."""

    slug = serializers.SlugField()
    name = serializers.CharField()
    layer = serializers.CharField()
    repository = serializers.CharField()
    added_later = serializers.BooleanField()
    summary = serializers.CharField(allow_blank=True)
    pulls = serializers.IntegerField()
    statuses = serializers.DictField(child=serializers.IntegerField())
    claimed = serializers.IntegerField(help_text="pull requests with a claim")
    measured = serializers.IntegerField(help_text="pull requests with evidence that stands")


class TopicRead(serializers.Serializer[Any]):
    slug = serializers.SlugField()
    name = serializers.CharField()
    layer = serializers.CharField()
    text = serializers.CharField(allow_blank=True)
    pulls = PullRead(many=True)


class ProjectDetailRead(ProjectRead):
    topics = TopicRead(many=True)


@extend_schema_serializer(many=False)
class ProjectList(serializers.Serializer[Any]):
    results = ProjectRead(many=True)


@extend_schema_serializer(many=False)
class PullList(serializers.Serializer[Any]):
    results = PullRead(many=True)

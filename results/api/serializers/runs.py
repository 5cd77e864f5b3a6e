"""Runs and attempts as the API shows them. What is submitted is results.documents.run.RunDocument."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from results.api.query import PageQuery
from results.api.serializers.pull_runs import PullRunRead
from results.documents.failures import FailureClass
from results.models import Scenario, State

_Fields = dict[str, serializers.Field[Any, Any, Any, Any]]


class RunQuery(PageQuery):
    state = serializers.ChoiceField(State.choices, required=False)
    label = serializers.CharField(max_length=64, required=False)  # type: ignore[assignment]
    engine = serializers.CharField(max_length=64, required=False, help_text="catalogue name")
    hardware = serializers.CharField(max_length=64, required=False, help_text="catalogue name")


class FailureRead(serializers.Serializer[Any]):
    """Why a run or an attempt failed."""

    line = serializers.CharField(help_text="first causal log line")

    def get_fields(self) -> _Fields:
        # "class" is no name that Python lets a class body use.
        named: _Fields = {"class": serializers.ChoiceField([item.value for item in FailureClass])}
        return named | super().get_fields()


class ScenarioRead(serializers.ModelSerializer[Scenario]):
    """Lengths in tokens; a field that does not apply to the kind is null."""

    class Meta:
        model = Scenario
        fields = ["kind", "corpus", "version", "context_cap", "isl", "osl"]


class ArtifactRead(serializers.Serializer[Any]):
    """A stored file of one attempt."""

    attempt = serializers.IntegerField(source="attempt.number")
    path = serializers.CharField(help_text="name inside the bundle")
    load = serializers.IntegerField(allow_null=True)
    sha256 = serializers.CharField(source="artifact_id")
    size = serializers.IntegerField(source="artifact.size", help_text="bytes")
    media_type = serializers.CharField(source="artifact.media_type")
    url = serializers.HyperlinkedIdentityField(
        view_name="api:artifact", lookup_field="artifact_id", lookup_url_kwarg="sha256"
    )


class PhaseRead(serializers.Serializer[Any]):
    name = serializers.CharField()
    load = serializers.IntegerField(allow_null=True)
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class AttemptRead(serializers.Serializer[Any]):
    """``number`` is the fencing token; ``progress`` is in [0, 1]."""

    number = serializers.IntegerField(source="row.number")
    state = serializers.ChoiceField(State.choices, source="row.state")
    host = serializers.CharField(source="row.host.name", default=None, allow_null=True)
    phase = serializers.CharField(allow_blank=True, source="row.phase")
    phase_load = serializers.IntegerField(allow_null=True, source="row.phase_load")
    progress = serializers.FloatField(allow_null=True, source="row.progress")
    eta_seconds = serializers.FloatField(allow_null=True, source="row.eta_seconds")
    telemetry = serializers.DictField(source="row.telemetry")
    log_tail = serializers.CharField(allow_blank=True, source="row.log_tail")
    phases = PhaseRead(many=True, source="row.phases")
    created_at = serializers.DateTimeField(source="row.created_at")
    claimed_at = serializers.DateTimeField(allow_null=True, source="row.claimed_at")
    heartbeat_at = serializers.DateTimeField(allow_null=True, source="row.heartbeat_at")
    ended_at = serializers.DateTimeField(allow_null=True, source="row.ended_at")
    failure = FailureRead(allow_null=True)


class RunSummary(serializers.Serializer[Any]):
    """One line of a list; phase, progress and host are those of the newest attempt."""

    id = serializers.UUIDField(source="run.id")
    url = serializers.HyperlinkedIdentityField(
        view_name="api:run", lookup_field="id", lookup_url_kwarg="run_id"
    )
    label = serializers.CharField(source="run.label")  # type: ignore[assignment]
    block = serializers.IntegerField(source="run.block", allow_null=True)
    state = serializers.ChoiceField(State.choices, source="run.state")
    cancel_requested = serializers.BooleanField()
    phase = serializers.CharField(source="newest.phase", allow_blank=True)
    phase_load = serializers.IntegerField(source="newest.phase_load", allow_null=True)
    progress = serializers.FloatField(source="newest.progress", allow_null=True)
    eta_seconds = serializers.FloatField(source="newest.eta_seconds", allow_null=True)
    failure = FailureRead(allow_null=True)
    recipe = serializers.CharField(source="run.recipe.fingerprint", help_text="fingerprint")
    hardware = serializers.CharField(source="run.recipe.hardware.slug")
    gpu_count = serializers.IntegerField(source="run.recipe.gpu_count")
    engine = serializers.CharField(source="run.recipe.engine.slug")
    engine_version = serializers.CharField(source="run.recipe.engine_version")
    model = serializers.CharField(source="run.recipe.language_model.slug")
    precision = serializers.CharField(source="run.recipe.precision")
    scenario = ScenarioRead(source="run.scenario")
    loads = serializers.ListField(child=serializers.IntegerField(), source="run.loads")
    host = serializers.CharField(source="newest.host.name", default=None, allow_null=True)
    attempt_count = serializers.IntegerField()
    point_count = serializers.IntegerField()
    created_at = serializers.DateTimeField(source="run.created_at")
    started_at = serializers.DateTimeField(source="run.started_at", allow_null=True)
    ended_at = serializers.DateTimeField(source="run.ended_at", allow_null=True)


class RunRead(RunSummary):
    document = serializers.DictField(
        source="run.document", help_text="as accepted, with every engine argument spelled out"
    )
    pull_request = PullRunRead(allow_null=True, help_text="null if it was submitted for none")
    attempts = AttemptRead(many=True)
    artifacts = ArtifactRead(many=True)


@extend_schema_serializer(many=False)
class RunPage(serializers.Serializer[Any]):
    """``next`` is the address of the next page, null on the last."""

    next = serializers.URLField(allow_null=True)
    results = RunSummary(many=True)

from typing import Any

from rest_framework import serializers

from results.models import PullRequestRun, State
from results.queries.pull_runs import TEXTS


class PullRunRead(serializers.Serializer[Any]):
    """A run that was submitted for a pull request: its baseline by rule, or why there is none."""

    run = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]
    state = serializers.ChoiceField(State.choices)
    created_at = serializers.DateTimeField()
    repository = serializers.CharField()
    number = serializers.IntegerField()
    commit = serializers.CharField(help_text="as the submitter states it")
    merge_base = serializers.CharField(allow_blank=True, help_text="empty while unknown")
    merge_base_source = serializers.CharField(allow_blank=True, help_text="stated with the run, or github")
    outcome = serializers.ChoiceField(PullRequestRun.Outcome.choices)
    why = serializers.ChoiceField(sorted(TEXTS), help_text="why there is no comparison; empty with one")
    reason = serializers.CharField(allow_blank=True, help_text="the same as a sentence")
    trouble = serializers.CharField(allow_blank=True, help_text="why GitHub did not say the merge base")
    comparison = serializers.UUIDField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)

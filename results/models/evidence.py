"""Evidence: a comparison of two recipes, and the upstream work that it speaks about."""

import uuid

from django.db import models
from django.db.models import Q

from results.models.access import ApiToken
from results.models.catalog import Scenario
from results.models.house import AaSchedule
from results.models.recipes import Recipe
from results.models.runs import Run
from results.models.upstream import Optimization, PullRequest


class Comparison(models.Model):
    """Baseline against candidate in interleaved blocks, by a plan that was declared before running.

    ``plan`` is the declared document, ``verdict`` what the analysis concluded; ``reasons`` say why a
    comparison was withdrawn or cannot be made. ``schedule`` started it, when nobody submitted it.
    """

    class State(models.TextChoices):
        RUNNING = "running"
        CONCLUDED = "concluded"
        FAILED = "failed"
        WITHDRAWN = "withdrawn"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(max_length=200)
    baseline = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="baseline_of")
    candidate = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="candidate_of")
    scenario = models.ForeignKey(Scenario, on_delete=models.PROTECT, related_name="comparisons")
    plan = models.JSONField()
    declared_before_running = models.BooleanField()
    extended = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State)
    verdict = models.JSONField(null=True)
    algorithm_version = models.CharField(max_length=32, blank=True)
    reasons = models.JSONField(default=list)
    submitted_by = models.ForeignKey(
        ApiToken, null=True, on_delete=models.PROTECT, related_name="comparisons"
    )
    schedule = models.ForeignKey(AaSchedule, null=True, on_delete=models.SET_NULL, related_name="comparisons")
    created_at = models.DateTimeField()
    concluded_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["running", "concluded", "failed", "withdrawn"]),
                name="comparison_state",
            ),
            models.CheckConstraint(
                condition=~Q(state="concluded") | Q(verdict__isnull=False, concluded_at__isnull=False),
                name="comparison_concluded_has_verdict",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class ComparisonRun(models.Model):
    """One run of a comparison: its block, its arm, and its place in the declared order."""

    class Arm(models.TextChoices):
        BASELINE = "A"
        CANDIDATE = "B"

    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="members")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="comparisons")
    block = models.PositiveIntegerField()
    arm = models.CharField(max_length=1, choices=Arm)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["comparison", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["comparison", "block", "arm"], name="comparison_block_arm_unique"
            ),
            models.UniqueConstraint(fields=["comparison", "run"], name="comparison_run_unique"),
            models.CheckConstraint(condition=Q(arm__in=["A", "B"]), name="comparison_run_arm"),
        ]

    def __str__(self) -> str:
        return f"{self.block}{self.arm}"


class Evidence(models.Model):
    """A comparison attached to a pull request or an optimization; exactly one of the two."""

    comparison = models.ForeignKey(Comparison, on_delete=models.PROTECT, related_name="evidence")
    pull_request = models.ForeignKey(
        PullRequest, null=True, on_delete=models.PROTECT, related_name="evidence"
    )
    optimization = models.ForeignKey(
        Optimization, null=True, on_delete=models.PROTECT, related_name="evidence"
    )
    note = models.TextField(blank=True)
    created_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "evidence"
        constraints = [
            models.CheckConstraint(
                condition=Q(pull_request__isnull=True) ^ Q(optimization__isnull=True),
                name="evidence_one_subject",
            ),
            models.UniqueConstraint(
                fields=["comparison", "pull_request", "optimization"],
                nulls_distinct=False,
                name="evidence_unique",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | ~Q(withdrawn_reason=""),
                name="evidence_withdrawn_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return str(self.comparison)

"""Accuracy scores and the thresholds that make them pass; changelog entries; job reliability."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from results.models.catalog import Hardware
from results.models.ingestion import ResultFile
from results.models.recipes import Recipe


class Evaluation(models.Model):
    """One score of one configuration; ``config`` is the normalised partial recipe that the source states.

    ``score`` and ``score_se`` are fractions, ``samples`` a count. ``file`` and ``pointer`` say where it was
    read, ``files`` are all files that state it.
    """

    file = models.ForeignKey(ResultFile, on_delete=models.PROTECT, related_name="evaluations")
    files = models.ManyToManyField(ResultFile, related_name="stated_evaluations")
    pointer = models.CharField(max_length=512)
    config = models.JSONField()
    config_digest = models.CharField(max_length=64)
    recipes = models.ManyToManyField(Recipe, related_name="evaluations")
    task = models.CharField(max_length=128)
    metric = models.CharField(max_length=64)
    score = models.FloatField()
    score_se = models.FloatField(null=True)
    samples = models.PositiveIntegerField(null=True)
    isl = models.PositiveIntegerField(null=True)
    osl = models.PositiveIntegerField(null=True)
    load = models.PositiveIntegerField(null=True)
    source_run = models.CharField(max_length=256, blank=True)
    measured_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-measured_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["config_digest", "task", "metric", "isl", "osl", "load", "source_run",
                        "measured_at", "score"],
                nulls_distinct=False,
                name="evaluation_unique",
            ),
            models.CheckConstraint(condition=Q(score__gte=0, score__lte=1), name="evaluation_score_fraction"),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.task} {self.metric} {self.score}"


class AccuracyGate(models.Model):
    """Least score of a task and metric; for one model and precision, or for all where they are empty."""

    task = models.CharField(max_length=128)
    metric = models.CharField(max_length=64)
    model = models.CharField(max_length=128, blank=True)
    precision = models.CharField(max_length=128, blank=True)
    minimum = models.FloatField()
    source = models.CharField(max_length=512)

    class Meta:
        ordering = ["task", "metric", "model", "precision"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "metric", "model", "precision"], name="accuracy_gate_unique"
            ),
            models.CheckConstraint(
                condition=Q(minimum__gte=0, minimum__lte=1), name="accuracy_gate_is_fraction"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task} {self.metric} >= {self.minimum}"


class ChangelogEntry(models.Model):
    """What a performance changelog says was changed, and in which pull request."""

    file = models.ForeignKey(ResultFile, on_delete=models.PROTECT, related_name="changes")
    files = models.ManyToManyField(ResultFile, related_name="stated_changes")
    pointer = models.CharField(max_length=512)
    digest = models.CharField(max_length=64, unique=True)
    config_keys = ArrayField(models.CharField(max_length=256))
    description = models.TextField(blank=True)
    pull_request = models.CharField(max_length=512, blank=True)
    base_ref = models.CharField(max_length=256, blank=True)
    head_ref = models.CharField(max_length=256, blank=True)
    source_run = models.CharField(max_length=256, blank=True)
    changed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-changed_at", "-id"]

    def __str__(self) -> str:
        return ", ".join(self.config_keys)


class ReliabilityCount(models.Model):
    """Succeeded and all jobs of one hardware on one day or in one run."""

    file = models.ForeignKey(ResultFile, on_delete=models.PROTECT, related_name="reliability")
    files = models.ManyToManyField(ResultFile, related_name="stated_reliability")
    hardware = models.ForeignKey(Hardware, on_delete=models.PROTECT, related_name="reliability")
    day = models.DateTimeField(null=True)
    source_run = models.CharField(max_length=256, blank=True)
    succeeded = models.PositiveIntegerField()
    total = models.PositiveIntegerField()

    class Meta:
        ordering = ["-day", "hardware_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["hardware", "day", "source_run", "succeeded", "total"],
                nulls_distinct=False,
                name="reliability_unique",
            ),
            models.CheckConstraint(
                condition=Q(succeeded__lte=models.F("total")), name="reliability_succeeded_of_total"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.succeeded}/{self.total}"

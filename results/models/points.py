"""Points: what one run measured at one load."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from results.metrics import METRICS
from results.models.runs import Attempt, Run


def _finite(key: str) -> models.CheckConstraint:
    # PostgreSQL sorts NaN above Infinity, so one upper bound keeps both out.
    return models.CheckConstraint(
        condition=Q(**{f"{key}__isnull": True}) | Q(**{f"{key}__gte": 0, f"{key}__lt": float("inf")}),
        name=f"point_{key}_finite",
    )


class Point(models.Model):
    """One column per registered metric (see results.metrics); absent is NULL, never zero.

    A point that was executed here belongs to an attempt. An imported one has a ``digest`` of its values
    instead: the same numbers again are the same point, other numbers another observation. Of the
    observations of one run and load one is ``current``: valid before diagnostic before others, then newest.
    """

    class Validity(models.TextChoices):
        VALID = "valid"
        DIAGNOSTIC = "diagnostic"
        INVALID = "invalid"
        FAILED = "failed"

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="points")
    attempt = models.ForeignKey(Attempt, null=True, on_delete=models.PROTECT, related_name="points")
    digest = models.CharField(max_length=64, null=True)
    measured_at = models.DateTimeField(null=True)
    current = models.BooleanField(default=True, db_default=True)
    load = models.PositiveIntegerField()
    validity = models.CharField(max_length=10, choices=Validity)
    reasons = ArrayField(models.CharField(max_length=64), default=list)
    rules_version = models.CharField(max_length=32)
    parser_version = models.CharField(max_length=32)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    planned_window_seconds = models.FloatField(null=True)
    extra = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["-created_at", "-id"], name="point_newest")]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "load"], name="point_per_attempt_and_load"),
            models.UniqueConstraint(fields=["run", "load", "digest"], name="point_per_run_load_and_digest"),
            models.CheckConstraint(
                condition=Q(attempt__isnull=True) ^ Q(digest__isnull=True), name="point_attempt_xor_digest"
            ),
            models.CheckConstraint(condition=Q(load__gte=1), name="point_load_positive"),
            models.CheckConstraint(
                condition=Q(validity__in=["valid", "diagnostic", "invalid", "failed"]),
                name="point_validity",
            ),
            models.CheckConstraint(
                condition=Q(validity="valid") | ~Q(reasons=[]), name="point_not_valid_has_reason"
            ),
            *(_finite(key) for key in METRICS),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} at load {self.load}"

    def value(self, key: str) -> float | None:
        """The metric's value in its registered unit; None when it was not measured."""
        value: Any = getattr(self, METRICS[key].key)
        return None if value is None else float(value)


for _key in METRICS:
    Point.add_to_class(_key, models.FloatField(null=True))

"""What the house does by itself: its recurring duties, and A/A comparisons on a schedule."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

from results.models.fleet import Host


class Duty(models.Model):
    """The last round of one recurring duty. ``outcome`` is one line; ``trouble`` why it went wrong."""

    class Name(models.TextChoices):
        SWEEP = "sweep"
        GITHUB = "github"

    name = models.CharField(max_length=16, primary_key=True, choices=Name)
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=512, blank=True)
    trouble = models.CharField(max_length=512, blank=True)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "duties"
        constraints = [
            models.CheckConstraint(condition=Q(name__in=["sweep", "github"]), name="duty_name"),
        ]

    def __str__(self) -> str:
        return self.name


class AaSchedule(models.Model):
    """The same recipe against itself on one host, every so many days: how noisy is that host?

    ``plan`` is a comparison plan with equal arms; each comparison draws another order and other requests.
    ``problem`` says why the last attempt to start one failed, at ``tried_at``.
    """

    name = models.CharField(max_length=64, unique=True)
    host = models.ForeignKey(Host, on_delete=models.PROTECT, related_name="aa_schedules")
    plan = models.JSONField()
    every_days = models.PositiveIntegerField()
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    tried_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=512, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(every_days__gte=1, every_days__lte=365), name="aa_every_days"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def due_at(self) -> datetime:
        """When the next comparison starts at the earliest."""
        if self.started_at is None:
            return self.created_at
        return self.started_at + timedelta(days=self.every_days)

"""Runs and their attempts. Only results.services writes their state."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from results.models.access import ApiToken
from results.models.catalog import Scenario
from results.models.fleet import Host
from results.models.recipes import Recipe


class State(models.TextChoices):
    QUEUED = "queued"
    CLAIMED = "claimed"
    RUNNING = "running"
    UPLOADING = "uploading"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


#: States in which a host holds the attempt.
HELD = (State.CLAIMED, State.RUNNING, State.UPLOADING)
LIVE = (State.QUEUED, *HELD)
FINAL = (State.SUCCEEDED, State.FAILED, State.CANCELLED)


class Origin(models.TextChoices):
    EXECUTED = "executed"
    IMPORTED = "imported"


class Run(models.Model):
    """One server launch that measures an ordered list of loads: the unit of replication.

    An imported run groups what foreign files say of one recipe in one ``source_run`` (the run that
    measured; ``published_run`` is the one that published). Its id derives from recipe, scenario and
    source, so that the order of files never matters; it has no document and no attempt of ours.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    label = models.CharField(max_length=64)
    block = models.PositiveIntegerField(null=True)
    recipe = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="runs")
    scenario = models.ForeignKey(Scenario, on_delete=models.PROTECT, related_name="runs")
    loads = ArrayField(models.PositiveIntegerField())
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.EXECUTED)
    source_run = models.CharField(max_length=256, blank=True)
    published_run = models.CharField(max_length=256, blank=True)
    measured_at = models.DateTimeField(null=True)
    document = models.JSONField(null=True)
    hard_limit_seconds = models.PositiveIntegerField(null=True)
    host = models.ForeignKey(Host, null=True, on_delete=models.PROTECT, related_name="wanted_runs")
    submitted_by = models.ForeignKey(ApiToken, null=True, on_delete=models.PROTECT, related_name="runs")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    cancel_requested_at = models.DateTimeField(null=True)
    failure_class = models.CharField(max_length=32, blank=True)
    failure_line = models.TextField(blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="run_newest"),
            models.Index(fields=["created_at"], condition=Q(state="queued"), name="run_queued"),
            # Pages ask at every look which runs still measure, and how many there are in a scope.
            models.Index(fields=["state"], condition=Q(state__in=[*LIVE]), name="run_live"),
            models.Index(
                fields=["recipe"], condition=Q(state__in=["failed", "cancelled"]), name="run_given_up"
            ),
            models.Index(fields=["scenario", "recipe"], name="run_scope"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=State.values), name="run_state"),
            models.CheckConstraint(condition=Q(origin__in=Origin.values), name="run_origin"),
            models.CheckConstraint(
                condition=Q(origin="imported", state="succeeded", document__isnull=True)
                | Q(origin="executed", document__isnull=False, hard_limit_seconds__isnull=False),
                name="run_executed_has_document",
            ),
            models.CheckConstraint(
                condition=Q(origin="imported")
                | Q(state__in=[*FINAL], ended_at__isnull=False)
                | Q(state__in=[*LIVE], ended_at__isnull=True),
                name="run_ended_iff_final",
            ),
            models.CheckConstraint(
                condition=~Q(state="failed") | ~Q(failure_class=""), name="run_failure_has_class"
            ),
            models.CheckConstraint(condition=Q(hard_limit_seconds__gt=0), name="run_limit_positive"),
            models.CheckConstraint(condition=Q(loads__len__gt=0), name="run_loads_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.label} {self.id}"


class Attempt(models.Model):
    """One try to execute a run on a host; ``number`` is the fencing token."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="attempts")
    number = models.PositiveIntegerField()
    host = models.ForeignKey(Host, null=True, on_delete=models.PROTECT, related_name="attempts")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    phase = models.CharField(max_length=16, blank=True)
    phase_load = models.PositiveIntegerField(null=True)
    progress = models.FloatField(null=True)
    eta_seconds = models.FloatField(null=True)
    telemetry = models.JSONField(default=dict)
    log_tail = models.TextField(blank=True)
    phases = models.JSONField(default=list)
    lease_expires_at = models.DateTimeField(null=True)
    deadline_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    failure_class = models.CharField(max_length=32, blank=True)
    failure_line = models.TextField(blank=True)
    created_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["run_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="attempt_number_unique"),
            models.UniqueConstraint(
                fields=["run"], condition=Q(state__in=[*LIVE]), name="one_live_attempt_per_run"
            ),
            # Two measurements on one host would measure each other.
            models.UniqueConstraint(
                fields=["host"], condition=Q(state__in=[*HELD]), name="one_held_attempt_per_host"
            ),
            models.CheckConstraint(condition=Q(state__in=State.values), name="attempt_state"),
            models.CheckConstraint(
                condition=~Q(state__in=[*HELD])
                | Q(host__isnull=False, lease_expires_at__isnull=False, deadline_at__isnull=False),
                name="held_attempt_has_lease",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[*FINAL], ended_at__isnull=False)
                | Q(state__in=[*LIVE], ended_at__isnull=True),
                name="attempt_ended_iff_final",
            ),
            models.CheckConstraint(
                condition=Q(progress__isnull=True) | Q(progress__gte=0, progress__lte=1),
                name="attempt_progress_is_fraction",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | Q(ended_at__gte=F("created_at")),
                name="attempt_ends_after_it_began",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} #{self.number}"

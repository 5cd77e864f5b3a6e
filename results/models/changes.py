"""Change points: where a watched series moved to another level, and what people say about it."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from results.models.catalog import Scenario
from results.models.runs import Run


class ChangePoint(models.Model):
    """Found by the detectors once, then edited by people: newer rules never rewrite a row.

    ``series`` is the digest of what is watched; the columns after it say the same in the open. ``run`` is the
    first of the new level as it was found, ``moved_to`` where a person says that it is. ``gain`` is a part of
    ``before``, signed so that positive is better.
    """

    class Status(models.TextChoices):
        PROPOSED = "proposed"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        MOVED = "moved"

    class Basis(models.TextChoices):
        LOAD = "load"
        EQUAL_X = "equal_x"

    series = models.CharField(max_length=64)
    family = models.CharField(max_length=64)
    scenario = models.ForeignKey(Scenario, on_delete=models.PROTECT, related_name="change_points")
    metric = models.CharField(max_length=64)
    basis = models.CharField(max_length=8, choices=Basis)
    load = models.PositiveIntegerField(null=True)
    x_metric = models.CharField(max_length=64, blank=True)
    x = models.FloatField(null=True)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="change_points")
    status = models.CharField(max_length=8, choices=Status, default=Status.PROPOSED)
    moved_to = models.ForeignKey(Run, null=True, on_delete=models.PROTECT, related_name="moved_change_points")
    gain = models.FloatField()
    before = models.FloatField()
    votes = ArrayField(models.CharField(max_length=16))
    confirmed = models.BooleanField(default=False)
    algorithm_version = models.CharField(max_length=32)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=80, blank=True)

    class Meta:
        ordering = ["series", "id"]
        constraints = [
            # One row per change, however many detectors find it at once.
            models.UniqueConstraint(fields=["series", "run"], name="change_point_unique"),
            models.CheckConstraint(
                condition=Q(status__in=["proposed", "accepted", "rejected", "moved"]),
                name="change_point_status",
            ),
            models.CheckConstraint(
                condition=Q(status="moved", moved_to__isnull=False)
                | (~Q(status="moved") & Q(moved_to__isnull=True)),
                name="change_point_place_iff_moved",
            ),
            models.CheckConstraint(
                condition=Q(status="proposed", decided_at__isnull=True)
                | (~Q(status="proposed") & Q(decided_at__isnull=False)),
                name="change_point_decided_iff_not_proposed",
            ),
            models.CheckConstraint(
                condition=Q(basis="load", load__isnull=False, x__isnull=True)
                | Q(basis="equal_x", load__isnull=True, x__isnull=False),
                name="change_point_basis",
            ),
            models.CheckConstraint(condition=~Q(moved_to=F("run")), name="change_point_moves_elsewhere"),
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.status} at {self.run_id}"

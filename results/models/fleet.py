"""Hosts that execute runs."""

from django.db import models
from django.db.models import Q


class Host(models.Model):
    """One machine that consumes its own queue; ``facts`` are what it reported about itself."""

    class State(models.TextChoices):
        READY = "ready"
        DIRTY = "dirty"
        RETIRED = "retired"

    name = models.CharField(max_length=64, unique=True)
    state = models.CharField(max_length=8, choices=State, default=State.READY)
    hardware_slugs = models.JSONField(default=list)
    engines = models.JSONField(default=list)
    facts = models.JSONField(default=dict)
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["ready", "dirty", "retired"]), name="host_state"),
        ]

    def __str__(self) -> str:
        return self.name

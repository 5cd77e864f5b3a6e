"""Hosts that execute runs."""

from django.db import models
from django.db.models import Q


class Host(models.Model):
    """One machine that consumes its own queue; ``facts`` are what it reported when it last came."""

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


class HostProbe(models.Model):
    """What a host could do at best on one day: devices and measured ceilings, in the words of a probe."""

    host = models.ForeignKey(Host, on_delete=models.CASCADE, related_name="probes")
    at = models.DateTimeField()
    document = models.JSONField()

    class Meta:
        ordering = ["host", "-at"]
        constraints = [models.UniqueConstraint(fields=["host", "at"], name="host_probe_unique")]

    def __str__(self) -> str:
        return f"{self.host} {self.at:%Y-%m-%d}"

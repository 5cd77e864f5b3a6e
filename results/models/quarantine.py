"""Inputs that could not be read, with the reason: kept and shown, never dropped."""

from django.db import models
from django.db.models import Q

from results.models.runs import Attempt


class Quarantine(models.Model):
    """``path`` inside the bundle of the attempt; resolved when a later reading succeeded."""

    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="quarantined")
    load = models.PositiveIntegerField(null=True)
    path = models.CharField(max_length=512)
    reason = models.TextField()
    parser_version = models.CharField(max_length=32)
    created_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "quarantine"
        constraints = [
            models.UniqueConstraint(fields=["attempt", "path"], name="quarantine_path_unique"),
            models.CheckConstraint(condition=~Q(reason=""), name="quarantine_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"

"""Inputs that could not be read, with the reason: kept and shown, never dropped."""

from django.db import models
from django.db.models import Q

from results.models.ingestion import ResultFile
from results.models.runs import Attempt


class Quarantine(models.Model):
    """A refused input; resolved when a later reading succeeded.

    It belongs to a load of an attempt's bundle (``path``), or to a place in an uploaded file
    (``pointer``, empty for the file as a whole). ``missing`` are JSON pointers of identity fields that
    nobody stated; ``unknown_kind`` and ``unknown_value`` name a spelling without an alias.
    """

    attempt = models.ForeignKey(Attempt, null=True, on_delete=models.PROTECT, related_name="quarantined")
    load = models.PositiveIntegerField(null=True)
    path = models.CharField(max_length=512, blank=True)
    file = models.ForeignKey(ResultFile, null=True, on_delete=models.PROTECT, related_name="quarantined")
    pointer = models.CharField(max_length=512, blank=True)
    missing = models.JSONField(default=list)
    unknown_kind = models.CharField(max_length=16, blank=True)
    unknown_value = models.CharField(max_length=256, blank=True)
    reason = models.TextField()
    parser_version = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "quarantine"
        indexes = [
            models.Index(
                fields=["unknown_kind", "unknown_value"],
                condition=Q(resolved_at__isnull=True) & ~Q(unknown_kind=""),
                name="quarantine_unknown",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "path"], name="quarantine_path_unique"),
            models.UniqueConstraint(fields=["file", "pointer"], name="quarantine_pointer_unique"),
            models.CheckConstraint(
                condition=Q(attempt__isnull=True) ^ Q(file__isnull=True), name="quarantine_attempt_xor_file"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="quarantine_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.path or self.pointer}: {self.reason}"

"""Raw files, content-addressed, stored before anything is read out of them."""

from django.db import models
from django.db.models import Q

from results.models.runs import Attempt


class Artifact(models.Model):
    """One stored byte sequence; ``size`` in bytes."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    size = models.PositiveBigIntegerField()
    media_type = models.CharField(max_length=128)
    stored_at = models.DateTimeField()

    class Meta:
        ordering = ["stored_at", "sha256"]
        constraints = [
            models.CheckConstraint(condition=Q(sha256__regex=r"^[0-9a-f]{64}$"), name="artifact_sha256"),
        ]

    def __str__(self) -> str:
        return self.sha256[:12]


class AttemptArtifact(models.Model):
    """A file of an attempt's bundle under its path in the bundle."""

    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="artifacts")
    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="uses")
    path = models.CharField(max_length=512)
    load = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["attempt_id", "path"]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "path"], name="attempt_artifact_path_unique"),
        ]

    def __str__(self) -> str:
        return self.path

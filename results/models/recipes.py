"""Recipe rows: the canonical document, its fingerprint, and the columns that pages filter by."""

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q

from results.models.catalog import Engine, Hardware, LanguageModel


class Recipe(models.Model):
    """Immutable once stored, but for ``accuracy``; the document alone is the identity."""

    class Accuracy(models.TextChoices):
        PASS = "pass"  # noqa: S105
        FAIL = "fail"
        UNKNOWN = "unknown"

    fingerprint = models.CharField(max_length=64, unique=True)
    document = models.JSONField()
    hardware = models.ForeignKey(Hardware, on_delete=models.PROTECT, related_name="recipes")
    gpu_count = models.PositiveIntegerField()
    engine = models.ForeignKey(Engine, on_delete=models.PROTECT, related_name="recipes")
    engine_version = models.CharField(max_length=512)
    language_model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="recipes")
    precision = models.CharField(max_length=128)
    speculative = models.CharField(max_length=128, blank=True)
    kv_offload = models.CharField(max_length=8)
    disaggregated = models.BooleanField()
    multinode = models.BooleanField(default=False)
    accuracy = models.CharField(max_length=7, choices=Accuracy, default=Accuracy.UNKNOWN)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        # An evaluation names a part of a recipe; containment finds the recipes that have it.
        indexes = [GinIndex(fields=["document"], opclasses=["jsonb_path_ops"], name="recipe_document")]
        constraints = [
            models.CheckConstraint(
                condition=Q(fingerprint__regex=r"^[0-9a-f]{64}$"), name="recipe_fingerprint_sha256"
            ),
            models.CheckConstraint(
                condition=Q(accuracy__in=["pass", "fail", "unknown"]), name="recipe_accuracy"
            ),
            models.CheckConstraint(condition=Q(gpu_count__gte=1), name="recipe_gpu_count_positive"),
        ]

    def __str__(self) -> str:
        return self.fingerprint[:12]

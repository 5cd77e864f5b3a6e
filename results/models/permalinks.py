"""Permalinks: figures as they were on the day somebody kept them."""

from django.db import models
from django.db.models import Q


class Permalink(models.Model):
    """A frozen figure; ``id`` is the beginning of the sha256 of ``query`` and ``document``.

    ``document`` holds all that the page shows: chart, table, prices and versions. Nothing in it is looked up
    again, so no later measurement, price or rule changes it.
    """

    id = models.CharField(primary_key=True, max_length=16, editable=False)
    query = models.TextField()
    document = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "id"]
        constraints = [
            models.CheckConstraint(condition=Q(id__regex=r"^[0-9a-f]{16}$"), name="permalink_id_sha256"),
        ]

    def __str__(self) -> str:
        return self.id

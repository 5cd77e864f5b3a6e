"""Published curves: which run speaks for a recipe on a scenario."""

from django.db import models
from django.db.models import Q

from results.models.catalog import LanguageModel, Scenario
from results.models.recipes import Recipe
from results.models.runs import Run


class Curve(models.Model):
    """The published run of one recipe on one scenario; replaced runs stay where they are.

    Curves of one ``configuration`` are the builds of one deployment. ``points`` counts the run's results;
    ``superseded`` when a newer build measured each of them again. Both are kept by ``publish_curve``.
    """

    recipe = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="curves")
    scenario = models.ForeignKey(Scenario, on_delete=models.PROTECT, related_name="curves")
    language_model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="curves")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="published_curves")
    published_at = models.DateTimeField()
    configuration = models.CharField(max_length=64)
    points = models.PositiveIntegerField(default=0)
    superseded = models.BooleanField(default=False)

    class Meta:
        ordering = ["id"]
        indexes = [
            # Which models and scenarios there are, and what was published last, is answered by this alone.
            models.Index(fields=["language_model", "scenario", "published_at"], name="curve_place"),
            models.Index(fields=["configuration", "scenario"], name="curve_configuration"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["recipe", "scenario"], name="curve_unique"),
            models.CheckConstraint(
                condition=Q(configuration__regex=r"^[0-9a-f]{64}$"), name="curve_configuration_sha256"
            ),
            models.CheckConstraint(
                condition=Q(superseded=False) | Q(points__gte=1), name="curve_superseded_has_points"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.recipe_id} on {self.scenario_id}"


class CurveAcceptance(models.Model):
    """Somebody accepted that ``run`` replaces a published curve although it covers less."""

    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="acceptance")
    accepted_at = models.DateTimeField()
    accepted_by = models.CharField(max_length=128)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.run_id} by {self.accepted_by}"

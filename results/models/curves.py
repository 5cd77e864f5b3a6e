"""Published curves: which run speaks for a recipe on a scenario."""

from django.db import models

from results.models.catalog import LanguageModel, Scenario
from results.models.recipes import Recipe
from results.models.runs import Run


class Curve(models.Model):
    """The published run of one recipe on one scenario; replaced runs stay where they are."""

    recipe = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="curves")
    scenario = models.ForeignKey(Scenario, on_delete=models.PROTECT, related_name="curves")
    language_model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="curves")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="published_curves")
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        # Which models and scenarios there are, and what was published last, is answered by the index alone.
        indexes = [models.Index(fields=["language_model", "scenario", "published_at"], name="curve_place")]
        constraints = [
            models.UniqueConstraint(fields=["recipe", "scenario"], name="curve_unique"),
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

"""Runs that were submitted for a pull request, and what became of their search for a baseline."""

from django.db import models
from django.db.models import Q

from results.models.evidence import Evidence
from results.models.runs import Run
from results.models.upstream import PullRequest


class PullRequestRun(models.Model):
    """``commit`` is what the submission says it measured. ``merge_base`` is empty while unknown.

    ``reason`` says why the run stands ``alone``: a code of ``NoBaseline`` or ``NotCompared``.
    ``trouble`` is why GitHub did not say the merge base when it was last asked, at ``asked_at``.
    """

    class Outcome(models.TextChoices):
        WAITING = "waiting"
        COMPARED = "compared"
        ALONE = "alone"

    class Source(models.TextChoices):
        STATED = "stated"
        GITHUB = "github"

    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="for_pull_request")
    pull_request = models.ForeignKey(PullRequest, on_delete=models.PROTECT, related_name="submitted_runs")
    commit = models.CharField(max_length=64)
    merge_base = models.CharField(max_length=64, blank=True)
    merge_base_source = models.CharField(max_length=6, choices=Source, blank=True)
    asked_at = models.DateTimeField(null=True)
    trouble = models.CharField(max_length=32, blank=True)
    outcome = models.CharField(max_length=8, choices=Outcome, default=Outcome.WAITING)
    reason = models.CharField(max_length=64, blank=True)
    evidence = models.ForeignKey(Evidence, null=True, on_delete=models.PROTECT, related_name="from_runs")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["id"], condition=Q(outcome="waiting"), name="pull_run_waiting"),
            models.Index(fields=["merge_base"], name="pull_run_merge_base"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome="waiting", reason="", evidence__isnull=True, decided_at__isnull=True)
                | Q(outcome="compared", reason="", evidence__isnull=False, decided_at__isnull=False)
                | (Q(outcome="alone", evidence__isnull=True, decided_at__isnull=False) & ~Q(reason="")),
                name="pull_run_alone_iff_reason",
            ),
            models.CheckConstraint(
                condition=Q(merge_base="", merge_base_source="")
                | (~Q(merge_base="") & Q(merge_base_source__in=["stated", "github"])),
                name="pull_run_merge_base_has_source",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pull_request} at {self.commit[:12]}"

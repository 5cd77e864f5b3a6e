"""Upstream work: projects, optimizations, pull requests, and what their authors claim.

The catalogue (results/catalog/projects) states kind, topic, status and claims, each with a date and a
source. A sync with GitHub writes its own columns beside them, so that the two can disagree in the open.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q


class Layer(models.TextChoices):
    """Where in the serving stack a project works, from the request down to the bytes."""

    ROUTER = "router-orchestration"
    ENGINE = "inference-engine"
    KERNELS = "kernels"
    KV_CACHE = "kv-cache"
    TRANSFER = "transfer-engine"


class Project(models.Model):
    """``summary`` is one paragraph, ``writeup`` Markdown; both in English and Chinese."""

    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=128)
    layer = models.CharField(max_length=32, choices=Layer)
    repository = models.CharField(max_length=140)
    position = models.PositiveIntegerField()
    added_later = models.BooleanField(default=False)
    summary_en = models.TextField(blank=True)
    summary_zh = models.TextField(blank=True)
    writeup_en = models.TextField(blank=True)
    writeup_zh = models.TextField(blank=True)

    class Meta:
        ordering = ["position", "slug"]
        constraints = [models.CheckConstraint(condition=Q(layer__in=Layer.values), name="project_layer")]

    def __str__(self) -> str:
        return self.name


class Optimization(models.Model):
    """One topic of a project, served by one or more pull requests."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="optimizations")
    slug = models.SlugField(max_length=64)
    layer = models.CharField(max_length=32, choices=Layer)
    position = models.PositiveIntegerField()
    name_en = models.CharField(max_length=128)
    name_zh = models.CharField(max_length=128)
    text_en = models.TextField(blank=True)
    text_zh = models.TextField(blank=True)

    class Meta:
        ordering = ["project", "position", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["project", "slug"], name="optimization_unique"),
            models.CheckConstraint(condition=Q(layer__in=Layer.values), name="optimization_layer"),
        ]

    def __str__(self) -> str:
        return self.name_en


class PullRequest(models.Model):
    """One upstream pull request. ``status`` is what the catalogue or a sync last established, with its date.

    ``landed_on`` names the branch where it is not the default branch. ``github_*`` columns are what the
    last sync read; they are empty before one.
    """

    class Kind(models.TextChoices):
        PERFORMANCE = "performance"
        CORRECTNESS = "correctness"
        DAY_ZERO = "day-zero"
        PORTABILITY = "portability"

    class Status(models.TextChoices):
        MERGED = "merged"
        MERGED_ELSEWHERE = "merged-elsewhere"
        OPEN = "open"
        CLOSED = "closed"
        UNKNOWN = "unknown"

    class Grade(models.TextChoices):
        NAMED = "names AgentX"
        TOPIC = "matches seed topic"
        WEAK = "weak"
        NONE = "none"

    repository = models.CharField(max_length=140)
    number = models.PositiveIntegerField()
    optimization = models.ForeignKey(Optimization, on_delete=models.PROTECT, related_name="pull_requests")
    position = models.PositiveIntegerField(default=0)
    kind = models.CharField(max_length=16, choices=Kind)
    title_en = models.CharField(max_length=256)
    title_zh = models.CharField(max_length=256)
    status = models.CharField(max_length=16, choices=Status)
    status_as_of = models.DateField()
    status_source = models.CharField(max_length=512)
    landed_on = models.CharField(max_length=256, blank=True)
    opened_on = models.DateField(null=True)
    merged_on = models.DateField(null=True)
    grade = models.CharField(max_length=32, choices=Grade)
    grade_basis = models.CharField(max_length=64, blank=True)
    listed_by = models.CharField(max_length=64, blank=True)
    added_later = models.BooleanField(default=False)
    source_url = models.URLField(max_length=512)
    note_en = models.TextField(blank=True)
    note_zh = models.TextField(blank=True)
    github_title = models.CharField(max_length=512, blank=True)
    github_state = models.CharField(max_length=16, blank=True)
    github_merged_at = models.DateTimeField(null=True)
    github_base_ref = models.CharField(max_length=256, blank=True)
    github_base_sha = models.CharField(max_length=64, blank=True)
    github_head_sha = models.CharField(max_length=64, blank=True)
    github_merge_sha = models.CharField(max_length=64, blank=True)
    github_labels = ArrayField(models.CharField(max_length=128), default=list)
    github_etag = models.CharField(max_length=256, blank=True)
    github_synced_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["optimization", "position", "number"]
        constraints = [
            models.UniqueConstraint(fields=["repository", "number"], name="pull_request_unique"),
            models.CheckConstraint(
                condition=Q(kind__in=["performance", "correctness", "day-zero", "portability"]),
                name="pull_request_kind",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["merged", "merged-elsewhere", "open", "closed", "unknown"]),
                name="pull_request_status",
            ),
            models.CheckConstraint(
                condition=~Q(status="merged-elsewhere") | ~Q(landed_on=""),
                name="pull_request_elsewhere_has_branch",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.repository}#{self.number}"


class PullRequestStatus(models.Model):
    """What the status was, according to whom, on which day; rows are added, never changed."""

    pull_request = models.ForeignKey(PullRequest, on_delete=models.CASCADE, related_name="history")
    status = models.CharField(max_length=16, choices=PullRequest.Status)
    as_of = models.DateTimeField()
    source = models.CharField(max_length=512)

    class Meta:
        ordering = ["pull_request", "-as_of", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["pull_request", "status", "as_of", "source"], name="pull_request_status_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} as of {self.as_of:%Y-%m-%d}"


class Claim(models.Model):
    """A number that the author of a pull request states; ``before`` and ``after`` in ``unit``."""

    pull_request = models.ForeignKey(PullRequest, on_delete=models.CASCADE, related_name="claims")
    position = models.PositiveIntegerField(default=0)
    metric_en = models.CharField(max_length=256)
    metric_zh = models.CharField(max_length=256)
    before = models.CharField(max_length=64, blank=True)
    after = models.CharField(max_length=64, blank=True)
    change = models.CharField(max_length=64, blank=True)
    unit = models.CharField(max_length=64, blank=True)
    setup_en = models.TextField(blank=True)
    setup_zh = models.TextField(blank=True)
    source_url = models.URLField(max_length=512)

    class Meta:
        ordering = ["pull_request", "position"]
        constraints = [
            models.UniqueConstraint(fields=["pull_request", "position"], name="claim_unique"),
        ]

    def __str__(self) -> str:
        return self.metric_en

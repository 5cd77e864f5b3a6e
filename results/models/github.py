"""What the dealings with GitHub leave behind: attempts to sync, pauses, webhook deliveries, our comments."""

from django.db import models
from django.db.models import Q

from results.models.upstream import PullRequest


class PullRequestSync(models.Model):
    """The last attempt for one pull request; what an attempt found out stands at the pull request.

    ``error`` is a code of results.github.trouble and empty after a success. ``github_id`` is GitHub's own
    identifier, so that another pull request under the same name is noticed; ``moved_to`` the repository's
    name after a rename.
    """

    pull_request = models.OneToOneField(PullRequest, on_delete=models.CASCADE, related_name="sync")
    attempted_at = models.DateTimeField()
    error = models.CharField(max_length=32, blank=True)
    error_text = models.CharField(max_length=256, blank=True)
    github_id = models.BigIntegerField(null=True)
    github_updated_at = models.DateTimeField(null=True)
    moved_to = models.CharField(max_length=140, blank=True)

    class Meta:
        ordering = ["pull_request"]

    def __str__(self) -> str:
        return self.error or "synchronised"


class GitHubPause(models.Model):
    """Until when a server wants no requests from us; ``server`` is its address without a token."""

    server = models.CharField(max_length=256, primary_key=True)
    until = models.DateTimeField()

    class Meta:
        ordering = ["server"]

    def __str__(self) -> str:
        return f"{self.server} until {self.until:%Y-%m-%dT%H:%M:%SZ}"


class WebhookDelivery(models.Model):
    """A delivery that was acted on. The identifier is not signed, so the body's digest counts as well."""

    class Outcome(models.TextChoices):
        APPLIED = "applied"
        UNCHANGED = "unchanged"
        STALE = "stale"
        UNKNOWN = "unknown"

    delivery = models.CharField(max_length=64, unique=True)
    body_sha256 = models.CharField(max_length=64, unique=True)
    action = models.CharField(max_length=64)
    outcome = models.CharField(max_length=16, choices=Outcome)
    received_at = models.DateTimeField()

    class Meta:
        ordering = ["-received_at", "-id"]
        verbose_name_plural = "webhook deliveries"
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome__in=["applied", "unchanged", "stale", "unknown"]),
                name="webhook_outcome",
            ),
        ]

    def __str__(self) -> str:
        return self.delivery


class PullRequestComment(models.Model):
    """Our one comment and our check run at a pull request.

    ``deleted_at``: somebody removed the comment on GitHub; it is not written again.
    """

    pull_request = models.OneToOneField(PullRequest, on_delete=models.CASCADE, related_name="our_comment")
    comment_id = models.BigIntegerField(null=True)
    body_sha256 = models.CharField(max_length=64, blank=True)
    posted_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    check_run_id = models.BigIntegerField(null=True)
    check_sha = models.CharField(max_length=64, blank=True)
    check_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["pull_request"]

    def __str__(self) -> str:
        return str(self.comment_id)

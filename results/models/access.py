"""API tokens, idempotency records and the audit trail."""

from django.db import models
from django.db.models import Q


class ApiToken(models.Model):
    """A secret shown once; only its prefix and an HMAC of it are stored."""

    class Scope(models.TextChoices):
        READ = "read"
        SUBMIT = "submit"
        WORKER = "worker"
        ADMIN = "admin"

    name = models.CharField(max_length=64)
    scope = models.CharField(max_length=8, choices=Scope)
    prefix = models.CharField(max_length=16, unique=True)
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=["read", "submit", "worker", "admin"]), name="token_scope"
            ),
            models.CheckConstraint(condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="token_digest_is_hmac"),
        ]

    # Django REST framework asks the authenticated party these two questions.
    is_authenticated = True
    is_anonymous = False

    def __str__(self) -> str:
        return f"{self.name} ({self.scope})"


class IdempotencyRecord(models.Model):
    """The answer to a keyed request; the same key with another body is a conflict."""

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="idempotency_records")
    route = models.CharField(max_length=128)
    key = models.CharField(max_length=128)
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    #: The rendered answer: JSONB would reorder its keys, and a replay repeats the bytes.
    body = models.TextField(null=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["token", "route", "key"], name="idempotency_key_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.route} {self.key}"


class RateBucket(models.Model):
    """When a client's allowance is full again (the theoretical arrival time of a leaky bucket).

    The table is unlogged: losing it in a crash forgives everyone once.
    """

    key = models.CharField(max_length=128, primary_key=True)
    full_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["full_at"], name="rate_bucket_full_at")]

    def __str__(self) -> str:
        return self.key


class AuditEvent(models.Model):
    """Who changed what. Rows are only ever added."""

    at = models.DateTimeField()
    actor = models.CharField(max_length=80)
    verb = models.CharField(max_length=32)
    object_type = models.CharField(max_length=32)
    object_id = models.CharField(max_length=64)
    details = models.JSONField(default=dict)
    request_id = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["object_type", "object_id"], name="audit_by_object")]

    def __str__(self) -> str:
        return f"{self.actor} {self.verb} {self.object_type} {self.object_id}"

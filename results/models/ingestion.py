"""Files that people brought: what was sent, what each file is, which points stand in it."""

import uuid

from django.db import models
from django.db.models import Q

from results.models.access import ApiToken
from results.models.artifacts import Artifact
from results.models.points import Point


class Upload(models.Model):
    """One delivery through one of the handles; ``identity`` is what the sender stated for all its files.

    ``artifact`` holds the archive as it was sent; None for single files and folders.
    """

    class Handle(models.TextChoices):
        API = "api"
        COMMAND = "command"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    handle = models.CharField(max_length=8, choices=Handle)
    name = models.CharField(max_length=512)
    artifact = models.ForeignKey(Artifact, null=True, on_delete=models.PROTECT, related_name="uploads")
    identity = models.JSONField(default=dict)
    uploaded_by = models.ForeignKey(ApiToken, null=True, on_delete=models.PROTECT, related_name="uploads")
    received_at = models.DateTimeField()
    report = models.JSONField(null=True)

    class Meta:
        ordering = ["-received_at", "-id"]
        indexes = [models.Index(fields=["-received_at", "-id"], name="upload_newest")]
        constraints = [
            models.CheckConstraint(condition=Q(handle__in=["api", "command"]), name="upload_handle"),
        ]

    def __str__(self) -> str:
        return self.name


class ResultFile(models.Model):
    """One distinct content read with one identity; reading it again with the same parser is a no-op.

    ``format`` is empty when no format recognised it. ``companions`` is the sha256 of the names of the files
    that stood beside it when it was read: some formats read two files together.
    """

    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="result_files")
    identity = models.JSONField(default=dict)
    identity_digest = models.CharField(max_length=64)
    path = models.CharField(max_length=512)
    format = models.CharField(max_length=64, blank=True)
    format_version = models.CharField(max_length=64, blank=True)
    parser_version = models.CharField(max_length=64, blank=True)
    companions = models.CharField(max_length=64, blank=True)
    remarks = models.JSONField(default=list)
    received_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-received_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["artifact", "identity_digest"], name="result_file_unique"),
        ]

    def __str__(self) -> str:
        return self.path


class UploadedFile(models.Model):
    """A file of an upload under the path it had there."""

    upload = models.ForeignKey(Upload, on_delete=models.PROTECT, related_name="files")
    file = models.ForeignKey(ResultFile, on_delete=models.PROTECT, related_name="uploads")
    path = models.CharField(max_length=512)

    class Meta:
        ordering = ["upload_id", "path"]
        constraints = [
            models.UniqueConstraint(fields=["upload", "path"], name="uploaded_file_path_unique"),
        ]

    def __str__(self) -> str:
        return self.path


class PointSource(models.Model):
    """Where a point stands: several files may state the same one."""

    point = models.ForeignKey(Point, on_delete=models.CASCADE, related_name="sources")
    file = models.ForeignKey(ResultFile, on_delete=models.PROTECT, related_name="points")
    pointer = models.CharField(max_length=512)

    class Meta:
        ordering = ["file_id", "id"]
        constraints = [
            models.UniqueConstraint(fields=["file", "pointer"], name="point_source_unique"),
        ]

    def __str__(self) -> str:
        return self.pointer

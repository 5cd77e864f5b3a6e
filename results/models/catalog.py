"""Catalogue: what can be measured. Rows come from YAML shipped in results/catalog."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q


class Hardware(models.Model):
    """One accelerator product, or the CPU of a host."""

    class Kind(models.TextChoices):
        GPU = "gpu"
        TPU = "tpu"
        CPU = "cpu"

    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=128)
    vendor = models.CharField(max_length=64)
    kind = models.CharField(max_length=8, choices=Kind)
    memory_gb = models.FloatField(null=True)
    gpus_per_node = models.PositiveIntegerField(null=True)
    memory_source = models.CharField(max_length=512, blank=True)

    class Meta:
        ordering = ["vendor", "slug"]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["gpu", "tpu", "cpu"]), name="hardware_kind"),
            models.CheckConstraint(
                condition=Q(memory_gb__isnull=True) | Q(memory_gb__gt=0, memory_gb__lt=1e6),
                name="hardware_memory_positive",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Engine(models.Model):
    """An inference engine; ``executable`` engines can be started by our workers."""

    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=128)
    repository = models.URLField(max_length=256, blank=True)
    executable = models.BooleanField(default=False)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class LanguageModel(models.Model):
    """A language model under its canonical name."""

    slug = models.SlugField(max_length=128, unique=True, allow_unicode=False)
    name = models.CharField(max_length=128)
    vendor = models.CharField(max_length=64, blank=True)
    served_names = ArrayField(models.CharField(max_length=256), default=list)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Alias(models.Model):
    """Another spelling of a catalogue value, with the place where it was seen."""

    class Kind(models.TextChoices):
        HARDWARE = "hardware"
        ENGINE = "engine"
        MODEL = "model"
        PRECISION = "precision"
        SPECULATIVE = "speculative"
        KV_BACKEND = "kv_backend"
        KV_TRANSFER = "kv_transfer"
        ROUTER = "router"

    kind = models.CharField(max_length=16, choices=Kind)
    spelling = models.CharField(max_length=256)
    canonical = models.CharField(max_length=128)
    source = models.CharField(max_length=512)

    class Meta:
        ordering = ["kind", "spelling"]
        verbose_name_plural = "aliases"
        constraints = [
            models.UniqueConstraint(fields=["kind", "spelling"], name="alias_unique"),
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "hardware",
                        "engine",
                        "model",
                        "precision",
                        "speculative",
                        "kv_backend",
                        "kv_transfer",
                        "router",
                    ]
                ),
                name="alias_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.spelling} -> {self.canonical}"


class Scenario(models.Model):
    """What is asked of the deployment: a trace corpus, or fixed input and output lengths in tokens."""

    class Kind(models.TextChoices):
        AGENTIC = "agentic"
        FIXED = "fixed"

    kind = models.CharField(max_length=8, choices=Kind)
    corpus = models.CharField(max_length=64, null=True)
    version = models.CharField(max_length=64, null=True)
    context_cap = models.PositiveIntegerField(null=True)
    isl = models.PositiveIntegerField(null=True)
    osl = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["kind", "corpus", "isl", "osl", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "corpus", "version", "context_cap", "isl", "osl"],
                nulls_distinct=False,
                name="scenario_unique",
            ),
            models.CheckConstraint(
                condition=Q(kind="agentic", corpus__isnull=False, isl__isnull=True, osl__isnull=True)
                | Q(kind="fixed", corpus__isnull=True, isl__gt=0, osl__gt=0),
                name="scenario_shape",
            ),
        ]

    def __str__(self) -> str:
        if self.kind == self.Kind.FIXED:
            return f"{self.isl}/{self.osl}"
        return str(self.corpus)

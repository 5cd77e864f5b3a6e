"""Catalogue files: what can be measured, and how else it is spelled."""

from typing import Annotated, Literal

from pydantic import Field

from results.documents.base import Document
from results.documents.prices import PriceTable
from results.documents.shapes import ModelShape

Slug = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
#: Model names carry versions with a dot.
ModelSlug = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
Name = Annotated[str, Field(min_length=1, max_length=128)]
Served = Annotated[str, Field(min_length=1, max_length=256)]
Address = Annotated[str, Field(max_length=256, pattern=r"^(https://\S+)?$")]


class HardwareEntry(Document):
    """``memory_gb`` per device, as the vendor states it in ``memory_source``; null where it states none."""

    slug: Slug
    name: Name
    vendor: Annotated[str, Field(min_length=1, max_length=64)]
    kind: Literal["gpu", "tpu", "cpu"]
    memory_gb: Annotated[float, Field(gt=0, lt=1e6, strict=False)] | None
    gpus_per_node: Annotated[int, Field(ge=1, le=1024)] | None
    memory_source: Annotated[str, Field(max_length=512)]


class EngineEntry(Document):
    slug: Slug
    name: Name
    repository: Address
    executable: bool


class ModelEntry(Document):
    slug: ModelSlug
    name: Name
    vendor: Annotated[str, Field(max_length=64)]
    served_names: list[Served]


class AliasEntry(Document):
    """``canonical`` is a slug of the same kind; what has no table of its own is its own name."""

    kind: Literal[
        "hardware", "engine", "model", "precision", "speculative", "kv_backend", "kv_transfer", "router"
    ]
    spelling: Annotated[str, Field(min_length=1, max_length=256)]
    canonical: Slug
    source: Annotated[str, Field(min_length=1, max_length=512)]


class GateEntry(Document):
    """Least score, a fraction; for one model and precision, or for all where they are empty."""

    task: Annotated[str, Field(min_length=1, max_length=128)]
    metric: Annotated[str, Field(min_length=1, max_length=64)]
    model: Annotated[str, Field(pattern=r"^([a-z0-9]+(-[a-z0-9]+)*)?$", max_length=64)]
    precision: Annotated[str, Field(max_length=64)]
    minimum: Annotated[float, Field(ge=0, le=1, strict=False)]
    source: Annotated[str, Field(min_length=1, max_length=512)]


class CatalogueFile(Document):
    """One file; each section may stand in any file."""

    hardware: list[HardwareEntry] = []
    engines: list[EngineEntry] = []
    models: list[ModelEntry] = []
    aliases: list[AliasEntry] = []
    accuracy_gates: list[GateEntry] = []
    prices: list[PriceTable] = []
    shapes: list[ModelShape] = []

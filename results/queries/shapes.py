"""The model shapes shipped with the product."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import yaml

from results.documents.catalogue import CatalogueFile
from results.documents.shapes import ModelShape

SHIPPED = Path(__file__).resolve().parents[1] / "catalog" / "shapes.yaml"


@lru_cache(maxsize=1)
def shipped_shapes() -> Mapping[str, ModelShape]:
    """By the slug of the model; read once per process."""
    document = CatalogueFile.model_validate(yaml.safe_load(SHIPPED.read_text(encoding="utf-8")))
    return {shape.model: shape for shape in document.shapes}

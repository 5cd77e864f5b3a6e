"""What people call the hardware, engines and models that the product knows."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

import yaml

from results.documents.catalogue import CatalogueFile

Kind = Literal["hardware", "engines", "models"]
SHIPPED = Path(__file__).resolve().parents[1] / "catalog"


def shipped_name(kind: Kind, slug: str) -> str:
    """The name of ``slug``, or the slug itself where nothing that ships names it."""
    return _names(kind).get(slug, slug)


@lru_cache(maxsize=3)
def _names(kind: Kind) -> Mapping[str, str]:
    """Read once per process."""
    text = (SHIPPED / f"{kind}.yaml").read_text(encoding="utf-8")
    found = CatalogueFile.model_validate(yaml.safe_load(text))
    return {entry.slug: entry.name for entry in getattr(found, kind)}

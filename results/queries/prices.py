"""The price and power tables shipped with the product."""

from functools import lru_cache
from pathlib import Path

import yaml

from results.analysis.prices import PriceBook
from results.documents.catalogue import CatalogueFile

SHIPPED = Path(__file__).resolve().parents[1] / "catalog" / "prices.yaml"


@lru_cache(maxsize=1)
def shipped_prices() -> PriceBook:
    """The book in results/catalog/prices.yaml, read once per process."""
    return read_prices(SHIPPED)


def read_prices(path: Path) -> PriceBook:
    """A file with a ``prices`` section. ValidationError, or ValueError for a version that stands twice."""
    document = CatalogueFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    return PriceBook(tuple(document.prices))

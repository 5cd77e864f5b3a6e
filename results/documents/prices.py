"""Price and power tables: what one accelerator costs per hour and draws, dated and with a source."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from results.documents.base import Document

Slug = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Dollars = Annotated[float, Field(gt=0, lt=1e6, strict=False)]
Kilowatts = Annotated[float, Field(gt=0, lt=1e4, strict=False)]


class Tier(StrEnum):
    """Who is paid: an owner at large volume, a smaller cloud, or a lessor for three years."""

    HYPERSCALER = "hyperscaler"
    NEOCLOUD = "neocloud"
    RENTAL = "rental"


class PriceEntry(Document):
    """One accelerator: US dollars per hour by tier, and all-in kW with its share of host and cooling.

    A tier that the source does not state is null, and so is every cost in it.
    """

    hardware: Slug
    kilowatts: Kilowatts | None
    hyperscaler: Dollars | None = None
    neocloud: Dollars | None = None
    rental: Dollars | None = None
    note: Annotated[str, Field(max_length=512)] = ""

    def dollars_per_hour(self, tier: Tier) -> float | None:
        price: float | None = getattr(self, tier.value)
        return price


class PriceTable(Document):
    """One version. ``effective`` is the UTC day from which ``as of`` selects it."""

    version: Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
    effective: date
    source: Annotated[str, Field(min_length=1, max_length=512)]
    entries: Annotated[list[PriceEntry], Field(min_length=1, max_length=512)]

    @model_validator(mode="after")
    def _one_entry_per_device(self) -> Self:
        names = [entry.hardware for entry in self.entries]
        if len(set(names)) < len(names):
            raise ValueError("a device stands once in a price table")
        return self

    def entry(self, hardware: str) -> PriceEntry | None:
        """The entry of a hardware slug; None when the table does not price it."""
        return next((entry for entry in self.entries if entry.hardware == hardware), None)

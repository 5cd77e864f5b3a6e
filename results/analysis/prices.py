"""Which price and power table applies, and what a deployment costs under it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import isfinite

from results.documents.prices import PriceTable, Tier


class NoPriceTableError(LookupError):
    """No table has the asked version, or none was in force on the asked day."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Per GPU of a deployment: US dollars per hour, and provisioned kilowatts; None where unknown.

    ValueError for what is not a positive finite number: nothing is free and nothing runs without power.
    """

    dollars_per_hour: float | None
    kilowatts: float | None

    def __post_init__(self) -> None:
        for name in ("dollars_per_hour", "kilowatts"):
            value = getattr(self, name)
            if value is not None and not (isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a positive finite number")


@dataclass(frozen=True, slots=True)
class PriceBook:
    """Tables in the order in which they came into force. ValueError for two of one version or day."""

    tables: tuple[PriceTable, ...]

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.tables, key=lambda table: table.effective))
        for name in ("version", "effective"):
            if len({getattr(table, name) for table in ordered}) < len(ordered):
                raise ValueError(f"two price tables have the same {name}")
        object.__setattr__(self, "tables", ordered)

    @property
    def newest(self) -> PriceTable:
        """NoPriceTableError when the book is empty."""
        if not self.tables:
            raise NoPriceTableError("there is no price table")
        return self.tables[-1]

    def version(self, name: str) -> PriceTable:
        for table in self.tables:
            if table.version == name:
                return table
        known = ", ".join(table.version for table in self.tables)
        raise NoPriceTableError(f"no price table has the version {name} (known: {known})")

    def as_of(self, day: date) -> PriceTable:
        """The table in force on a UTC day; NoPriceTableError for a day before the first one."""
        in_force = [table for table in self.tables if table.effective <= day]
        if not in_force:
            first = self.tables[0].effective.isoformat() if self.tables else "any date"
            raise NoPriceTableError(f"the first price table is of {first}")
        return in_force[-1]


def deployment_rate(table: PriceTable, tier: Tier, gpus: Mapping[str, int]) -> Rate:
    """Mean rate per GPU, weighted by the GPUs of each hardware slug.

    Prefill and decode may run on different parts; one part without a price leaves the whole without one.
    ValueError without any GPU.
    """
    if sum(gpus.values()) < 1 or min(gpus.values()) < 0:
        raise ValueError("a deployment has at least one GPU")
    entries = [(table.entry(hardware), count) for hardware, count in gpus.items() if count]
    prices = [(entry.dollars_per_hour(tier) if entry else None, count) for entry, count in entries]
    powers = [(entry.kilowatts if entry else None, count) for entry, count in entries]
    return Rate(_mean(prices), _mean(powers))


def _mean(parts: Sequence[tuple[float | None, int]]) -> float | None:
    """Mean weighted by count; None as soon as one value is unknown."""
    known = [value * count for value, count in parts if value is not None]
    return sum(known) / sum(count for _value, count in parts) if len(known) == len(parts) else None

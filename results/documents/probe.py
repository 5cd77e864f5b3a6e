"""What ``python -m workers probe --json`` says of a host: devices, and what they do at best.

Only what is named here is kept: no host name, no serial number of a device, no address on a bus.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

Text = Annotated[str, Field(max_length=128)]
Whole = Annotated[int, Field(ge=0)]
Rate = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=False)]
#: Ceilings of one GPU in the order in which pages show them.
OF_DEVICE = ("device_copy", "bf16_matrix", "fp8_matrix")
OF_LINK = (
    "host_to_device_pinned", "device_to_host_pinned", "host_to_device_pageable", "device_to_host_pageable",
)  # fmt: skip


class _Kept(BaseModel):
    """What else a probe says is dropped."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class HostFacts(_Kept):
    """``memory_bytes`` of the host; ``gpus`` are product names."""

    cpu: Text | None = None
    cpu_count: Whole | None = None
    memory_bytes: Whole | None = None
    os: Text | None = None
    machine: Text | None = None
    python: Text | None = None
    gpus: list[Text] = []


class NumaNode(_Kept):
    node: Whole
    cpus: Text | None = None
    memory_bytes: Whole | None = None


class Torch(_Kept):
    version: Text
    cuda: Text | None = None


class Device(_Kept):
    """Clocks in MHz at the time of the probe, and at most."""

    index: Whole
    name: Text
    driver: Text | None = None
    memory_bytes: Whole | None = None
    power_limit_watts: Rate | None = None
    sm_clock_mhz: Whole | None = None
    sm_clock_max_mhz: Whole | None = None
    memory_clock_mhz: Whole | None = None
    memory_clock_max_mhz: Whole | None = None
    pcie_generation: Whole | None = None
    pcie_width: Whole | None = None
    numa_node: int | None = None


def _unless_failed(value: Any) -> Any:
    """A rate that could not be measured is absent; what the library said about it may name anything."""
    return None if isinstance(value, dict) and "error" in value else value


class Measured(_Kept):
    """Median, lowest and highest of ``repeats``; ``bytes`` is the size of a transfer."""

    unit: Literal["B/s", "FLOP/s"]
    median: Rate
    lowest: Rate
    highest: Rate
    repeats: Annotated[int, Field(ge=1)]
    bytes: Annotated[int, Field(ge=1)] | None = None

    @property
    def spread(self) -> float:
        """Highest less lowest, over the median."""
        return (self.highest - self.lowest) / self.median


One = Annotated[Measured | None, BeforeValidator(_unless_failed)]
BySize = Annotated[list[Measured] | None, BeforeValidator(_unless_failed)]


class Ceilings(_Kept):
    """Of one GPU; None where it could not be measured."""

    gpu: Whole
    device_copy: One = None
    bf16_matrix: One = None
    fp8_matrix: One = None
    host_to_device_pinned: BySize = None
    device_to_host_pinned: BySize = None
    host_to_device_pageable: BySize = None
    device_to_host_pageable: BySize = None


@dataclass(frozen=True, slots=True)
class RateRow:
    """``gpu`` is None where all of them took part."""

    name: str
    gpu: int | None
    measured: Measured


class Probe(_Kept):
    """``at`` is when it ran, UTC."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True, serialize_by_alias=True)

    schema_: Literal["northstar.probe/1"] = Field(alias="schema")
    at: Annotated[AwareDatetime, Field(strict=False)]
    host: HostFacts
    numa: list[NumaNode] = []
    torch: Torch | None = None
    gpus: list[Device] = []
    ceilings: list[Ceilings] = []
    all_reduce: BySize = None

    def rates(self) -> Iterator[RateRow]:
        """Every rate that was measured: by kind, then GPU, then size."""
        for name in OF_DEVICE:
            for one in self.ceilings:
                found: Measured | None = getattr(one, name)
                if found is not None:
                    yield RateRow(name, one.gpu, found)
        for name in OF_LINK:
            for one in self.ceilings:
                yield from (RateRow(name, one.gpu, size) for size in getattr(one, name) or ())
        yield from (RateRow("all_reduce", None, size) for size in self.all_reduce or ())

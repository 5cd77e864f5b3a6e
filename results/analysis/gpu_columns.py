"""Samples of GPUs (``gpu.jsonl``) as one array per GPU and quantity, for drawing. Energy: ``power``."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

#: Quantities of a sample that are drawn, in the units of their names.
QUANTITIES = (
    "power_watts", "sm_clock_mhz", "memory_clock_mhz", "temperature_celsius", "utilization_percent",
    "memory_used_bytes",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GpuColumns:
    """Samples of each GPU by its identity; ``at`` (unix seconds) is among its arrays. NaN is absent.

    ``skipped`` lines or samples could not be read.
    """

    gpus: Mapping[str, Mapping[str, Array]]
    skipped: int = 0


def gpu_columns(lines: Iterable[bytes | str]) -> GpuColumns:
    """Ascending samples of every GPU; a broken line is skipped and counted."""
    gpus: dict[str, list[tuple[float, ...]]] = {}
    skipped = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            document = json.loads(line)
            at, entries = _number(document["at"]), list(document["gpus"])
        except (ValueError, KeyError, TypeError, RecursionError):
            at, entries = math.nan, []
        if math.isnan(at):
            skipped += 1
            continue
        for entry in entries:
            if isinstance(entry, dict) and isinstance(entry.get("uuid"), str) and entry["uuid"]:
                row = (at, *(_number(entry.get(name)) for name in QUANTITIES))
                gpus.setdefault(entry["uuid"], []).append(row)
            else:
                skipped += 1
    return GpuColumns({name: _arrays(rows) for name, rows in sorted(gpus.items())}, skipped)


def _arrays(rows: list[tuple[float, ...]]) -> dict[str, Array]:
    table = np.array(sorted(rows, key=lambda row: row[0]), dtype=np.float64)
    return dict(zip(("at", *QUANTITIES), table.T.copy(), strict=True))


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value) if math.isfinite(value) else math.nan
    except OverflowError:
        return math.nan

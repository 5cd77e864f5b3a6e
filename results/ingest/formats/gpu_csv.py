"""Telemetry that ``nvidia-smi`` and ``amd-smi`` log as CSV beside a benchmark.

Telemetry is no point: it belongs to one that must be named, so a file yields a remark with its summary.
``power_series`` gives the samples. NVIDIA's times are local without an offset, AMD's seconds since 1970.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from results.analysis.percentiles import mean
from results.ingest.reading import csv_rows, head
from results.ingest.rows import FormatError, Rejected, Remark, Row, Source

NAME = "gpu-telemetry"
PARSER_VERSION = "gpu-telemetry/1"
_UNITS = {
    "W": 1.0, "mW": 1e-3, "kW": 1e3, "MHz": 1.0, "GHz": 1e3, "%": 1.0, "C": 1.0, "": 1.0,
}  # fmt: skip
_QUANTITY = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*([A-Za-z%]*)")
_UNIT = re.compile(r"\[([^\]]*)\]$")
_NOTHING = frozenset({"", "N/A", "[N/A]", "[Not Supported]", "[Unknown Error]", "Not Supported"})
_NVIDIA_TIME = "%Y/%m/%d %H:%M:%S.%f"
#: Names of columns without their unit, per quantity; the first that a file has counts.
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "time": ("timestamp",),
    "gpu": ("index", "gpu", "uuid", "gpu_uuid"),
    "watts": ("power.draw", "power.draw.instant", "power.draw.average", "socket_power",
              "average_socket_power", "socket_power_w", "power_w"),
    "clock_mhz": ("clocks.current.sm", "clocks.sm", "gfx_clock_mhz", "gfx_0_clk", "gfx_clk"),
    "memory_clock_mhz": ("clocks.current.memory", "clocks.mem", "mem_clock_mhz", "mem_0_clk", "mem_clk"),
    "temperature_c": ("temperature.gpu", "hotspot", "temp_hotspot_c", "edge"),
    "utilization_percent": ("utilization.gpu", "gfx_activity", "gfx_activity_pct"),
}  # fmt: skip
_THROTTLE = ("throttle", "event_reasons")
#: Bit of "GPU is idle" and of "clocks set by an application": no throttling.
_HARMLESS_BITS = 0x1 | 0x2


@dataclass(frozen=True, slots=True)
class Sample:
    """One row. ``at`` is UTC, or naive where the tool writes its host's clock; None is not measured."""

    place: str
    at: datetime
    gpu: str
    watts: float | None = None
    clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    temperature_c: float | None = None
    utilization_percent: float | None = None
    throttled: bool | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """Samples in the order of the file, and rows that are no sample (the last is often cut)."""

    vendor: str
    samples: tuple[Sample, ...]
    refused: tuple[Rejected, ...]


def detect(source: Source) -> str | None:
    """``nvidia-smi`` or ``amd-smi``."""
    line = next((line for line in head(source).splitlines() if _is_header(line)), None)
    return None if line is None else _vendor(line)


def read(source: Source) -> Iterator[Row]:
    series = power_series(source)
    yield from series.refused
    yield Remark("", summary(series))


def power_series(source: Source) -> Series:
    """Every sample of a telemetry file. Raises FormatError for a file without one."""
    samples: list[Sample] = []
    refused: list[Rejected] = []
    vendor = ""
    for row in csv_rows(source, _is_header):
        if isinstance(row, Rejected):
            refused.append(row)
            continue
        place, cells = row
        # A monitor that was started again writes its header again.
        if all(cell == name for name, cell in cells.items()):
            continue
        vendor = vendor or _vendor(",".join(cells))
        try:
            samples.append(_sample(place, cells))
        except FormatError as error:
            refused.append(Rejected(error.pointer, error.reason))
    if not samples:
        raise FormatError("", "no usable power samples")
    return Series(vendor, tuple(samples), tuple(refused))


def summary(series: Series) -> str:
    """What the file holds, in one sentence per quantity."""
    gpus: dict[str, list[float]] = defaultdict(list)
    for sample in series.samples:
        gpus[sample.gpu].extend([] if sample.watts is None else [sample.watts])
    first, last = _ends(series)
    offset = "UTC" if first.tzinfo else "local time without an offset"
    parts = [
        f"{series.vendor} telemetry of {len(gpus)} GPUs: {len(series.samples)} samples over "
        f"{(last - first).total_seconds():.1f} s from {first:%Y-%m-%d %H:%M:%S} ({offset})"
    ]
    means = [mean(watts) for watts in gpus.values() if watts]
    if means:
        parts.append(f"mean power {min(means):.1f} to {max(means):.1f} W per GPU")
    clocks = [sample.clock_mhz for sample in series.samples if sample.clock_mhz is not None]
    if clocks:
        parts.append(f"SM clock {min(clocks):g} to {max(clocks):g} MHz")
    known = [sample.throttled for sample in series.samples if sample.throttled is not None]
    if known:
        parts.append(f"throttled in {sum(known)} samples")
    return "; ".join(parts) + ". It belongs to a point, which must be named."


def _ends(series: Series) -> tuple[datetime, datetime]:
    """First and last time; times of both kinds in one file are compared within the kind of the first."""
    aware = series.samples[0].at.tzinfo is not None
    times = [sample.at for sample in series.samples if (sample.at.tzinfo is not None) == aware]
    return min(times), max(times)


def _is_header(line: str) -> bool:
    names = [_bare(name) for name in line.split(",")]
    return "timestamp" in names and any(
        name in names for name in (*_COLUMNS["watts"], *_COLUMNS["clock_mhz"])
    )


def _bare(name: str) -> str:
    return _UNIT.sub("", name.strip()).strip()


def _vendor(header: str) -> str:
    return "nvidia-smi" if "." in header else "amd-smi"


def _sample(place: str, cells: Mapping[str, str]) -> Sample:
    columns = {_bare(name): (name, cell) for name, cell in cells.items()}
    found = {quantity: _cell(columns, quantity) for quantity in _COLUMNS}
    gpu = found["gpu"][1]
    if gpu in _NOTHING:
        raise FormatError(place, "gpu identity missing")
    numbers: dict[str, Any] = {
        quantity: _number(place, *found[quantity]) for quantity in _COLUMNS if quantity not in ("time", "gpu")
    }
    return Sample(place, _time(place, found["time"][1]), gpu, **numbers, throttled=_throttled(columns))


def _cell(columns: Mapping[str, tuple[str, str]], quantity: str) -> tuple[str, str]:
    return next((columns[name] for name in _COLUMNS[quantity] if name in columns), ("", ""))


def _number(place: str, name: str, cell: str) -> float | None:
    """The quantity with the unit of its cell or, where cells are bare, of its column."""
    if cell in _NOTHING:
        return None
    parts = _QUANTITY.fullmatch(cell)
    column = _UNIT.search(name)
    unit = "" if parts is None else parts[2] or (column[1] if column else "")
    if parts is None or unit not in _UNITS:
        raise FormatError(place, f"{name}: {cell[:40]!r} is no quantity")
    value = float(parts[1]) * _UNITS[unit]
    if not math.isfinite(value):
        raise FormatError(place, f"{name}: must be finite")
    return value


def _time(place: str, cell: str) -> datetime:
    """Seconds since 1970, ISO 8601, or the local time of ``nvidia-smi``."""
    try:
        if re.fullmatch(r"\d{9,10}(?:\.\d{1,9})?", cell):
            return datetime.fromtimestamp(float(cell), UTC)
        if "/" in cell:
            return datetime.strptime(cell, _NVIDIA_TIME)  # noqa: DTZ007 the tool writes no offset
        found = datetime.fromisoformat(cell)
        return found.astimezone(UTC) if found.tzinfo else found
    except (ValueError, OverflowError):
        raise FormatError(place, f"timestamp: {cell[:40]!r} is no time") from None


def _throttled(columns: Mapping[str, tuple[str, str]]) -> bool | None:
    """Whether any column about throttling says so; None without such a column."""
    cells = [cell for name, (_name, cell) in columns.items() if any(word in name for word in _THROTTLE)]
    known = [cell for cell in cells if cell not in _NOTHING]
    return any(map(_says_throttled, known)) if known else None


def _says_throttled(cell: str) -> bool:
    if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", cell):
        return bool(int(cell, 16) & ~_HARMLESS_BITS)
    return cell.lower() in ("active", "throttled", "true", "1")

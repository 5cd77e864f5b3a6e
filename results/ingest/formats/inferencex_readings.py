"""What readers of InferenceX rows collect, and the statistics that rows of every generation have. Pure."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from results.ingest.fields import Fields

STATS: Mapping[str, str] = {
    "mean": "mean", "median": "p50", "p50": "p50", "p75": "p75", "p90": "p90", "p95": "p95",
    "p99": "p99", "p99.9": "p999", "std": "std",
}  # fmt: skip
#: benchmark_serving calls the gap between two chunks "itl" and what AgentX calls ITL "tpot".
DISTRIBUTIONS: Mapping[str, str] = {
    "ttft": "ttft", "tpot": "tpot", "itl": "inter_chunk_latency", "e2el": "e2e_latency",
}  # fmt: skip
_STATISTIC = re.compile(r"(mean|median|std|p\d{2}(?:\.\d)?)_(ttft|tpot|itl|e2el|intvty)")
#: Producers and readers divide in another order; anything looser would hide another definition.
TOLERANCE = 1e-6

LEGACY_INTERACTIVITY = "interactivity_before_july_2026"


@dataclass(slots=True)
class Readings:
    """Numbers of one row: ``values`` by registry key, the rest as in ``rows.Result``."""

    values: dict[str, float] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def statistic(name: str) -> tuple[str, str] | None:
    """Registry suffix of the statistic and the source's name of the quantity: ``("p999", "tpot")``."""
    found = _STATISTIC.fullmatch(name)
    if found is None or found[1] not in STATS:
        return None
    return STATS[found[1]], found[2]


def read_statistics(row: Fields, readings: Readings, seconds: float = 1.0) -> None:
    """Latencies (one unit of the row is ``seconds``) and interactivity, each under its registry key."""
    for name in row.values:
        found = statistic(name)
        if found is None or found[1] == "intvty":
            continue
        value = row.number(name)
        if value is not None and _is_latency(value, found[0], name, readings):
            readings.values[f"{DISTRIBUTIONS[found[1]]}_{found[0]}"] = value * seconds
    _read_interactivity(row, readings)


def _is_latency(value: float, stat: str, name: str, readings: Readings) -> bool:
    # Percentiles of nothing are 0.0 in the producer; a spread of 0 is one request.
    if value > 0 or (value == 0 and stat == "std"):
        return True
    readings.notes.append(f"{name} left out: {value:g} is no latency")
    return False


def _read_interactivity(row: Fields, readings: Readings) -> None:
    """1 / the same statistic of TPOT, which the row's own TPOT proves; other numbers are the old meaning.

    Until July 2026 agentic producers took the statistic of the reciprocals; the fixed-sequence producer
    never did (``process_result.py``: 1000 / tpot_ms for every statistic).
    """
    for name in row.values:
        found = statistic(name)
        if found is None or found[1] != "intvty":
            continue
        value, stat = row.number(name), found[0]
        if stat == "std":
            readings.notes.append(f"{name} left out: 1 / the spread of TPOT says nothing")
        elif value is not None and value > 0:
            _keep_interactivity(value, stat, readings)
        elif value is not None:
            readings.notes.append(f"{name} left out: {value:g} is no interactivity")
    for stat in set(STATS.values()) - {"std"}:
        tpot = readings.values.get(f"tpot_{stat}")
        if tpot is not None:
            readings.values.setdefault(f"interactivity_{stat}", 1 / tpot)


def _keep_interactivity(value: float, stat: str, readings: Readings) -> None:
    tpot = readings.values.get(f"tpot_{stat}")
    if tpot is None or math.isclose(value * tpot, 1, rel_tol=TOLERANCE):
        readings.values[f"interactivity_{stat}"] = value
        return
    readings.values[f"legacy_interactivity_{stat}"] = value
    if LEGACY_INTERACTIVITY not in readings.flags:
        readings.flags.append(LEGACY_INTERACTIVITY)

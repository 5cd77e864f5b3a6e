"""Statistics of an agentic aggregate by registry key, and which definition of interactivity it follows. Pure.

Since July 2026 ``intvty`` is the reciprocal of the same statistic of the inter-token latency. Before, it
was the statistic of the reciprocals, in which P90 is the fast tail. A row that states both tells by itself
which one it means; the modern values follow from the latencies then.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from results.ingest.formats.agentic.leaves import Leaves

#: Statistic of the registry by the spelling of a source.
STATISTICS: Mapping[str, str] = {
    "mean": "mean",
    "median": "p50",
    "p50": "p50",
    "p75": "p75",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
    "p99.9": "p999",
    "p999": "p999",
    "std": "std",
}
#: Metric name of the registry by the spelling of a source.
NAMES: Mapping[str, str] = {
    "ttft": "ttft",
    "e2el": "e2e_latency",
    "ttlt": "e2e_latency",
    "itl": "itl",
    "tpot": "tpot",
    "intvty": "interactivity",
    "e2e_norm_intvty": "e2e_norm_interactivity",
    "full_response_itl": "full_response_itl",
    "full_response_intvty": "full_response_interactivity",
    "qps": "completions_per_second",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "output_tokens_actual": "output_tokens",
}
_RATES = ("interactivity", "e2e_norm_interactivity", "full_response_interactivity")
#: The rest of the names may well be zero.
_POSITIVE = ("ttft", "e2e_latency", "itl", "tpot", "full_response_itl", *_RATES)
#: Aggregates round to five decimals, twice on the way from a latency to its reciprocal.
_ROUNDING = 1.1e-5


@dataclass(slots=True)
class Distributions:
    values: dict[str, float] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_distributions(leaves: Leaves, paths: Mapping[str, Mapping[str, str]]) -> Distributions:
    """``paths``: by metric name of the source, the path of each statistic. Raises FormatError."""
    found = Distributions()
    for name, by_statistic in paths.items():
        for statistic, path in by_statistic.items():
            _add(found, NAMES[name], STATISTICS[statistic], leaves, path)
    _settle_interactivity(found)
    return found


def _add(found: Distributions, name: str, statistic: str, leaves: Leaves, path: str) -> None:
    key = f"{name}_{statistic}"
    if statistic == "std" and name in _RATES:
        if leaves.drop(path):
            found.notes.append(f"{path}: the spread of reciprocals is no statistic of the latency, left out")
        return
    if key in found.values:
        return
    value = leaves.number(path)
    if value is None:
        return
    if value < 0 or (value == 0 and name in _POSITIVE and statistic != "std"):
        found.notes.append(f"{path}: {value:g} is no measurement, left out")
        return
    found.values[key] = value


def _settle_interactivity(found: Distributions) -> None:
    values = found.values
    latency = "itl" if any(key.startswith("itl_") for key in values) else "tpot"
    pairs = {
        statistic: (values.get(f"interactivity_{statistic}"), values.get(f"{latency}_{statistic}"))
        for statistic in dict.fromkeys(STATISTICS.values())
        if statistic != "std"
    }
    if any(rate and itl and not _reciprocal(rate, itl) for rate, itl in pairs.values()):
        found.flags.append("legacy_interactivity")
        found.notes.append("intvty is a statistic of 1 / ITL here; interactivity follows from the ITL")
        for statistic in pairs:
            if (rate := values.pop(f"interactivity_{statistic}", None)) is not None:
                values[f"legacy_interactivity_{statistic}"] = rate
    for statistic, (_rate, itl) in pairs.items():
        if itl:
            values.setdefault(f"interactivity_{statistic}", 1 / itl)


def _reciprocal(rate: float, latency: float) -> bool:
    return abs(1 / rate - latency) <= max(_ROUNDING, 1e-6 * latency)

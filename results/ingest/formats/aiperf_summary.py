"""The distributions that AIPerf summarised itself, by registry key in registered units. Pure.

Used where the records are missing or incomplete. Throughput is tokens over the time from the first start
to the last end, as everywhere; the client's own throughputs divide by its phase in some versions. What
needs single requests (end-to-end normalised interactivity, completions per second) is absent.
"""

import math
from collections.abc import Mapping
from typing import Any

from results.analysis.server import theoretical_hit_rate
from results.analysis.summary import reciprocal
from results.ingest.rows import FormatError

_STATISTICS: Mapping[str, str] = {
    "avg": "mean",
    **{name: name for name in ("p50", "p75", "p90", "p95", "p99", "std")},
}
_SECONDS: Mapping[str, float] = {"s": 1.0, "sec": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_LATENCIES: Mapping[str, tuple[str, ...]] = {
    "time_to_first_token": ("ttft",),
    "request_latency": ("e2e_latency",),
    "inter_token_latency": ("itl", "tpot"),
    "full_response_inter_token_latency": ("full_response_itl",),
}
_SIZES: Mapping[str, str] = {
    "input_sequence_length": "input_tokens",
    "output_sequence_length": "output_tokens",
}
_RATES: Mapping[str, str] = {"itl": "interactivity", "full_response_itl": "full_response_interactivity"}


class Metrics:
    """Metric objects by tag. Raises FormatError for a figure that is no finite number."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        # The first versions kept the metrics under one key.
        inner = document.get("records")
        self._entries = inner if isinstance(inner, dict) else document

    def number(self, tag: str, statistic: str = "avg") -> float | None:
        """A non-negative statistic of a metric as it stands there."""
        entry = self._entries.get(tag)
        if entry is None:
            return None
        place = f"/{tag}/{statistic}"
        value = entry.get(statistic) if isinstance(entry, dict) else None
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            raise FormatError(place, "must be a finite number")
        if value < 0:
            raise FormatError(place, "must not be negative")
        return float(value)

    def seconds(self, tag: str, statistic: str = "avg") -> float | None:
        value = self.number(tag, statistic)
        if value is None:
            return None
        unit = self.unit(tag)
        if unit not in _SECONDS:
            raise FormatError(f"/{tag}/unit", f"must be one of {', '.join(_SECONDS)}")
        # Divided: a thousand is exact as a float and a thousandth is not.
        return value / _SECONDS[unit]

    def unit(self, tag: str) -> str:
        entry = self._entries.get(tag)
        return str(entry.get("unit", "")) if isinstance(entry, dict) else ""

    def total(self, tag: str, *scalars: str) -> float | None:
        """Sum over requests; ``scalars`` are tags whose value is that sum."""
        totals = (self.number(scalar) for scalar in scalars)
        return next((value for value in totals if value is not None), self.number(tag, "sum"))


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def summary_values(document: Mapping[str, Any]) -> dict[str, float]:
    """Request-side values without per-GPU figures; raises FormatError."""
    metrics = Metrics(document)
    values: dict[str, float] = {}
    for tag, names in _LATENCIES.items():
        described = _described(metrics, tag)
        for name in names:
            values.update({f"{name}_{stat}": value for stat, value in described.items()})
            if name in _RATES:
                rates = reciprocal(described)
                values.update({f"{_RATES[name]}_{stat}": value for stat, value in rates.items()})
    for tag, name in _SIZES.items():
        for statistic, stat in _STATISTICS.items():
            size = metrics.number(tag, statistic)
            if size is not None:
                values[f"{name}_{stat}"] = size
    values |= {**_accounting(metrics), **_throughput(metrics), **_cache(document, metrics)}
    # A quotient of extreme figures is no number.
    return {key: value for key, value in values.items() if math.isfinite(value)}


def _described(metrics: Metrics, tag: str) -> dict[str, float]:
    """Seconds by statistic; a latency of zero is no measurement, a spread of zero is one."""
    found = {stat: metrics.seconds(tag, statistic) for statistic, stat in _STATISTICS.items()}
    return {stat: value for stat, value in found.items() if value is not None and (value or stat == "std")}


def successful(metrics: Metrics) -> int | None:
    count = metrics.number("request_count")
    return None if count is None else int(count)


def failed(metrics: Metrics) -> int:
    return int(metrics.number("error_request_count") or 0)


def _accounting(metrics: Metrics) -> dict[str, float]:
    done, errors = successful(metrics), failed(metrics)
    if done is None:
        return {}
    answered = done + errors
    rate = {"error_rate": errors / answered} if answered else {}
    return {"requests_successful": done, "requests_failed": errors, **rate}


def _throughput(metrics: Metrics) -> dict[str, float]:
    seconds, done = metrics.seconds("benchmark_duration"), successful(metrics)
    if seconds is None:
        return {}
    if seconds == 0 or not done:
        return {"duration": seconds}
    inputs = metrics.total("input_sequence_length", "total_isl")
    outputs = metrics.total("output_sequence_length", "total_osl")
    total = None if inputs is None or outputs is None else inputs + outputs
    tokens = {"input": inputs, "output": outputs, "total": total}
    rates = {f"{name}_throughput": count / seconds for name, count in tokens.items() if count is not None}
    return {"duration": seconds, "request_throughput": done / seconds, **rates}


def _cache(document: Mapping[str, Any], metrics: Metrics) -> dict[str, float]:
    theory = theoretical_hit_rate(document)
    cached = metrics.number("total_usage_prompt_cache_read_tokens")
    prompt = metrics.number("total_usage_prompt_tokens")
    return {
        **({} if theory is None or not 0 <= theory <= 1 else {"theoretical_cache_hit_rate": theory}),
        **({"client_cache_hit_rate": cached / prompt} if cached is not None and prompt else {}),
    }

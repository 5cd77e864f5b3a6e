"""Request records of one load reduced to the metrics of the registry.

Formulas follow the AgentX aggregation (InferenceX v3): only profiled requests without error count,
throughput runs from the first start to the last end, and per-GPU figures divide by all accelerators.
A value that cannot be computed is absent from the result.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from results.analysis.percentiles import describe
from results.analysis.requests import RequestRecord

NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Summary:
    """Metric values by registry key, and counts that have no registry entry."""

    values: dict[str, float]
    counts: dict[str, int]


def summarize(records: Iterable[RequestRecord], gpus: int) -> Summary:
    """Request-side metrics of one load on a deployment of ``gpus`` accelerators (at least one)."""
    if gpus < 1:
        raise ValueError("gpus must be at least 1")
    everything = list(records)
    done = [record for record in everything if record.successful]
    values = {
        **_accounting(everything, done),
        **_latencies(done),
        **_sizes(done),
        **_throughput(done, gpus),
        **_rates("completions_per_second", describe(completions_per_second(done))),
        **_cache(done),
    }
    finite = {key: value for key, value in values.items() if math.isfinite(value)}
    return Summary(finite, _counts(everything, done))


def window_ns(records: Iterable[RequestRecord]) -> tuple[int, int] | None:
    """First start and last end of the records in epoch nanoseconds; None for no records."""
    spans = [(record.start_ns, record.end_ns) for record in records]
    if not spans:
        return None
    return min(start for start, _end in spans), max(end for _start, end in spans)


def duration(records: Iterable[RequestRecord]) -> float | None:
    """Seconds from the first start to the last end; None for no records."""
    window = window_ns(records)
    return None if window is None else (window[1] - window[0]) / NANOSECONDS


def completions_per_second(records: Sequence[RequestRecord]) -> list[int]:
    """Completed requests in each full second since the first completion.

    The second in which the last request ends is incomplete and left out.
    """
    if not records:
        return []
    first = min(record.end_ns for record in records)
    bins = [0] * ((max(record.end_ns for record in records) - first) // NANOSECONDS)
    for record in records:
        second = (record.end_ns - first) // NANOSECONDS
        if second < len(bins):
            bins[second] += 1
    return bins


def _accounting(everything: Sequence[RequestRecord], done: Sequence[RequestRecord]) -> dict[str, float]:
    failed = sum(record.failed for record in everything)
    answered = len(done) + failed
    counts: dict[str, float] = {
        "requests_total": len(everything),
        "requests_successful": len(done),
        "requests_failed": failed,
    }
    return {**counts, "error_rate": failed / answered} if answered else counts


def _positive(
    records: Sequence[RequestRecord], read: Callable[[RequestRecord], float | None]
) -> Iterable[float]:
    """Values above zero: a latency of zero or less is a clock artefact, not a measurement."""
    return (value for value in map(read, records) if value is not None and value > 0)


def _latencies(done: Sequence[RequestRecord]) -> dict[str, float]:
    itl = describe(_positive(done, lambda record: record.itl))
    full = describe(_positive(done, lambda record: record.full_response_itl))
    normalised = describe(_positive(done, seconds_per_output_token))
    return {
        **_rates("ttft", describe(_positive(done, lambda record: record.ttft))),
        **_rates("e2e_latency", describe(_positive(done, lambda record: record.latency))),
        **_rates("itl", itl),
        **_rates("tpot", itl),
        **_rates("interactivity", reciprocal(itl)),
        **_rates("e2e_norm_interactivity", reciprocal(normalised)),
        **_rates("full_response_itl", full),
        **_rates("full_response_interactivity", reciprocal(full)),
    }


def seconds_per_output_token(record: RequestRecord) -> float | None:
    """End-to-end latency / output tokens; None without both."""
    if record.latency is None or not record.output_tokens:
        return None
    return record.latency / record.output_tokens


def reciprocal(described: dict[str, float]) -> dict[str, float]:
    """Rate at each statistic: 1 / statistic, so that P90 is the slow tail. A spread has no reciprocal."""
    return {stat: 1 / value for stat, value in described.items() if stat != "std" and value > 0}


def _rates(name: str, described: dict[str, float]) -> dict[str, float]:
    return {f"{name}_{stat}": value for stat, value in described.items()}


def _sizes(done: Sequence[RequestRecord]) -> dict[str, float]:
    inputs = [record.input_tokens for record in done if record.input_tokens is not None]
    outputs = [record.output_tokens for record in done if record.output_tokens is not None]
    return {**_rates("input_tokens", describe(inputs)), **_rates("output_tokens", describe(outputs))}


def _throughput(done: Sequence[RequestRecord], gpus: int) -> dict[str, float]:
    seconds = duration(done)
    if seconds is None:
        return {}
    if seconds == 0:
        return {"duration": seconds}
    inputs = _complete_sum(record.input_tokens for record in done)
    outputs = _complete_sum(record.output_tokens for record in done)
    total = None if inputs is None or outputs is None else inputs + outputs
    values = {"duration": seconds, "request_throughput": len(done) / seconds}
    for name, tokens in (("input", inputs), ("output", outputs), ("total", total)):
        if tokens is not None:
            values[f"{name}_throughput"] = tokens / seconds
            values[f"{name}_throughput_per_gpu"] = tokens / seconds / gpus
    return values


def _complete_sum(counts: Iterable[int | None]) -> int | None:
    """The sum, or None when a count is missing: a partial sum would understate throughput."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _cache(done: Sequence[RequestRecord]) -> dict[str, float]:
    """Cached / prompt tokens over the usage of every answer.

    Servers leave the field out of an answer without a hit, so a missing value counts as no hit as long
    as any answer of the load has the field; without one the rate is unknown.
    """
    if all(record.cached_tokens is None for record in done):
        return {}
    prompt = _complete_sum(
        record.input_tokens if record.prompt_tokens is None else record.prompt_tokens for record in done
    )
    if not prompt:
        return {}
    return {"client_cache_hit_rate": sum(record.cached_tokens or 0 for record in done) / prompt}


def _counts(everything: Sequence[RequestRecord], done: Sequence[RequestRecord]) -> dict[str, int]:
    return {
        "records_warmup": sum(not record.profiled for record in everything),
        "records_cancelled": sum(record.profiled and record.cancelled for record in everything),
        "records_overflow": sum(record.profiled and record.overflow for record in everything),
        "records_without_input_tokens": sum(record.input_tokens is None for record in done),
        "records_without_output_tokens": sum(record.output_tokens is None for record in done),
    }

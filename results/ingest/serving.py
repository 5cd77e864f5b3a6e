"""What clients of the benchmark_serving family share: statistics by key, rates, requests one by one. Pure.

Their ``tpot`` is (latency - TTFT) / (output tokens - 1) per request, so interactivity is its reciprocal;
their ``itl`` is the gap between two chunks, which is a token gap only if every chunk holds one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from results.analysis.percentiles import describe
from results.analysis.summary import reciprocal
from results.ingest.fields import Fields

#: Spelling of a statistic before the name of a latency, and the registry's.
STATS: Mapping[str, str] = {
    "mean": "mean", "median": "p50", "std": "std", "p50": "p50", "p75": "p75", "p90": "p90", "p95": "p95",
    "p99": "p99", "p99.9": "p999",
}  # fmt: skip
MILLISECONDS = 1e-3
#: Relative difference above which two statements of the same thing are called different.
TOLERANCE = 0.01
_LONGEST_TEXT = 256


@dataclass(frozen=True, slots=True)
class Timing:
    """One successful request; seconds and tokens, None where the client does not say."""

    ttft: float | None
    latency: float | None
    input_tokens: int | None
    output_tokens: int | None
    chunk_gaps: Sequence[float] = ()


def statistics(fields: Fields, names: Mapping[str, str], suffix: str, scale: float) -> dict[str, float]:
    """Values of keys like ``median_ttft_ms``. ``names`` maps ``ttft`` to the registry's name.

    A latency of zero or less is left out: it says that nothing was measured.
    """
    found = {}
    for spelling, stat in STATS.items():
        for name, registered in names.items():
            value = fields.amount(f"{spelling}_{name}{suffix}")
            if value is not None and (value > 0 or stat == "std"):
                found[f"{registered}_{stat}"] = value * scale
    return found


def interactivity(values: Mapping[str, float], seconds: str = "tpot") -> dict[str, float]:
    """1 / the same statistic of the time per output token."""
    stats = {key.removeprefix(f"{seconds}_"): value for key, value in values.items()
             if key.startswith(f"{seconds}_")}  # fmt: skip
    return named("interactivity", inverse(stats))


def inverse(stats: Mapping[str, float]) -> dict[str, float]:
    """Rate at each statistic; what is too small to have a reciprocal has none."""
    return {stat: rate for stat, rate in reciprocal(dict(stats)).items() if math.isfinite(rate)}


def named(name: str, stats: Mapping[str, float]) -> dict[str, float]:
    """Registry keys of the statistics of one distribution."""
    return {f"{name}_{stat}": value for stat, value in stats.items()}


def distributions(requests: Sequence[Timing]) -> dict[str, float]:
    """All distributions of the registry that the requests one by one give."""
    tpot = describe(_known(map(_tpot, requests)))
    return {
        **named("ttft", describe(_known(request.ttft for request in requests))),
        **named("e2e_latency", describe(_known(request.latency for request in requests))),
        **named("tpot", tpot),
        **named("interactivity", inverse(tpot)),
        **named("e2e_norm_interactivity", inverse(describe(_known(map(_per_token, requests))))),
        **named(
            "inter_chunk_latency", describe(_known(g for request in requests for g in request.chunk_gaps))
        ),
        **named("input_tokens", describe(_known(request.input_tokens for request in requests))),
        **named("output_tokens", describe(_known(request.output_tokens for request in requests))),
    }


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and value > 0]


def _tpot(request: Timing) -> float | None:
    if request.ttft is None or request.latency is None or not request.output_tokens:
        return None
    tokens = request.output_tokens - 1
    return (request.latency - request.ttft) / tokens if tokens else None


def _per_token(request: Timing) -> float | None:
    if request.latency is None or not request.output_tokens:
        return None
    return request.latency / request.output_tokens


def accounting(successful: int | None, failed: int | None) -> dict[str, float]:
    """Counts of requests, as far as they are known."""
    values: dict[str, float] = {}
    if successful is not None:
        values["requests_successful"] = successful
    if failed is not None:
        values["requests_failed"] = failed
    if successful is not None and failed is not None:
        values["requests_total"] = successful + failed
        if successful + failed:
            values["error_rate"] = failed / (successful + failed)
    return values


def rates(
    duration: float | None, requests: int | None, inputs: int | None, outputs: int | None
) -> dict[str, float]:
    """Rates of the deployment from counts and the duration in seconds."""
    if not duration:
        return {} if duration is None else {"duration": duration}
    counts = {
        "request_throughput": requests,
        "input_throughput": inputs,
        "output_throughput": outputs,
        "total_throughput": None if inputs is None or outputs is None else inputs + outputs,
    }
    known = {key: count / duration for key, count in counts.items() if count is not None}
    return {"duration": duration, **{key: rate for key, rate in known.items() if math.isfinite(rate)}}


def differing(reported: Mapping[str, float], computed: Mapping[str, float]) -> list[str]:
    """Keys of both that differ by more than TOLERANCE."""
    return sorted(
        key for key, value in reported.items()
        if key in computed and abs(value - computed[key]) > TOLERANCE * max(abs(value), abs(computed[key]))
    )  # fmt: skip


def leftovers(fields: Fields, read: Iterable[str]) -> dict[str, Any]:
    """Scalars that no metric holds, under the file's names; long text, NaN and infinities stay out."""
    known = frozenset(read)
    return {
        key: value for key, value in fields.values.items()
        if key not in known and is_small(value)
    }  # fmt: skip


def is_small(value: Any) -> bool:
    """Whether a value may stand in ``extra``: a short text, a boolean or a finite number."""
    if isinstance(value, str):
        return len(value) <= _LONGEST_TEXT
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))

"""The metric registry. A number without an entry here has no unit and no direction, so it is not shown.

Nothing is inferred from a name and nothing has a default direction. Times are seconds, tokens are
counts, rates are per second; "per GPU" divides by all accelerators of the deployment. Formulas follow
the AgentX aggregation (InferenceX v3) unless ``source`` says otherwise. Pure: no Django.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Direction(StrEnum):
    HIGHER = "higher"
    LOWER = "lower"
    NEUTRAL = "neutral"


def gettext_noop(text: str) -> str:
    """Mark ``text`` for the message catalogue; pages translate it when they show it."""
    return text


@dataclass(frozen=True, slots=True)
class Metric:
    """One registered number; ``key`` is the column, the API field and the CSV header."""

    key: str
    name: str
    stat: str | None
    unit: str
    direction: Direction
    formula: str
    denominator: str
    source: str

    @property
    def label(self) -> str:
        return self.name if self.stat is None else f"{self.name} {STAT_LABELS[self.stat]}"


STAT_LABELS = {
    "mean": gettext_noop("mean"),
    "p50": "P50",
    "p75": "P75",
    "p90": "P90",
    "p95": "P95",
    "p99": "P99",
    "p999": "P99.9",
    "std": gettext_noop("SD"),
}
_ALL = tuple(STAT_LABELS)
_NO_STD = tuple(stat for stat in _ALL if stat != "std")
_AGENTX = "AgentX aggregate, request_metrics"
_SERVER = "engine counters over the profiling window"
_CLIENT = "client records over the profiling window"
_POWER = "power aggregate, schema version 2"
_PRICES = "price and power table"
_H, _L, _N = Direction.HIGHER, Direction.LOWER, Direction.NEUTRAL

#: name, label, unit, direction, formula, denominator, statistics
_DISTRIBUTIONS: tuple[tuple[str, str, str, Direction, str, str, tuple[str, ...]], ...] = (
    ("ttft", gettext_noop("Time to first token"), "s", _L,
     "statistic over requests of time_to_first_token", "request", _ALL),
    ("e2e_latency", gettext_noop("End-to-end latency"), "s", _L,
     "statistic over requests of the time to the last content chunk", "request", _ALL),
    ("itl", gettext_noop("Inter-token latency"), "s", _L,
     "statistic over requests of (latency - TTFT) / (output tokens - 1)", "request", _ALL),
    ("tpot", gettext_noop("Time per output token"), "s", _L,
     "AgentX defines it equal to the inter-token latency", "request", _ALL),
    ("inter_chunk_latency", gettext_noop("Inter-chunk latency"), "s", _N,
     "statistic over the gaps between streamed chunks of all requests; benchmark_serving calls it itl",
     "chunk gap", _ALL),
    ("interactivity", gettext_noop("Interactivity"), "tok/s/user", _H,
     "1 / same statistic of the inter-token latency", "request", _NO_STD),
    ("legacy_interactivity", gettext_noop("Interactivity, definition before July 2026"), "tok/s/user", _H,
     "statistic over requests of 1 / inter-token latency", "request", _NO_STD),
    ("e2e_norm_interactivity", gettext_noop("End-to-end normalised interactivity"), "tok/s/user", _H,
     "1 / same statistic of (E2E latency / output tokens)", "request", _NO_STD),
    ("full_response_itl", gettext_noop("Full-response inter-token latency"), "s", _L,
     "as inter-token latency, counting tokens that a parser hides", "request", _ALL),
    ("full_response_interactivity", gettext_noop("Full-response interactivity"), "tok/s/user", _H,
     "1 / same statistic of the full-response inter-token latency", "request", _NO_STD),
    ("input_tokens", gettext_noop("Input tokens per request"), "tok", _N,
     "statistic over requests of the server's prompt token count", "request", _ALL),
    ("output_tokens", gettext_noop("Output tokens per request"), "tok", _N,
     "statistic over requests of the server's completion token count", "request", _ALL),
    ("completions_per_second", gettext_noop("Completions in one-second bins"), "req/s", _H,
     "statistic over one-second bins of completed requests", "1 s bin", _ALL),
)  # fmt: skip

#: key, label, unit, direction, formula, denominator, source
_SCALARS: tuple[tuple[str, str, str, Direction, str, str, str], ...] = (
    ("request_throughput", gettext_noop("Request throughput"), "req/s", _H,
     "successful requests / duration", "deployment", _AGENTX),
    ("input_throughput", gettext_noop("Input throughput"), "tok/s", _H,
     "sum of input tokens / duration", "deployment", _AGENTX),
    ("output_throughput", gettext_noop("Output throughput"), "tok/s", _H,
     "sum of output tokens / duration", "deployment", _AGENTX),
    ("total_throughput", gettext_noop("Total throughput"), "tok/s", _H,
     "sum of input and output tokens / duration", "deployment", _AGENTX),
    ("input_throughput_per_gpu", gettext_noop("Input throughput per GPU"), "tok/s/GPU", _H,
     "input throughput / all GPUs", "all GPUs", _AGENTX),
    ("output_throughput_per_gpu", gettext_noop("Output throughput per GPU"), "tok/s/GPU", _H,
     "output throughput / all GPUs", "all GPUs", _AGENTX),
    ("total_throughput_per_gpu", gettext_noop("Total throughput per GPU"), "tok/s/GPU", _H,
     "total throughput / all GPUs", "all GPUs", _AGENTX),
    ("prefill_input_throughput_per_gpu", gettext_noop("Input throughput per prefill GPU"), "tok/s/GPU", _H,
     "input throughput / prefill GPUs", "prefill GPUs", "fixed-sequence aggregate, disaggregated"),
    ("decode_output_throughput_per_gpu", gettext_noop("Output throughput per decode GPU"), "tok/s/GPU", _H,
     "output throughput / decode GPUs", "decode GPUs", "fixed-sequence aggregate, disaggregated"),
    ("duration", gettext_noop("Measured duration"), "s", _N,
     "last request end - first request start", "point", _AGENTX),
    ("requests_total", gettext_noop("Requests recorded"), "req", _N,
     "all records, warm-up and errors included", "point", _AGENTX),
    ("requests_successful", gettext_noop("Successful requests"), "req", _N,
     "profiled records without error", "point", _AGENTX),
    ("requests_failed", gettext_noop("Failed requests"), "req", _L,
     "profiled records with an error", "point", _AGENTX),
    ("error_rate", gettext_noop("Error rate"), "1", _L,
     "failed / (successful + failed) profiled records", "request", _AGENTX),
    ("theoretical_cache_hit_rate", gettext_noop("Theoretical prefix hit rate"), "1", _N,
     "block prefix hits of the issued requests with an infinite cache", "input token", _AGENTX),
    ("client_cache_hit_rate", gettext_noop("Prefix hit rate reported to the client"), "1", _H,
     "sum of cached prompt tokens / sum of prompt tokens in each answer's usage", "input token", _CLIENT),
    ("overall_cache_hit_rate", gettext_noop("Prefix hit rate, all tiers"), "1", _H,
     "prompt tokens from any cache / prompt tokens", "input token", _SERVER),
    ("gpu_cache_hit_rate", gettext_noop("Prefix hit rate, device tier"), "1", _H,
     "prompt tokens from the device cache / prompt tokens", "input token", _SERVER),
    ("host_cache_hit_rate", gettext_noop("Prefix hit rate, host tier"), "1", _H,
     "prompt tokens from host memory / prompt tokens", "input token", _SERVER),
    ("external_cache_hit_rate", gettext_noop("Prefix hit rate, external tier"), "1", _H,
     "prompt tokens from an external store / prompt tokens", "input token", _SERVER),
    ("frontend_cache_hit_rate", gettext_noop("Prefix hit rate, frontend"), "1", _H,
     "cached tokens / input tokens seen by the frontend", "input token", _SERVER),
    ("router_cache_hit_rate", gettext_noop("Prefix hit rate, router"), "1", _H,
     "mean of the router's hit rate gauge", "input token", _SERVER),
    ("prompt_tokens_computed", gettext_noop("Prompt tokens computed"), "tok", _N,
     "prompt tokens that were prefilled", "point", _SERVER),
    ("prompt_tokens_cached_gpu", gettext_noop("Prompt tokens from the device cache"), "tok", _N,
     "prompt tokens read from the device cache", "point", _SERVER),
    ("prompt_tokens_cached_host", gettext_noop("Prompt tokens from host or external cache"), "tok", _N,
     "prompt tokens read from host memory or an external store", "point", _SERVER),
    ("generation_tokens", gettext_noop("Generated tokens counted by the server"), "tok", _N,
     "increase of the server's generation counter", "point", _SERVER),
    ("gpu_kv_usage_max", gettext_noop("Device KV cache usage, maximum"), "1", _N,
     "maximum of the usage gauge", "KV pool", _SERVER),
    ("host_kv_usage_max", gettext_noop("Host KV cache usage, maximum"), "1", _N,
     "maximum of the usage gauge", "host KV pool", _SERVER),
    ("kv_cache_pool_tokens", gettext_noop("Device KV pool size"), "tok", _N,
     "tokens that the device KV pool holds", "deployment", _SERVER),
    ("requests_running_mean", gettext_noop("Running requests, mean"), "req", _N,
     "mean of the gauge", "deployment", _SERVER),
    ("requests_waiting_mean", gettext_noop("Waiting requests, mean"), "req", _L,
     "mean of the gauge", "deployment", _SERVER),
    ("preemptions", gettext_noop("Preemptions"), "1", _L,
     "increase of the preemption counter", "point", _SERVER),
    ("kv_offload_bytes_out", gettext_noop("KV bytes device to host"), "B", _N,
     "increase of the offload byte counter", "point", _SERVER),
    ("kv_offload_bytes_in", gettext_noop("KV bytes host to device"), "B", _N,
     "increase of the offload byte counter", "point", _SERVER),
    ("kv_offload_bandwidth_out", gettext_noop("KV offload bandwidth device to host"), "B/s", _H,
     "bytes / transfer time", "deployment", _SERVER),
    ("kv_offload_bandwidth_in", gettext_noop("KV offload bandwidth host to device"), "B/s", _H,
     "bytes / transfer time", "deployment", _SERVER),
    ("allocated_host_dram_gb", gettext_noop("Host DRAM allocated to KV"), "GB", _N,
     "decimal gigabytes, 0 when the tier is off", "deployment", _AGENTX),
    ("gpu_power_mean", gettext_noop("Power per GPU, mean"), "W/GPU", _L,
     "energy / duration / GPUs", "all GPUs", _POWER),
    ("total_power_mean", gettext_noop("GPU power, mean"), "W", _L,
     "energy of all GPUs / duration", "deployment", _POWER),
    ("gpu_energy", gettext_noop("GPU energy"), "J", _L,
     "trapezoidal integral of each GPU's power over the window", "deployment", _POWER),
    ("joules_per_request", gettext_noop("Energy per successful request"), "J/req", _L,
     "GPU energy / successful requests", "request", _POWER),
    ("joules_per_input_token", gettext_noop("Energy per input token"), "J/tok", _L,
     "GPU energy / input tokens", "input token", _POWER),
    ("joules_per_output_token", gettext_noop("Energy per output token"), "J/tok", _L,
     "GPU energy / output tokens", "output token", _POWER),
    ("joules_per_total_token", gettext_noop("Energy per token"), "J/tok", _L,
     "GPU energy / all tokens", "token", _POWER),
)  # fmt: skip


def _distribution_metrics() -> Iterator[Metric]:
    for name, label, unit, direction, formula, denominator, stats in _DISTRIBUTIONS:
        for stat in stats:
            # Spread is a description, never an objective.
            way = Direction.NEUTRAL if stat == "std" else direction
            yield Metric(f"{name}_{stat}", label, stat, unit, way, formula, denominator, _AGENTX)


def _scalar_metrics() -> Iterator[Metric]:
    for key, label, unit, direction, formula, denominator, source in _SCALARS:
        yield Metric(key, label, None, unit, direction, formula, denominator, source)


#: key, label, unit, direction, formula, denominator; the formulas are in results.analysis.cost
_DERIVED: tuple[tuple[str, str, str, Direction, str, str], ...] = (
    ("cost_per_million_input_tokens", gettext_noop("Cost per million input tokens"), "USD/Mtok", _L,
     "price per GPU hour / (3600 * input throughput per GPU / 10^6)", "input token"),
    ("cost_per_million_output_tokens", gettext_noop("Cost per million output tokens"), "USD/Mtok", _L,
     "price per GPU hour / (3600 * output throughput per GPU / 10^6)", "output token"),
    ("cost_per_million_total_tokens", gettext_noop("Cost per million tokens"), "USD/Mtok", _L,
     "price per GPU hour / (3600 * total throughput per GPU / 10^6)", "token"),
    ("input_tokens_per_dollar", gettext_noop("Input tokens per dollar"), "tok/USD", _H,
     "3600 * input throughput per GPU / price per GPU hour", "US dollar"),
    ("output_tokens_per_dollar", gettext_noop("Output tokens per dollar"), "tok/USD", _H,
     "3600 * output throughput per GPU / price per GPU hour", "US dollar"),
    ("total_tokens_per_dollar", gettext_noop("Tokens per dollar"), "tok/USD", _H,
     "3600 * total throughput per GPU / price per GPU hour", "US dollar"),
    ("input_throughput_per_megawatt", gettext_noop("Input throughput per megawatt"), "tok/s/MW", _H,
     "1000 * input throughput per GPU / provisioned kW per GPU", "provisioned power"),
    ("output_throughput_per_megawatt", gettext_noop("Output throughput per megawatt"), "tok/s/MW", _H,
     "1000 * output throughput per GPU / provisioned kW per GPU", "provisioned power"),
    ("total_throughput_per_megawatt", gettext_noop("Throughput per megawatt"), "tok/s/MW", _H,
     "1000 * total throughput per GPU / provisioned kW per GPU", "provisioned power"),
    ("provisioned_joules_per_input_token", gettext_noop("Provisioned energy per input token"), "J/tok", _L,
     "1000 * provisioned kW per GPU / input throughput per GPU", "input token"),
    ("provisioned_joules_per_output_token", gettext_noop("Provisioned energy per output token"), "J/tok", _L,
     "1000 * provisioned kW per GPU / output throughput per GPU", "output token"),
    ("provisioned_joules_per_total_token", gettext_noop("Provisioned energy per token"), "J/tok", _L,
     "1000 * provisioned kW per GPU / total throughput per GPU", "token"),
)  # fmt: skip


METRICS: dict[str, Metric] = {metric.key: metric for metric in (*_distribution_metrics(), *_scalar_metrics())}

#: What a price and power table makes of a stored metric. Computed when asked for: no column of a point.
DERIVED: dict[str, Metric] = {
    key: Metric(key, label, None, unit, direction, formula, denominator, _PRICES)
    for key, label, unit, direction, formula, denominator in _DERIVED
}


def find_metric(key: str) -> Metric:
    """The entry of a stored or derived metric; KeyError when the registry has neither."""
    return METRICS[key] if key in METRICS else DERIVED[key]


#: The short list that pickers offer first; the whole registry stays one click away.
DEFAULT_METRICS: tuple[str, ...] = (
    "output_throughput_per_gpu", "total_throughput_per_gpu", "input_throughput_per_gpu",
    "request_throughput", "ttft_p50", "ttft_p90", "e2e_latency_p90", "itl_p90",
    "interactivity_p50", "interactivity_p90", "e2e_norm_interactivity_p90", "client_cache_hit_rate",
)  # fmt: skip

"""Engine counters of a nested aggregate (``server_metrics``) by registry key. Pure.

The adapter decides what a field means. Of vLLM, "cpu" and "external" are one number, the share that a KV
connector delivered, and the device share counts tokens only where the tokens by source stand too: else
it is hits per look-up, which counts a waiting request again and again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from results.ingest.formats.agentic.leaves import Leaves

_CACHE = "server_metrics.cache."
_TOKENS = "server_metrics.tokens."
_SIMPLE: Mapping[str, str] = {
    f"{_CACHE}frontend_cache_hit_rate": "frontend_cache_hit_rate",
    f"{_CACHE}router_kv_hit_rate": "router_cache_hit_rate",
    f"{_TOKENS}prompt_by_source.computed": "prompt_tokens_computed",
    f"{_TOKENS}prompt_by_source.gpu_cache_hit": "prompt_tokens_cached_gpu",
    f"{_TOKENS}prompt_by_source.cpu_or_external_cache_hit": "prompt_tokens_cached_host",
    f"{_TOKENS}generation_total": "generation_tokens",
    # Fractions, whatever the name says.
    "server_metrics.kv_cache.gpu_usage_pct": "gpu_kv_usage_max",
    "server_metrics.kv_cache.cpu_usage_pct": "host_kv_usage_max",
    "server_metrics.kv_offload.bytes_gpu_to_cpu": "kv_offload_bytes_out",
    "server_metrics.kv_offload.bytes_cpu_to_gpu": "kv_offload_bytes_in",
    "server_metrics.kv_offload.bandwidth_gpu_to_cpu_bytes_per_second": "kv_offload_bandwidth_out",
    "server_metrics.kv_offload.bandwidth_cpu_to_gpu_bytes_per_second": "kv_offload_bandwidth_in",
}
#: Registry key of the share from outside the device, by adapter.
_OUTSIDE: Mapping[str, tuple[str, str]] = {
    "vllm": ("external_cache_hit_rate", "external_cache_hit_rate"),
    "dynamo": ("external_cache_hit_rate", "external_cache_hit_rate"),
    "sglang": ("cpu_cache_hit_rate", "host_cache_hit_rate"),
    "atom": ("cpu_cache_hit_rate", "host_cache_hit_rate"),
}
_LOOKED_UP = ("vllm", "dynamo")


@dataclass(slots=True)
class ServerSide:
    values: dict[str, float] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_server(leaves: Leaves) -> ServerSide:
    """Raises FormatError for a figure that is no number."""
    found = ServerSide()
    adapter = (leaves.text("server_metrics.adapter") or "").lower()
    family = next((name for name in _OUTSIDE if adapter.startswith(name)), "")
    _take(found, leaves, _SIMPLE)
    by_source = "prompt_tokens_computed" in found.values
    if family in _LOOKED_UP and not by_source:
        if leaves.has(f"{_CACHE}gpu_cache_hit_rate"):
            found.notes.append("hit rates per look-up count waiting requests again: kept aside, not as rates")
    else:
        _take(found, leaves, _rates(leaves, family))
    pools = [
        leaves.number(name) for name in ("kv_cache_pool_tokens", "server_metrics.kv_cache.gpu_total_tokens")
    ]
    known = [pool for pool in pools if pool]
    if known:
        found.values["kv_cache_pool_tokens"] = known[0]
    return found


def _rates(leaves: Leaves, family: str) -> dict[str, str]:
    rates = {
        f"{_CACHE}gpu_cache_hit_rate": "gpu_cache_hit_rate",
        f"{_CACHE}overall_cache_hit_rate": "overall_cache_hit_rate",
    }
    if family:
        source, key = _OUTSIDE[family]
        leaves.drop(f"{_CACHE}cpu_cache_hit_rate", f"{_CACHE}external_cache_hit_rate")
        return {**rates, _CACHE + source: key}
    return {
        **rates,
        f"{_CACHE}cpu_cache_hit_rate": "host_cache_hit_rate",
        f"{_CACHE}external_cache_hit_rate": "external_cache_hit_rate",
    }


def _take(found: ServerSide, leaves: Leaves, names: Mapping[str, str]) -> None:
    for path, key in names.items():
        value = leaves.number(path)
        if value is None:
            continue
        if value < 0 or (key.endswith("_hit_rate") and value > 1):
            # 120 % is written as 1.2 by the producer when it takes a percentage for a fraction.
            found.notes.append(f"{path}: {value:g} is no share, left out")
        else:
            found.values[key] = value

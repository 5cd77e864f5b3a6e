"""Engine counters over the profiling window reduced to the server-side metrics of the registry.

Hit rates come from counters of prompt *tokens*. vLLM's ``prefix_cache_queries`` counts every look-up of
a waiting request again, so hits / queries is meaningless as soon as requests wait; it is not read here.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, Protocol

from results.analysis.series import Series


class Counters(Protocol):
    """What a window of an engine's metrics can answer; names come without ``_total``."""

    def series(self, name: str) -> list[Series]: ...

    def increase(self, name: str, **labels: str) -> float | None: ...

    def gauge(self, *names: str) -> list[float]: ...

    def highest(self, *names: str) -> float | None: ...


class FirstOf:
    """Several sources as one: each question goes to the first that has an answer."""

    def __init__(self, sources: Sequence[Counters]) -> None:
        self._sources = sources

    def series(self, name: str) -> list[Series]:
        return next((found for source in self._sources if (found := source.series(name))), [])

    def increase(self, name: str, **labels: str) -> float | None:
        # All series of a counter come from one source, or shares would not add up.
        for source in self._sources:
            if source.increase(name) is not None:
                return source.increase(name, **labels)
        return None

    def gauge(self, *names: str) -> list[float]:
        """Over time rather than as a mean where both are known: the last source is the finest."""
        return next((found for source in reversed(self._sources) if (found := source.gauge(*names))), [])

    def highest(self, *names: str) -> float | None:
        found = [source.highest(*names) for source in self._sources]
        return max((value for value in found if value is not None), default=None)


def server_metrics(window: Counters) -> dict[str, float]:
    """Server-side metric values by registry key; what the engine does not expose is absent."""
    readers: tuple[Callable[[Counters], Mapping[str, float | None]], ...] = (
        _llamacpp_cache,
        _vllm_cache,
        _load,
        _offload,
        _pool,
    )
    values = {key: value for read in readers for key, value in read(window).items() if value is not None}
    return {key: value for key, value in values.items() if math.isfinite(value) and value >= 0}


def theoretical_hit_rate(summary: Mapping[str, Any]) -> float | None:
    """Infinite-cache hit rate of ``profile_export_aiperf.json``, a fraction: hit blocks / blocks."""
    entry = summary.get("theoretical_prefix_cache_hit")
    if not isinstance(entry, dict):
        return None
    hits, blocks, average = (_number(entry.get(name)) for name in ("sum", "count", "avg"))
    if hits is not None and blocks:
        return hits / blocks
    return average / 100 if average is not None and entry.get("unit") == "%" else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _llamacpp_cache(window: Counters) -> dict[str, float | None]:
    """llama.cpp counts computed and cached prompt tokens; it does not tell its tiers apart."""
    computed = window.increase("llamacpp:prompt_tokens")
    cached = window.increase("llamacpp:prompt_tokens_cached")
    if computed is None:
        return {}
    whole = None if cached is None else cached + computed
    return {
        "overall_cache_hit_rate": _share(cached, whole),
        "prompt_tokens_computed": computed,
        "generation_tokens": window.increase("llamacpp:tokens_predicted"),
    }


def _vllm_cache(window: Counters) -> dict[str, float | None]:
    """vLLM counts prompt tokens by source, and newer versions cached tokens by tier."""
    source = "vllm:prompt_tokens_by_source"
    whole = window.increase(source)
    if whole is None:
        return {}
    computed, local, external = (
        _increase_or_zero(window, source, kind)
        for kind in ("local_compute", "local_cache_hit", "external_kv_transfer")
    )
    tiers = "vllm:prompt_tokens_cached_by_source"
    device = _increase_or_zero(window, tiers, "device") if window.series(tiers) else local
    host = _increase_or_zero(window, tiers, "host") if window.series(tiers) else None
    return {
        "overall_cache_hit_rate": _share(local + external, whole),
        "gpu_cache_hit_rate": _share(device, whole),
        "host_cache_hit_rate": _share(host, whole),
        "external_cache_hit_rate": _share(external, whole),
        "prompt_tokens_computed": computed,
        "prompt_tokens_cached_gpu": device,
        "prompt_tokens_cached_host": external if host is None else max(host, external),
        "generation_tokens": window.increase("vllm:generation_tokens"),
        "preemptions": window.increase("vllm:num_preemptions"),
    }


def _increase_or_zero(window: Counters, name: str, source: str) -> float:
    """A source that never occurred has no series: zero tokens came from it."""
    return window.increase(name, source=source) or 0.0


def _load(window: Counters) -> dict[str, float | None]:
    running = window.gauge("vllm:num_requests_running", "llamacpp:requests_processing")
    waiting = window.gauge("vllm:num_requests_waiting", "llamacpp:requests_deferred")
    return {
        "requests_running_mean": fmean(running) if running else None,
        "requests_waiting_mean": fmean(waiting) if waiting else None,
        "gpu_kv_usage_max": window.highest(
            "vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "llamacpp:kv_cache_usage_ratio"
        ),
        "host_kv_usage_max": window.highest("vllm:cpu_kv_cache_usage_perc"),
    }


def _offload(window: Counters) -> dict[str, float | None]:
    """Bytes and time of KV transfers between device and host, by direction."""
    values: dict[str, float | None] = {}
    for way, transfer in (("out", "GPU_to_CPU"), ("in", "CPU_to_GPU")):
        moved, seconds = (
            _first(window, (f"vllm:kv_offload_total_{kind}", f"vllm:kv_offload_{kind}"), transfer)
            for kind in ("bytes", "time")
        )
        values[f"kv_offload_bytes_{way}"] = moved
        values[f"kv_offload_bandwidth_{way}"] = _share(moved, seconds)
    return values


def _first(window: Counters, names: tuple[str, ...], transfer: str) -> float | None:
    for name in names:
        for series in window.series(name):
            kind = series.labels.get("transfer_type", "")
            if kind.lower() == transfer.lower():
                return window.increase(name, transfer_type=kind)
    return None


def _pool(window: Counters) -> dict[str, float | None]:
    """vLLM exposes its cache configuration as labels: blocks x tokens per block, summed over engines."""
    sizes = []
    for series in window.series("vllm:cache_config_info"):
        blocks, block = (series.labels.get(name, "") for name in ("num_gpu_blocks", "block_size"))
        if blocks.isdecimal() and block.isdecimal():
            sizes.append(int(blocks) * int(block))
    return {"kv_cache_pool_tokens": float(sum(sizes)) if sizes else None}

"""What an engine said about itself once a second, as one array per quantity.

Names and meaning of the metrics are those of ``results.analysis.server``, which reduces the same scrapes to
one number per load.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from results.analysis.series import Scrape, Series, Window

Array = NDArray[Any]

#: Requests, summed over engines.
SUMS: Mapping[str, tuple[str, ...]] = {
    "running": ("vllm:num_requests_running", "llamacpp:requests_processing"),
    "waiting": ("vllm:num_requests_waiting", "llamacpp:requests_deferred"),
}
#: Shares in [0, 1], one column per engine.
SHARES: Mapping[str, tuple[str, ...]] = {
    "kv_usage": ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "llamacpp:kv_cache_usage_ratio"),
    "host_kv_usage": ("vllm:cpu_kv_cache_usage_perc",),
}
_SOURCE = "vllm:prompt_tokens_by_source"
_TIER = "vllm:prompt_tokens_cached_by_source"
#: Tokens or events since the engine started, summed over engines: (metric, ``source`` label or any).
COUNTERS: Mapping[str, tuple[tuple[str, str | None], ...]] = {
    "computed": ((_SOURCE, "local_compute"), ("llamacpp:prompt_tokens", None)),
    "cached": (("llamacpp:prompt_tokens_cached", None),),
    "cached_local": ((_SOURCE, "local_cache_hit"),),
    "cached_external": ((_SOURCE, "external_kv_transfer"),),
    "cached_device": ((_TIER, "device"),),
    "cached_host": ((_TIER, "host"),),
    "generated": (("vllm:generation_tokens", None), ("llamacpp:tokens_predicted", None)),
    "preemptions": (("vllm:num_preemptions", None),),
}


@dataclass(frozen=True, slots=True)
class EngineColumns:
    """``at`` are unix seconds, ascending; every column has one value per scrape, NaN where none was said.

    Columns of SHARES are named ``kv_usage`` or, with several engines, ``kv_usage 0``, ``kv_usage 1`` ...
    """

    at: Array
    columns: Mapping[str, Array]

    def each(self, name: str) -> dict[str, Array]:
        """The columns of a share by engine; one engine has the name ""."""
        found = {key: column for key, column in self.columns.items() if key.partition(" ")[0] == name}
        return {key.partition(" ")[2]: column for key, column in found.items()}


def engine_columns(scrapes: Iterable[Scrape]) -> EngineColumns:
    """Known quantities of all scrapes; what the engine does not expose has no column."""
    window = Window(scrapes, float("-inf"), float("inf"))
    at = window.times
    columns: dict[str, Array] = {}
    for name, metrics in SUMS.items():
        series = _first(window, metrics)
        if series:
            columns[name] = np.sum([_column(one, at) for one in series], axis=0)
    for name, metrics in SHARES.items():
        columns |= _shares(name, _first(window, metrics), at)
    for name, sources in COUNTERS.items():
        for metric, label in sources:
            series = window.series(metric)
            if series:
                chosen = [one for one in series if label is None or one.labels.get("source") == label]
                columns[name] = np.sum([np.zeros(len(at)), *(_counter(one, at) for one in chosen)], axis=0)
                break
    return EngineColumns(np.array(at, dtype=np.float64), columns)


def _first(window: Window, metrics: Iterable[str]) -> list[Series]:
    return next((found for metric in metrics if (found := window.series(metric))), [])


def _shares(name: str, series: list[Series], at: list[float]) -> dict[str, Array]:
    if len(series) == 1:
        return {name: _column(series[0], at)}
    ordered = sorted(series, key=lambda one: sorted(one.labels.items()))
    return {f"{name} {place}": _column(one, at) for place, one in enumerate(ordered)}


def _column(series: Series, at: list[float]) -> Array:
    """Values at every scrape; NaN where the series was not exposed."""
    known = dict(series.samples)
    return np.array([known.get(time, np.nan) for time in at], dtype=np.float64)


def _counter(series: Series, at: list[float]) -> Array:
    """A counter is created at its first event: before that it is zero. Later gaps keep the last value."""
    known, last, values = dict(series.samples), 0.0, []
    for time in at:
        last = known.get(time, last)
        values.append(last)
    return np.array(values, dtype=np.float64)

"""The engine's time line that the multi-turn drivers of early 2026 wrote, one scrape per second. Pure.

Counters are taken as last less first scrape. The columns of prompt tokens by source came in April 2026;
without them the hits per look-up say nothing about tokens and are not read.
"""

from itertools import pairwise
from statistics import fmean

from results.ingest.formats.multiturn_cells import Cells
from results.ingest.reading import csv_rows
from results.ingest.rows import Rejected, Source

COLUMNS = frozenset({"timestamp_sec", "kv_cache_usage_pct", "num_requests_running", "num_requests_waiting"})
_SOURCES = tuple(
    f"prompt_tokens_{name}" for name in ("local_compute", "local_cache_hit", "external_kv_transfer")
)
_COUNTERS = ("generation_tokens_total", "num_preemptions_total", *_SOURCES)


def server_values(source: Source) -> dict[str, float]:
    """Registry values; raises FormatError. A damaged line is left out, scrapes stand alone."""
    rows = [Cells(*item) for item in csv_rows(source) if not isinstance(item, Rejected)]
    usage = _column(rows, "kv_cache_usage_pct")
    running, waiting = _column(rows, "num_requests_running"), _column(rows, "num_requests_waiting")
    grown = {name: _growth(_column(rows, name)) for name in _COUNTERS}
    values = {
        "gpu_kv_usage_max": max(usage) / 100 if usage else None,
        "requests_running_mean": fmean(running) if running else None,
        "requests_waiting_mean": fmean(waiting) if waiting else None,
        "generation_tokens": grown["generation_tokens_total"],
        "preemptions": grown["num_preemptions_total"],
        **_by_source(*(grown[name] for name in _SOURCES)),
    }
    return {key: value for key, value in values.items() if value is not None}


def _column(rows: list[Cells], name: str) -> list[float]:
    return [value for row in rows if (value := row.number(name)) is not None]


def _growth(samples: list[float]) -> float | None:
    """None for a counter that fell: the engine was started again in between."""
    if not samples or any(later < earlier for earlier, later in pairwise(samples)):
        return None
    return samples[-1] - samples[0]


def _by_source(
    computed: float | None, local: float | None, external: float | None
) -> dict[str, float | None]:
    if computed is None or local is None or external is None:
        return {}
    whole = computed + local + external
    shares = {
        "overall_cache_hit_rate": local + external,
        "gpu_cache_hit_rate": local,
        "external_cache_hit_rate": external,
    }
    return {
        **({key: tokens / whole for key, tokens in shares.items()} if whole else {}),
        "prompt_tokens_computed": computed,
        "prompt_tokens_cached_gpu": local,
        "prompt_tokens_cached_host": external,
    }

"""The load generator's own reduction of engine metrics (``server_metrics_export.json`` of AIPerf).

Its counters hold the increase over the profiling phase and its gauges the mean and maximum, so it
answers the same questions as our scrapes where those are missing.
"""

import math
from collections.abc import Mapping
from typing import Any

from results.analysis.series import Series


class ServerExport:
    """One parsed document; names come without ``_total``, as AIPerf writes them."""

    def __init__(self, document: Any) -> None:
        metrics = document.get("metrics") if isinstance(document, dict) else None
        if not isinstance(metrics, dict):
            raise ValueError("metrics must be an object")
        self._metrics: Mapping[str, Any] = metrics

    def series(self, name: str) -> list[Series]:
        return [Series(_labels(entry)) for entry in self._entries(name)]

    def increase(self, name: str, **labels: str) -> float | None:
        matching = [entry for entry in self._entries(name) if labels.items() <= _labels(entry).items()]
        totals = [_stat(entry, "total") for entry in matching]
        known = [total for total in totals if total is not None]
        return math.fsum(known) if known and len(known) == len(totals) else None

    def gauge(self, *names: str) -> list[float]:
        """The mean over time, summed over series, as a list of one."""
        for name in names:
            means = [_stat(entry, "avg") for entry in self._entries(name)]
            known = [mean for mean in means if mean is not None]
            if known:
                return [math.fsum(known)]
        return []

    def highest(self, *names: str) -> float | None:
        for name in names:
            values = [_stat(entry, "max") for entry in self._entries(name)]
            known = [value for value in values if value is not None]
            if known:
                return max(known)
        return None

    def _entries(self, name: str) -> list[Mapping[str, Any]]:
        metric = self._metrics.get(name)
        series = metric.get("series") if isinstance(metric, dict) else None
        return [entry for entry in series if isinstance(entry, dict)] if isinstance(series, list) else []


def _labels(entry: Mapping[str, Any]) -> dict[str, str]:
    labels = entry.get("labels")
    return {str(key): str(value) for key, value in labels.items()} if isinstance(labels, dict) else {}


def _stat(entry: Mapping[str, Any], name: str) -> float | None:
    stats = entry.get("stats")
    value = stats.get(name) if isinstance(stats, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None

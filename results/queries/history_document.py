"""A history as the API answers it."""

from dataclasses import asdict
from typing import Any

from results.metrics import METRICS
from results.queries.history import History
from results.queries.history_families import FamilyRow


def history_document(found: History) -> dict[str, Any]:
    series, metric = found.series, METRICS[found.series.metric]
    equal_x = series.basis == "equal_x"
    return {
        "model": found.place.model if found.place else series.model,
        "scenario": found.place.scenario if found.place else series.scenario,
        "metric": series.metric,
        "unit": metric.unit,
        "direction": metric.direction.value,
        "basis": series.basis,
        "load": found.load,
        "x": series.x if equal_x else None,
        "at": series.at if equal_x else None,
        "family": _family(found.family) if found.family else None,
        "families": [_family(one) for one in found.families],
        "series": found.digest,
        "observed": [asdict(one) for one in found.observed],
        "without": dict(found.without),
        "change_points": [asdict(one) for one in found.stored],
        "seen": [
            {
                "run": one.run,
                "gain": one.gain,
                "before": one.before,
                "votes": sorted(vote.value for vote in one.votes),
                "algorithm_version": one.algorithm_version,
            }
            for one in found.seen
        ],
        "upstream": [asdict(one) for one in found.upstream],
        "undated_changelog": found.undated,
    }


def _family(one: FamilyRow) -> dict[str, Any]:
    return {"key": one.key, "title": one.title, "builds": one.builds, "runs": one.runs}

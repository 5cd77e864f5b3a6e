"""The last line of ``make demo ONCE=1``: JSON for whoever scripts it."""

import json
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

Json = dict[str, Any]
METRICS = ("output_throughput", "ttft_p50")


def summary(runs: Sequence[Json], points: Mapping[str, Sequence[Json]], url: str) -> Json:
    """Counts, and per recipe and load the median over blocks; a number that nobody measured is left out."""
    measured: dict[str, dict[str, dict[str, list[float]]]] = {}
    for run in runs:
        by_load = measured.setdefault(run["label"], {})
        for point in sorted(points.get(str(run["id"]), ()), key=lambda point: int(point["load"])):
            values = by_load.setdefault(str(point["load"]), {})
            for metric in METRICS:
                if metric in point["values"]:
                    values.setdefault(metric, []).append(point["values"][metric])
    recipes = {
        label: {
            load: {name: median(found) for name, found in values.items()} for load, values in loads.items()
        }
        for label, loads in measured.items()
    }
    succeeded = [run for run in runs if run["state"] == "succeeded"]
    count = sum(len(points.get(str(run["id"]), ())) for run in succeeded)
    return {"runs": len(succeeded), "points": count, "recipes": recipes, "url": url}


def summary_line(runs: Sequence[Json], points: Mapping[str, Sequence[Json]], url: str) -> str:
    return json.dumps(summary(runs, points, url), allow_nan=False)

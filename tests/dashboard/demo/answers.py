"""Runs and points as the API answers them, cut to what the demo reads."""

from typing import Any


def run(label: str = "prefix-cache", state: str = "succeeded", **changes: Any) -> dict[str, Any]:
    return {
        "id": f"id-{label}-{changes.get('block', 1)}",
        "label": label,
        "block": 1,
        "loads": [1, 2],
        "state": state,
        "phase": "",
        "phase_load": None,
        "progress": None,
        "failure": None,
        "point_count": 2 if state == "succeeded" else 0,
    } | changes


def point(load: int, throughput: float | None, ttft: float | None) -> dict[str, Any]:
    values = {"output_throughput": throughput, "ttft_p50": ttft}
    return {"load": load, "values": {name: value for name, value in values.items() if value is not None}}

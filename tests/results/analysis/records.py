"""Hand-written client records in the shape of AIPerf's ``profile_export.jsonl``."""

import json
from typing import Any

SECOND = 1_000_000_000
#: An epoch time in nanoseconds that no float can hold.
START = 1_787_000_000_000_000_001


def line(
    start: float = 0.0,
    latency: float = 2.0,
    *,
    ttft: float = 0.5,
    tokens: tuple[int, int] = (100, 16),
    metadata: dict[str, Any] | None = None,
    metrics: dict[str, Any] | None = None,
    error: dict[str, Any] | None = None,
) -> str:
    """One request that started ``start`` seconds into the window; latencies in seconds."""
    begin = START + round(start * SECOND)
    about = {
        "session_num": 0,
        "conversation_id": "trace_0001",
        "turn_index": 3,
        "request_start_ns": begin,
        "request_end_ns": begin + round(latency * SECOND),
        "benchmark_phase": "profiling",
        "was_cancelled": False,
    }
    measured: dict[str, Any] = {
        "time_to_first_token": {"value": ttft * 1000, "unit": "ms"},
        "request_latency": {"value": latency * 1000, "unit": "ms"},
        "inter_token_latency": {"value": (latency - ttft) * 1000 / (tokens[1] - 1), "unit": "ms"},
        "input_sequence_length": {"value": tokens[0], "unit": "tokens"},
        "output_sequence_length": {"value": tokens[1], "unit": "tokens"},
    }
    if error is not None:
        measured = {}
    document = {
        "metadata": {**about, **(metadata or {})},
        "metrics": {**measured, **(metrics or {})},
        "error": error,
    }
    return json.dumps(document)

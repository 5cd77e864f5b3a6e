"""Raw results of ``vllm bench serve``, ``benchmark_serving.py`` and InferenceX's copy of it.

One object is one point; ``--append-result`` makes JSON Lines of them. ``backend`` names the client's
protocol, not the engine that answered, so it is no identity; the host's local ``date`` is no moment.
With ``--save-detailed`` every statistic is computed again from the requests one by one.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from results.analysis.validity import judge_fixed
from results.ingest.fields import Fields
from results.ingest.json_stream import json_rows, outline
from results.ingest.rows import FormatError, Rejected, Result, Row, Source
from results.ingest.serving import (
    MILLISECONDS,
    STATS,
    Timing,
    accounting,
    differing,
    distributions,
    interactivity,
    leftovers,
    rates,
    statistics,
)

NAME = "vllm-bench-serve"
PARSER_VERSION = "vllm-bench-serve/1"
_MINE = frozenset({"model_id", "num_prompts", "duration", "completed"})
_LATENCIES = {
    "ttft": "ttft", "tpot": "tpot", "itl": "inter_chunk_latency", "e2el": "e2e_latency",
}  # fmt: skip
_RATES = {
    "request_throughput": "request_throughput", "input_throughput": "input_throughput",
    "output_throughput": "output_throughput", "total_token_throughput": "total_throughput",
}  # fmt: skip
_ARRAYS = ("input_lens", "output_lens", "ttfts", "itls", "errors", "latencies")
_READ = (
    "model_id", "max_concurrency", "duration", "completed", "failed", "num_prompts", "total_input_tokens",
    "total_output_tokens", "benchmark_start_time_unix", "benchmark_end_time_unix", *_RATES,
    *(f"{stat}_{name}{suffix}" for stat in STATS for name in _LATENCIES for suffix in ("", "_ms")),
)  # fmt: skip


def detect(source: Source) -> str | None:
    """``seconds`` (latencies without ``_ms``), ``benchmark-serving``, or ``bench-serve`` since vLLM 0.10."""
    keys = outline(source).keys
    if not keys >= _MINE:
        return None
    if "median_ttft" in keys or "median_e2el" in keys:
        return "seconds"
    return "bench-serve" if keys & {"endpoint_type", "failed", "label"} else "benchmark-serving"


def read(source: Source) -> Iterator[Row]:
    for row in json_rows(source, finite=False):
        if isinstance(row, Rejected):
            yield row
            continue
        try:
            yield _point(Fields.of(row[1], row[0]))
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)


def _point(fields: Fields) -> Result | Rejected:
    if "input_sequence_throughput" in fields.values:
        return Rejected(fields.place, "a pooling benchmark: nothing is generated")
    completed, failed = fields.count("completed"), _failed(fields)
    if completed is None:
        fields.fail("completed", "is missing")
    values, notes, flags = _values(fields, completed)
    start, end = fields.moment("benchmark_start_time_unix"), fields.moment("benchmark_end_time_unix")
    return Result(
        pointer=fields.place,
        recipe=_recipe(fields),
        scenario={},
        load=fields.positive("max_concurrency"),
        values={**values, **accounting(completed, failed)},
        verdict=judge_fixed(completed, failed),
        extra=_extra(fields),
        flags=flags,
        notes=notes,
        measured_at=start or end,
        started_at=start,
        ended_at=end,
    )


def _failed(fields: Fields) -> int | None:
    """``failed`` where the client counts it; else every prompt that was sent and not completed."""
    failed, sent, completed = (fields.count(name) for name in ("failed", "num_prompts", "completed"))
    if failed is not None or sent is None or completed is None:
        return failed
    return max(sent - completed, 0)


def _recipe(fields: Fields) -> dict[str, Any]:
    model = fields.text("model_id")
    return {} if model is None else {"model": {"name": model}}


def _values(fields: Fields, completed: int) -> tuple[dict[str, float], tuple[str, ...], tuple[str, ...]]:
    """Values, notes and flags."""
    inputs, outputs = fields.count("total_input_tokens"), fields.count("total_output_tokens")
    computed = rates(fields.amount("duration"), completed, inputs, outputs)
    if completed == 0:
        return computed, ("no request succeeded, so latencies say nothing",), ()
    reported = _reported_rates(fields)
    odd = differing(reported, computed)
    notes = [f"{key} is not the count over the duration" for key in odd]
    flags = ["rates_disagree"] if odd else []
    latencies = _latencies(fields)
    requests = _requests(fields)
    if requests is not None and len(requests) != completed:
        notes.append(f"{len(requests)} requests are listed as successful, {completed} are counted: not used")
        requests = None
    if requests is not None:
        again = distributions(requests)
        changed = differing(latencies, again)
        notes.extend(f"{key} as reported differs from the listed requests" for key in changed)
        flags.extend(["statistics_disagree"] if changed else [])
        latencies = {**latencies, **again}
    return {**computed, **reported, **latencies}, tuple(notes), tuple(flags)


def _reported_rates(fields: Fields) -> dict[str, float]:
    found = {key: fields.amount(name) for name, key in _RATES.items()}
    known = {key: value for key, value in found.items() if value is not None}
    total, outputs = known.get("total_throughput"), known.get("output_throughput")
    if total is not None and outputs is not None and "input_throughput" not in known:
        known["input_throughput"] = max(total - outputs, 0.0)
    return known


def _latencies(fields: Fields) -> dict[str, float]:
    # Keys ending in _ms are milliseconds, those without an ending are seconds.
    values = {
        **statistics(fields, _LATENCIES, "", 1),
        **statistics(fields, _LATENCIES, "_ms", MILLISECONDS),
    }
    return {**values, **interactivity(values)}


def _requests(fields: Fields) -> list[Timing] | None:
    """The successful requests one by one; None where the file does not list them all."""
    lists = {name: fields.items(name) for name in _ARRAYS}
    count = len(lists["ttfts"])
    if not count or any(len(lists[name]) not in (0, count) for name in _ARRAYS):
        return None
    columns = {name: fields.numbers(name) for name in ("ttfts", "latencies", "input_lens", "output_lens")}
    done = [index for index in range(count) if not lists["errors"] or not lists["errors"][index]]
    return [_timing(fields, columns, index) for index in done]


def _timing(fields: Fields, columns: Mapping[str, list[float]], index: int) -> Timing:
    gaps = _gaps(fields, index)
    ttft = columns["ttfts"][index]
    # Without a list of latencies the last chunk ends the request: first token plus all gaps.
    latency = columns["latencies"][index] if columns["latencies"] else ttft + math.fsum(gaps)
    listed = bool(columns["latencies"]) or bool(gaps)
    return Timing(
        ttft=ttft,
        latency=latency if listed else None,
        input_tokens=_tokens(columns["input_lens"], index),
        output_tokens=_tokens(columns["output_lens"], index),
        chunk_gaps=gaps,
    )


def _gaps(fields: Fields, index: int) -> list[float]:
    gaps = fields.items("itls")
    if not gaps:
        return []
    return Fields({str(index): gaps[index]}, fields.pointer("itls")).numbers(str(index))


def _tokens(column: list[float], index: int) -> int | None:
    return int(column[index]) if column else None


def _extra(fields: Fields) -> dict[str, Any]:
    sent = {name: fields.count(name) for name in ("num_prompts", "total_input_tokens", "total_output_tokens")}
    rate = fields.values.get("request_rate")
    # Older clients write Infinity, later ones "inf".
    endless = {"request_rate": "inf"} if isinstance(rate, float) and rate == math.inf else {}
    known = {key: value for key, value in sent.items() if value is not None}
    return {**leftovers(fields, _READ), **known, **endless}

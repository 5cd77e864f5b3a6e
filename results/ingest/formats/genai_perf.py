"""``profile_export_genai_perf.json`` of NVIDIA GenAI-Perf: one point, a unit at every metric.

Its inter-token latency is (latency - TTFT) / (output tokens - 1) per request, as in the registry. Its
``output_token_throughput_per_user`` holds statistics of the reciprocals, the meaning before July 2026.
"""

from collections.abc import Iterator
from typing import Any

from results.analysis.validity import judge_fixed
from results.ingest.fields import Fields
from results.ingest.json_stream import outline
from results.ingest.reading import json_document
from results.ingest.rows import Result, Row, Source
from results.ingest.serving import accounting, interactivity, named

NAME = "genai-perf"
PARSER_VERSION = "genai-perf/1"
LEGACY = "interactivity_before_july_2026"
_STATS = {
    "avg": "mean", "p50": "p50", "p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99", "std": "std",
}  # fmt: skip
_SECONDS = {"ms": 1e-3, "s": 1.0, "us": 1e-6, "ns": 1e-9}
_TOKENS = {"tokens": 1.0, "": 1.0}
_PER_USER = {"tokens/sec/user": 1.0, "tokens/sec": 1.0}
_DISTRIBUTIONS: dict[str, tuple[str, dict[str, float]]] = {
    "time_to_first_token": ("ttft", _SECONDS),
    "request_latency": ("e2e_latency", _SECONDS),
    "inter_token_latency": ("itl", _SECONDS),
    "output_token_throughput_per_user": ("legacy_interactivity", _PER_USER),
    "input_sequence_length": ("input_tokens", _TOKENS),
    "output_sequence_length": ("output_tokens", _TOKENS),
}
_RATES = {
    "request_throughput": ("request_throughput", "requests/sec"),
    "output_token_throughput": ("output_throughput", "tokens/sec"),
}
_MINE = frozenset({"request_throughput", "request_latency", "input_config"})
_OF_AIPERF = frozenset({"schema_version", "aiperf_version", "benchmark_id"})


def detect(source: Source) -> str | None:
    """``nested`` for the configuration since 0.0.11, ``flat`` for arguments as the command line had them."""
    found = outline(source)
    config = found.nested.get("input_config", frozenset())
    if found.kind != "object" or not found.keys >= _MINE or found.keys & _OF_AIPERF:
        return None
    if "perf_analyzer" in config:
        return "nested"
    return "flat" if config & {"service_kind", "formatted_model_name", "backend"} else None


def read(source: Source) -> Iterator[Row]:
    report = Fields.of(json_document(source, finite=False))
    config = report.inner("input_config")
    done = report.inner("request_count").count("avg")
    values = _values(report)
    legacy = any(key.startswith("legacy_interactivity") for key in values)
    yield Result(
        pointer="",
        recipe=_recipe(config),
        scenario=_scenario(config),
        load=_load(config),
        values={**values, **accounting(done, None)},
        verdict=judge_fixed(done),
        extra=_extra(report),
        flags=(LEGACY,) if legacy else (),
    )


def _values(report: Fields) -> dict[str, float]:
    values: dict[str, float] = {}
    for name, (key, unit) in _RATES.items():
        stated = report.inner(name)
        rate = stated.amount("avg")
        if rate is not None:
            _scale(stated, {unit: 1.0})
            values[key] = rate
    for name, (key, units) in _DISTRIBUTIONS.items():
        values |= named(key, _statistics(report.inner(name), units, spread=key != "legacy_interactivity"))
    return {**values, **_token_rates(values), **interactivity(values, "itl")}


def _statistics(stated: Fields, units: dict[str, float], *, spread: bool) -> dict[str, float]:
    if not stated.values:
        return {}
    scale = _scale(stated, units)
    found = {stat: stated.amount(name) for name, stat in _STATS.items() if spread or name != "std"}
    known = {stat: value for stat, value in found.items() if value or (value == 0 and stat == "std")}
    return {stat: value * scale for stat, value in known.items()}


def _scale(stated: Fields, units: dict[str, float]) -> float:
    unit = stated.text("unit") or ""
    if unit not in units:
        stated.fail("unit", f"must be one of {', '.join(filter(None, units))}")
    return units[unit]


def _token_rates(values: dict[str, float]) -> dict[str, float]:
    """Requests per second times the mean length is the sum of lengths over the duration."""
    rate, length = values.get("request_throughput"), values.get("input_tokens_mean")
    if rate is None or length is None:
        return {}
    output = values.get("output_throughput")
    total = {} if output is None else {"total_throughput": rate * length + output}
    return {"input_throughput": rate * length, **total}


def _recipe(config: Fields) -> dict[str, Any]:
    """The first model; a report over several has no model."""
    for name in ("model_names", "model"):
        value = config.values.get(name)
        if isinstance(value, str) and value:
            return {"model": {"name": value}}
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str) and value[0]:
            return {"model": {"name": value[0]}}
    return {}


def _load(config: Fields) -> int | None:
    if isinstance(config.values.get("perf_analyzer"), dict):
        stimulus = config.inner("perf_analyzer").values.get("stimulus")
        config = Fields.of(stimulus or {}, config.pointer("perf_analyzer") + "/stimulus")
    return None if _stated(config, "concurrency") is None else config.positive("concurrency")


def _scenario(config: Fields) -> dict[str, Any]:
    """Lengths of synthetic prompts without spread."""
    if isinstance(config.values.get("input"), dict):
        prompts, answers = (
            config.inner("input").inner("synthetic_tokens"),
            config.inner("input").inner("output_tokens"),
        )
        stated = (prompts, "mean", "stddev"), (answers, "mean", "stddev")
    else:
        stated = (
            (config, "synthetic_input_tokens_mean", "synthetic_input_tokens_stddev"),
            (config, "output_tokens_mean", "output_tokens_stddev"),
        )
    # A mean of -1 says "as long as the model likes".
    lengths = [_stated(fields, mean) for fields, mean, _spread in stated]
    spreads = [_stated(fields, spread) for fields, _mean, spread in stated]
    if any(spreads) or any(length is None or length < 1 or length % 1 for length in lengths):
        return {}
    return {"kind": "fixed", "isl": int(lengths[0] or 0), "osl": int(lengths[1] or 0)}


def _stated(fields: Fields, name: str) -> float | None:
    # An option that was not given is written as empty text.
    return None if fields.values.get(name) == "" else fields.number(name)


def _extra(report: Fields) -> dict[str, Any]:
    goodput = report.inner("request_goodput").number("avg")
    second = report.inner("time_to_second_token").number("avg")
    facts = {"request_goodput": goodput, "time_to_second_token_ms_mean": second}
    return {name: fact for name, fact in facts.items() if fact is not None}

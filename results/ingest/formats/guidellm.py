"""GuideLLM reports, JSON or YAML: one point per benchmark of a sweep.

Traps of the tool: its rates are averages over events, which a few bursts lift, so rates are counted again;
its ``time_per_output_token`` is the whole latency over all tokens; its statistics per token weigh long
answers more. Where a report lists every successful request, statistics are computed over requests.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from results.analysis.validity import judge_fixed
from results.ingest.fields import LONGEST_COUNT, Fields
from results.ingest.json_stream import json_members, json_rows, outline
from results.ingest.reading import head
from results.ingest.rows import FormatError, Rejected, Result, Row, Source
from results.ingest.serving import (
    MILLISECONDS,
    Timing,
    accounting,
    distributions,
    interactivity,
    is_small,
    rates,
)
from results.ingest.yaml_text import yaml_document

NAME = "guidellm"
PARSER_VERSION = "guidellm/1"
WEIGHTED = "itl_weighted_by_tokens"
_PERCENTILES = ("p50", "p75", "p90", "p95", "p99", "p999")
_DISTRIBUTIONS = {
    "request_latency": ("e2e_latency", 1.0),
    "time_to_first_token_ms": ("ttft", MILLISECONDS),
    "inter_token_latency_ms": ("itl", MILLISECONDS),
    "prompt_token_count": ("input_tokens", 1.0),
    "output_token_count": ("output_tokens", 1.0),
}
#: Means kept beside the point: not what the registry means by these words.
_KEPT = (
    "requests_per_second", "output_tokens_per_second", "tokens_per_second", "request_concurrency",
    "time_per_output_token_ms",
)  # fmt: skip
_BESIDE = frozenset({"metadata", "args", "config"})


def detect(source: Source) -> str | None:
    """``json`` or ``yaml``, with the schema's version for JSON: 0 before reports had one."""
    found = outline(source)
    if found.kind == "object":
        benchmark = found.nested.get("benchmarks", frozenset())
        if "guidellm_version" in found.nested.get("metadata", frozenset()):
            return "json" if "benchmarks" in found.keys else None
        return "json-0" if benchmark >= {"metrics", "run_id", "run_stats"} else None
    beginning = head(source, 200_000)
    starts = beginning.startswith(("args:", "benchmarks:", "config:", "metadata:"))
    return "yaml" if starts and "type_: generative_" in beginning else None


def read(source: Source) -> Iterator[Row]:
    if outline(source).kind == "object":
        # Benchmark by benchmark: the requests that a report lists make it large.
        report = Fields(json_members(source, _BESIDE, finite=False))
        for row in json_rows(source, "benchmarks", finite=False):
            yield row if isinstance(row, Rejected) else _row(row[0], row[1], report)
        return
    report = Fields.of(yaml_document(source, finite=False))
    for index, benchmark in enumerate(report.items("benchmarks")):
        yield _row(f"/benchmarks/{index}", benchmark, report)


def _row(place: str, benchmark: Any, report: Fields) -> Row:
    try:
        return _point(Fields.of(benchmark, place), report)
    except FormatError as error:
        return Rejected(error.pointer, error.reason)


def _point(benchmark: Fields, report: Fields) -> Result:
    metrics, times = benchmark.inner("metrics"), _times(benchmark)
    totals = metrics.inner("request_totals")
    if not totals.values:
        totals = times.inner("requests_made")
    successful, failed = totals.count("successful"), totals.count("errored")
    values, flags, notes = _values(benchmark, successful, _duration(benchmark, times))
    names = ("measure_start_time", "measure_end_time")
    if names[0] not in times.values:
        names = ("start_time", "end_time")
    start, end = times.moment(names[0]), times.moment(names[1])
    return Result(
        pointer=benchmark.place,
        recipe=_recipe(report),
        scenario=_scenario(report),
        load=_strategy(benchmark).positive("streams"),
        values={**values, **accounting(successful, failed)},
        verdict=judge_fixed(successful, failed),
        extra=_extra(benchmark, totals, report),
        flags=flags,
        notes=notes,
        source_run=benchmark.inner("config").text("run_id") or benchmark.text("run_id"),
        measured_at=start,
        started_at=start,
        ended_at=end,
    )


def _times(benchmark: Fields) -> Fields:
    """Times of the measurement: ``scheduler_metrics`` since 0.4, ``run_stats`` before."""
    for name in ("scheduler_metrics", "run_stats"):
        if benchmark.values.get(name) is not None:
            return benchmark.inner(name)
    return benchmark


def _duration(benchmark: Fields, times: Fields) -> float | None:
    stated = benchmark.amount("duration")
    start, end = times.number("measure_start_time"), times.number("measure_end_time")
    measured = None if start is None or end is None else max(end - start, 0.0)
    return stated if measured is None else measured


def _values(
    benchmark: Fields, successful: int | None, duration: float | None
) -> tuple[dict[str, float], tuple[str, ...], tuple[str, ...]]:
    """Values, flags and notes."""
    metrics = benchmark.inner("metrics")
    totals = [_sum(metrics, name) for name in ("prompt_token_count", "output_token_count")]
    counted = rates(duration, successful, *totals)
    if successful == 0:
        return counted, (), ("no request succeeded, so latencies say nothing",)
    requests = _requests(benchmark)
    if requests and len(requests) == successful:
        return {**counted, **distributions(requests)}, (), ()
    reported = _reported(metrics)
    weighted = (WEIGHTED,) if any(key.startswith("itl_") for key in reported) else ()
    notes = ("time_per_output_token_ms is latency over all tokens, weighted by tokens: left out",)
    return {**counted, **reported, **interactivity(reported, "itl")}, weighted, notes


def _sum(metrics: Fields, name: str) -> int | None:
    total = metrics.inner(name).inner("successful").amount("total_sum")
    return None if total is None else round(total)


def _reported(metrics: Fields) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, (registered, scale) in _DISTRIBUTIONS.items():
        summary = metrics.inner(name).inner("successful")
        percentiles = summary.inner("percentiles")
        stats = {"mean": summary.amount("mean"), "std": summary.amount("std_dev")}
        stats |= {stat: percentiles.amount(stat) for stat in _PERCENTILES}
        if not stats["mean"]:
            # The summary of nothing is all zeros.
            continue
        for stat, value in stats.items():
            if value is not None and (value > 0 or stat == "std"):
                found[f"{registered}_{stat}"] = value * scale
    return found


def _requests(benchmark: Fields) -> list[Timing]:
    """The successful requests that the report lists, which may be a sample."""
    listed = benchmark.inner("requests")
    place = listed.pointer("successful")
    return [
        _timing(Fields.of(request, f"{place}/{index}"))
        for index, request in enumerate(listed.items("successful"))
    ]


def _timing(request: Fields) -> Timing:
    first = request.amount("time_to_first_token_ms")
    return Timing(
        ttft=None if first is None else first * MILLISECONDS,
        latency=request.amount("request_latency"),
        input_tokens=request.count("prompt_tokens"),
        output_tokens=request.count("output_tokens"),
    )


def _settings(report: Fields) -> Fields:
    """``args`` of schema 1, ``config.spec`` of schema 2."""
    return (
        report.inner("args")
        if report.values.get("args") is not None
        else report.inner("config").inner("spec")
    )


def _recipe(report: Fields) -> dict[str, Any]:
    settings = _settings(report)
    places = [settings, settings.inner("backend_kwargs")]
    if isinstance(settings.values.get("backend"), Mapping):
        places.append(settings.inner("backend"))
    model = next((found for place in places if (found := place.text("model"))), None)
    return {"model": {"name": model}} if model else {}


def _scenario(report: Fields) -> dict[str, Any]:
    """Lengths of synthetic prompts, where nothing spreads them."""
    data = _settings(report).values.get("data")
    only = data[0] if isinstance(data, list) and len(data) == 1 else data
    stated = only if isinstance(only, Mapping) else _pairs(only) if isinstance(only, str) else {}
    spread = [name for name in stated if name.startswith(("prompt_tokens_", "output_tokens_", "turns"))]
    spread = [name for name in spread if stated[name] not in (None, 0, "0", "1", 1)]
    lengths = {ours: stated.get(name) for ours, name in (("isl", "prompt_tokens"), ("osl", "output_tokens"))}
    if spread or None in lengths.values():
        return {}
    given = Fields({name: _whole(length) for name, length in lengths.items()})
    return {"kind": "fixed", "isl": given.positive("isl"), "osl": given.positive("osl")}


def _whole(length: Any) -> Any:
    is_digits = isinstance(length, str) and length.isdecimal() and len(length) <= LONGEST_COUNT
    return int(length) if is_digits else length


def _pairs(text: str) -> dict[str, str]:
    """``prompt_tokens=512,output_tokens=256``; other text names a data set."""
    parts = [part.partition("=") for part in text.split(",")]
    return {key.strip(): value.strip() for key, mark, value in parts if mark}


def _strategy(benchmark: Fields) -> Fields:
    return benchmark.inner("config" if "config" in benchmark.values else "args").inner("strategy")


def _extra(benchmark: Fields, totals: Fields, report: Fields) -> dict[str, Any]:
    """Never the arguments as a whole: they hold keys of endpoints."""
    metrics, settings = benchmark.inner("metrics"), _settings(report)
    facts: dict[str, Any] = {
        "guidellm_version": report.inner("metadata").text("guidellm_version"),
        "strategy": _strategy(benchmark).text("type_"),
        "requests_incomplete": totals.count("incomplete"),
        "profile": settings.values.get("profile"),
    }
    facts |= {f"{name}_mean": metrics.inner(name).inner("successful").number("mean") for name in _KEPT}
    return {name: fact for name, fact in facts.items() if is_small(fact)}

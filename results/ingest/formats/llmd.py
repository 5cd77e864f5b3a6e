"""llm-d benchmark reports of the 0.2 line, YAML or JSON: one point each, with a unit at every number.

``accelerator.count`` is meant to count all accelerators of a component, but some reports count one
replica, so a count that the parallelism does not confirm is left out. Clock times of ``run`` include set-up.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from results.analysis.validity import judge_fixed
from results.ingest.fields import Fields
from results.ingest.json_stream import outline
from results.ingest.reading import head, json_document
from results.ingest.rows import Result, Row, Source
from results.ingest.serving import accounting, differing, interactivity, inverse, named
from results.ingest.yaml_text import yaml_document

NAME = "llm-d-benchmark-report"
PARSER_VERSION = "llm-d-benchmark-report/1"
_VERSION = re.compile(r"^version: *['\"]?(0\.2(?:\.\d+)?)['\"]? *$", re.MULTILINE)
_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
_STATS = {
    "mean": "mean", "stddev": "std", "p50": "p50", "p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99",
    "p99p9": "p999",
}  # fmt: skip
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "s/token": 1.0, "ms/token": 1e-3, "us/token": 1e-6}
_LATENCIES = {
    "time_to_first_token": "ttft", "time_per_output_token": "tpot", "request_latency": "e2e_latency",
    "inter_token_latency": "inter_chunk_latency",
}  # fmt: skip
_RATES = {
    "request_rate": ("request_throughput", "queries/s"),
    "input_token_rate": ("input_throughput", "tokens/s"),
    "output_token_rate": ("output_throughput", "tokens/s"),
    "total_token_rate": ("total_throughput", "tokens/s"),
}
_ROLES = {"replica": "serve", "prefill": "prefill", "decode": "decode"}
SHARED = "measured_with_other_treatments"
DISAGREE = "rates_disagree"


def detect(source: Source) -> str | None:
    """The version of the report."""
    found = outline(source)
    if found.kind == "object":
        version = str(found.scalars.get("version", ""))
        is_mine = {"run", "scenario", "results"} <= found.keys and version.startswith("0.2")
        return version if is_mine else None
    beginning = head(source, 200_000)
    version_line = _VERSION.search(beginning)
    return version_line[1] if version_line and "request_performance:" in beginning else None


def read(source: Source) -> Iterator[Row]:
    is_json = outline(source).kind == "object"
    load = json_document if is_json else yaml_document
    yield _point(Fields.of(load(source, finite=False)))


def _point(report: Fields) -> Result:
    aggregate = report.inner("results").inner("request_performance").inner("aggregate")
    requests, clock = aggregate.inner("requests"), report.inner("run").inner("time")
    total, failed = requests.count("total"), requests.count("failures")
    done = None if total is None else max(total - (failed or 0) - (requests.count("incomplete") or 0), 0)
    recipe, notes = _recipe(report.inner("scenario"))
    workload = report.inner("scenario").inner("load")
    values = {**_values(aggregate, done), **_kv_usage(report), **_elapsed(clock)}
    flags = [SHARED] if workload.inner("metadata").items("concurrent_with") else []
    odd = differing(values, _counted(values, done))
    start = clock.moment("start")
    return Result(
        pointer="",
        recipe=recipe,
        scenario=_scenario(workload.inner("standardized")),
        load=_load(workload.inner("standardized")),
        values={**values, **accounting(done, failed)},
        verdict=judge_fixed(done, failed),
        extra=_extra(report, workload.inner("standardized")),
        flags=(*flags, *([DISAGREE] if odd else [])),
        notes=(*notes, *(f"{key} is not the count over the duration" for key in odd)),
        source_run=report.inner("run").text("uid"),
        measured_at=start,
        started_at=start,
        ended_at=clock.moment("end"),
    )


def _values(aggregate: Fields, done: int | None) -> dict[str, float]:
    rates = aggregate.inner("throughput")
    found = {}
    for name, (key, unit) in _RATES.items():
        stated = rates.inner(name)
        if stated.values and stated.text("units") != unit:
            stated.fail("units", f"must be {unit}")
        found[key] = stated.amount("mean")
    values = {key: value for key, value in found.items() if value is not None}
    return values if done == 0 else {**values, **_latencies(aggregate), **_lengths(aggregate)}


def _latencies(aggregate: Fields) -> dict[str, float]:
    latency = aggregate.inner("latency")
    values: dict[str, float] = {}
    for name, key in _LATENCIES.items():
        values |= named(key, _seconds(latency.inner(name)))
    normalised = inverse(_seconds(latency.inner("normalized_time_per_output_token")))
    return {**values, **interactivity(values), **named("e2e_norm_interactivity", normalised)}


def _seconds(stated: Fields) -> dict[str, float]:
    if not stated.values:
        return {}
    unit = stated.text("units") or ""
    if unit not in _SECONDS:
        stated.fail("units", f"must be one of {', '.join(_SECONDS)}")
    return {stat: value * _SECONDS[unit] for stat, value in _statistics(stated).items()}


def _statistics(stated: Fields) -> dict[str, float]:
    found = {stat: stated.amount(name) for name, stat in _STATS.items()}
    return {stat: value for stat, value in found.items() if value or (value == 0 and stat == "std")}


def _lengths(aggregate: Fields) -> dict[str, float]:
    requests = aggregate.inner("requests")
    values: dict[str, float] = {}
    for name, key in (("input_length", "input_tokens"), ("output_length", "output_tokens")):
        values |= named(key, _statistics(requests.inner(name)))
    return values


def _kv_usage(report: Fields) -> dict[str, float]:
    """The fullest KV pool of any component, as a fraction."""
    place = report.inner("results").inner("observability")
    found = []
    for index, component in enumerate(place.items("components")):
        fields = Fields.of(component, f"{place.pointer('components')}/{index}")
        usage = fields.inner("aggregate").inner("kv_cache_usage")
        highest = usage.amount("max")
        if highest is not None and usage.text("units") == "percent":
            found.append(highest / 100)
    return {"gpu_kv_usage_max": max(found)} if found else {}


def _elapsed(clock: Fields) -> dict[str, float]:
    """Duration of the measurement, ISO 8601."""
    stated = clock.text("duration")
    if stated is None:
        return {}
    parts = _DURATION.fullmatch(stated)
    if parts is None or not any(parts.groups()):
        clock.fail("duration", "must be a duration of ISO 8601")
    days, hours, minutes, seconds = (float(part or 0) for part in parts.groups())
    elapsed = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if not math.isfinite(elapsed):
        clock.fail("duration", "must be finite")
    return {"duration": elapsed}


def _counted(values: Mapping[str, float], done: int | None) -> dict[str, float]:
    seconds = values.get("duration")
    return {"request_throughput": done / seconds} if seconds and done is not None else {}


def _load(workload: Fields) -> int | None:
    # .inf says that nothing limits the requests in flight.
    return None if workload.values.get("concurrency") == math.inf else workload.positive("concurrency")


def _scenario(workload: Fields) -> dict[str, Any]:
    """Lengths of a single-turn workload whose two lengths are both fixed."""
    lengths = {"isl": workload.inner("input_seq_len"), "osl": workload.inner("output_seq_len")}
    turns = workload.inner("multi_turn")
    many = bool(turns.values) and turns.flag("enabled") is not False
    if many or any(length.text("distribution") != "fixed" for length in lengths.values()):
        return {}
    return {"kind": "fixed", **{name: length.positive("value") for name, length in lengths.items()}}


def _recipe(scenario: Fields) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The partial recipe, and notes about what in it cannot be trusted."""
    recipe: dict[str, Any] = {}
    roles: dict[str, Any] = {}
    notes: list[str] = []
    for index, part in enumerate(scenario.items("stack")):
        place = f"{scenario.pointer('stack')}/{index}"
        engine = Fields.of(part, place).inner("standardized")
        role = _ROLES.get(engine.text("role") or "")
        if engine.text("kind") != "inference_engine" or role is None:
            continue
        if role in roles:
            notes.append(f"{engine.place}: another component of the same role, left out")
            continue
        roles[role], note = _role(engine)
        notes.extend(note)
        recipe |= _engine(engine)
    return {**recipe, **({"roles": roles} if roles else {})}, tuple(notes)


def _role(engine: Fields) -> tuple[dict[str, Any], list[str]]:
    accelerator = engine.inner("accelerator")
    split = accelerator.inner("parallelism")
    sizes = {name: split.count(name) or None for name in ("tp", "pp", "ep")}
    replicas, count = engine.positive("replicas"), accelerator.count("count") or None
    whole = (sizes["tp"] or 1) * (sizes["pp"] or 1) * (split.count("dp") or 1) * (replicas or 1)
    role = {"hardware": accelerator.text("model"), **sizes, "workers": replicas}
    notes = []
    if count == whole:
        role["gpus"] = count
    elif count is not None:
        notes.append(f"{accelerator.place}: {count} accelerators, but the parallelism makes {whole}")
    return {name: value for name, value in role.items() if value is not None}, notes


def _engine(engine: Fields) -> dict[str, Any]:
    tool, version = engine.text("tool"), engine.text("tool_version")
    model = engine.inner("model").text("name")
    # An image stands where a version is meant.
    is_image = version is not None and ("/" in version or "@sha256:" in version)
    build = {"name": tool, "image" if is_image else "version": version}
    parts = {
        "engine": {key: value for key, value in build.items() if value},
        "model": {"name": model} if model else {},
    }
    return {name: part for name, part in parts.items() if part}


def _extra(report: Fields, workload: Fields) -> dict[str, Any]:
    facts = {
        "client": workload.text("tool"), "client_version": workload.text("tool_version"),
        "stage": workload.count("stage"), "rate_qps": workload.amount("rate_qps"),
        "experiment": report.inner("run").text("eid"),
    }  # fmt: skip
    return {name: fact for name, fact in facts.items() if fact is not None}

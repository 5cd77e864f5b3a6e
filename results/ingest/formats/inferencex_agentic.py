"""Agentic aggregates of InferenceX, one JSON object per measured point, in the generations since April 2026.

``multiturn-2026-04``: flat keys, ``users`` and ``offload_mode``. ``agentx-0``: flat, ``conc`` and
``offloading`` (May and June 2026). ``agentx-1``: nested ``request_metrics`` (since July 2026).
``agentx-1-2026-08``: with recipe fingerprint, full-response metrics and power. The table of February 2026
is read by ``multiturn_tables``.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from results.ingest.formats.agentic.conduct import (
    EARLY_WINDOW_SECONDS,
    WINDOW_SECONDS,
    Accounting,
    account_values,
    read_accounting,
    verdict,
)
from results.ingest.formats.agentic.distributions import NAMES, STATISTICS, read_distributions
from results.ingest.formats.agentic.identity import read_identity
from results.ingest.formats.agentic.leaves import Leaves
from results.ingest.formats.agentic.power import read_power
from results.ingest.formats.agentic.server import read_server
from results.ingest.formats.agentic.throughput import FLAT, NESTED, read_throughput
from results.ingest.json_stream import json_rows, outline
from results.ingest.rows import FormatError, Rejected, Result, Row, Source

NAME = "inferencex-agentic"
PARSER_VERSION = "inferencex-agentic/1"
_FRESH = ("recipe_fingerprint", "num_gpus", "power_metric_schema_version")
_OFFLOADS = ("offloading", "offload_mode", "kv_offloading")
_LATENCY = (
    "ttft",
    "e2el",
    "itl",
    "tpot",
    "intvty",
    "e2e_norm_intvty",
    "full_response_itl",
    "full_response_intvty",
)
_DISTRIBUTIONS: Mapping[str, str] = {
    "qps": "request_metrics.qps",
    **{name: f"request_metrics.latency.{name}" for name in _LATENCY},
    "input_tokens": "request_metrics.tokens.input",
    "output_tokens": "request_metrics.tokens.output_actual",
}


def generation(row: Mapping[str, Any]) -> str | None:
    """Which generation of the aggregate a row is, by its keys; None when it is none."""
    agentic = row.get("scenario_type") == "agentic-coding" or any(name in row for name in _OFFLOADS)
    if isinstance(row.get("request_metrics"), dict) and (agentic or "server_metrics" in row):
        return "agentx-1-2026-08" if any(name in row for name in _FRESH) else "agentx-1"
    if "users" in row and "offload_mode" in row and ("mean_ttft" in row or agentic):
        return "multiturn-2026-04"
    return "agentx-0" if agentic and ("conc" in row or "users" in row) else None


def detect(source: Source) -> str | None:
    """The generation, by the keys of the object."""
    seen = outline(source)
    if seen.kind != "object":
        return None
    nested: dict[str, Any] = {name: {} for name in seen.nested}
    return generation({**dict.fromkeys(seen.keys), **seen.scalars, **nested})


def read(source: Source) -> Iterator[Row]:
    for item in json_rows(source):
        if isinstance(item, Rejected):
            yield item
            continue
        pointer, row = item
        if not isinstance(row, dict):
            raise FormatError(pointer, "must be an object")
        yield from read_row(row, pointer)


def read_row(row: Mapping[str, Any], pointer: str) -> Iterator[Row]:
    """The point of one aggregate; Rejected for a row that cannot be read. Raises nothing."""
    try:
        if generation(row) is None:
            raise FormatError(pointer, "no agentic aggregate")
        yield _point(row, pointer)
    except FormatError as error:
        yield Rejected(error.pointer, error.reason)


def _point(row: Mapping[str, Any], pointer: str) -> Result:
    leaves = Leaves(row, pointer)
    nested = leaves.has("request_metrics") or isinstance(row.get("request_metrics"), dict)
    identity, account = read_identity(leaves), read_accounting(leaves)
    throughput = read_throughput(leaves, NESTED if nested else FLAT, identity)
    shapes = read_distributions(leaves, _nested_paths() if nested else _flat_paths(row))
    power, server = read_power(leaves), read_server(leaves)
    theory, notes = _theory(leaves)
    duration = leaves.number("request_metrics.throughput.duration_seconds" if nested else "duration_seconds")
    window = WINDOW_SECONDS if nested else EARLY_WINDOW_SECONDS
    measured = (
        {} if account.successful == 0 else {**shapes.values, **throughput.values, **_rate(account, duration)}
    )
    values = {
        **measured,
        **account_values(account),
        **server.values,
        **theory,
        **({} if account.successful == 0 else power.values),
        **_dram(row, identity.recipe),
    }
    # A quotient of extreme figures is no number.
    return Result(
        pointer=pointer,
        recipe=identity.recipe,
        scenario=identity.scenario,
        load=identity.load,
        values={key: value for key, value in values.items() if math.isfinite(value)},
        verdict=verdict(account, duration, window),
        extra={**identity.extra, **throughput.extra, **power.extra, **leaves.rest()},
        flags=tuple(dict.fromkeys((*identity.flags, *throughput.flags, *shapes.flags, *server.flags))),
        notes=(
            *identity.notes, *throughput.notes, *shapes.notes, *power.notes, *server.notes, *notes,
            *account.notes, f"the row states no planned window: {window:g} s of its generation",
        ),
        planned_window_seconds=window,
    )  # fmt: skip


def _nested_paths() -> dict[str, dict[str, str]]:
    return {
        name: {statistic: f"{path}.{statistic}" for statistic in STATISTICS}
        for name, path in _DISTRIBUTIONS.items()
    }


def _flat_paths(row: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    return {name: {stat: path for stat in STATISTICS if (path := f"{stat}_{name}") in row} for name in NAMES}


def _rate(account: Accounting, duration: float | None) -> dict[str, float]:
    if duration is None or duration < 0:
        return {}
    if duration == 0 or account.successful is None:
        return {"duration": duration}
    return {"duration": duration, "request_throughput": account.successful / duration}


def _dram(row: Mapping[str, Any], recipe: Mapping[str, Any]) -> dict[str, float]:
    """The allowance of host memory; 0 when the tier is off, absent when the row does not say."""
    offload = recipe.get("kv_offload", {})
    if "allocated_cpu_dram_gb" not in row or row["allocated_cpu_dram_gb"] is None:
        return {}
    return {"allocated_host_dram_gb": float(offload.get("dram_gb", 0))}


def _theory(leaves: Leaves) -> tuple[dict[str, float], list[str]]:
    """Hit rate of the issued requests with an infinite cache. The generation of April 2026 calls it so;
    its ``theoretical_cache_hit_rate`` counts blocks of turns before the replay began."""
    paths = ("theoretical_infinite_cache_hit_rate", "request_metrics.cache.theoretical_cache_hit_rate")
    path = next((name for name in paths if leaves.has(name)), "theoretical_cache_hit_rate")
    value = leaves.number(path)
    notes = []
    if path == paths[0]:
        notes.append("theoretical_cache_hit_rate counts turns that were never issued: kept aside")
    if leaves.has("server_gpu_cache_hit_rate") or leaves.has("server_cpu_cache_hit_rate"):
        notes.append("hit rates per look-up count waiting requests again: kept aside, not as rates")
    if value is None or not 0 <= value <= 1:
        return {}, notes
    return {"theoretical_cache_hit_rate": value}, notes

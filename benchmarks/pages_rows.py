"""Rows of a site that has measured for long: every model on every part, week by week, build by build.

Numbers are made up, but have the shape of measured ones: with load, throughput saturates and interactivity
falls; parts differ, builds improve, and no two weeks are equal. A configuration gets a new build every four
weeks; what older builds and older weeks measured stays in the database.
"""

import csv
import json
import random
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from benchmarks.ingest import FIELDS, LOADS, METRICS
from results.metrics import METRICS as REGISTERED

WEEKS, WEEKS_PER_BUILD = 44, 4
FIRST = datetime(2025, 9, 1, tzinfo=UTC)
#: Runs of the two newest weeks, by the name that they have in files.
NEWEST = tuple(f"week-{week}" for week in range(WEEKS - 2, WEEKS))
SCENARIOS = ("1024/1024", "1024/8192", "8192/1024", "bench-agentic")
ENGINES = ("vllm", "sglang", "trtllm")
#: Part to how many times faster it is than the first.
HARDWARE = {"h100": 1.0, "h200": 1.3, "b200": 2.4, "b300": 2.8, "gb200": 3.0, "mi300x": 1.1, "mi325x": 1.3,
            "mi355x": 2.2}  # fmt: skip
#: Configurations of each part.
VARIANTS: tuple[Mapping[str, Any], ...] = (
    {"tp": 8, "precision": "fp8"},
    {"tp": 4, "precision": "fp8"},
    {"tp": 8, "ep": 8, "precision": "fp8"},
    {"tp": 8, "precision": "fp4"},
    {"tp": 4, "precision": "fp4"},
    {"tp": 8, "precision": "fp8", "speculative": {"method": "mtp"}},
    {"tp": 8, "precision": "fp8", "kv_offload": {"mode": "dram"}},
)
#: Points of one model in one week: 1,792.
PER_MODEL_AND_WEEK = len(SCENARIOS) * len(HARDWARE) * len(VARIANTS) * len(LOADS)


def rows(models: Iterable[str], weeks: Iterable[int]) -> Iterator[dict[str, Any]]:
    """Cells by column of our CSV export."""
    for model, week in product(models, list(weeks)):
        for hardware, variant in product(HARDWARE, range(len(VARIANTS))):
            document = json.dumps(recipe(model, hardware, variant, week // WEEKS_PER_BUILD))
            for scenario in SCENARIOS:
                yield from _run(f"{model} {scenario} {hardware} {variant}", week, scenario, document)


def recipe(model: str, hardware: str, variant: int, build: int) -> dict[str, Any]:
    shape = dict(VARIANTS[variant])
    role = {"hardware": hardware, "gpus": shape["tp"], "tp": shape.pop("tp"), "ep": shape.pop("ep", 1)}
    engine = ENGINES[(len(hardware) + variant) % len(ENGINES)]
    version = {"name": engine, "version": f"0.{build}.0"}
    return {"roles": {"serve": role}, "engine": version, "model": {"name": model}, **shape}


def _run(name: str, week: int, scenario: str, document: str) -> Iterator[dict[str, Any]]:
    """Eight loads, an hour after each other's week at most."""
    chance = random.Random(f"{name} {week}")  # noqa: S311 (made up, no secret)
    speed = HARDWARE[name.split()[2]] * (1 + 0.02 * (week // WEEKS_PER_BUILD)) * chance.gauss(1, 0.02)
    at = FIRST + timedelta(weeks=week, seconds=chance.randrange(3600))
    for load in LOADS:
        yield {
            "run": uuid5(NAMESPACE_OID, f"{name} {week}"),
            "label": "bench",
            "load": load,
            "validity": "valid",
            "rules_version": "fixed-1",
            "parser_version": "bench/1",
            "scenario": scenario,
            "source_run": f"week-{week}",
            "measured_at": at.isoformat(),
            "recipe_document": document,
            "extra": "{}",
            **_values(speed, load, chance),
        }


def _values(speed: float, load: int, chance: random.Random) -> dict[str, str]:
    """Metric to text; seconds and tokens per second."""
    interactivity = 90 * speed**0.5 / (1 + load / (30 * speed))
    found = {}
    for metric in METRICS:
        name, _bar, stat = metric.rpartition("_")
        worse = {"mean": 1.05, "p50": 1.0, "p90": 1.4, "p99": 2.0, "p999": 2.6}.get(stat, 1.0)
        typical = {
            "ttft": 0.2 * (1 + load / 10) / speed * worse,
            "itl": worse / interactivity,
            "tpot": worse / interactivity,
            "e2e_latency": 1000 * worse / interactivity,
            "interactivity": interactivity / worse,
        }.get(name, load * interactivity / 8)
        found[metric] = repr(typical * chance.gauss(1, 0.01))
    return found


def write(path: Path, found: Iterable[Mapping[str, Any]], columns: Iterable[str] = FIELDS) -> int:
    """How many rows were written as CSV."""
    count = 0
    with path.open("w", newline="", encoding="utf-8") as text:
        writer: csv.DictWriter[str] = csv.DictWriter(text, list(columns))
        writer.writeheader()
        for row in found:
            writer.writerow(row)
            count += 1
    return count


def older(row: Mapping[str, str], copy: int) -> dict[str, str]:
    """A row of an export as it was ``copy`` weeks before: another run, slightly other numbers."""
    chance = random.Random(f"{row['run']} {row['load']} {copy}")  # noqa: S311 (made up, no secret)
    measured = [name for name in row if name in REGISTERED and row[name]]
    changed = {name: repr(float(row[name]) * chance.gauss(1, 0.02)) for name in measured}
    moment = datetime.fromisoformat(row["measured_at"] or row["created_at"]) - timedelta(weeks=copy)
    own = {"run": str(uuid5(UUID(row["run"]), str(copy))), "measured_at": moment.isoformat(),
           "source_run": f"{row['source_run']}-{copy}", "published_run": ""}  # fmt: skip
    return {**row, **changed, **own}

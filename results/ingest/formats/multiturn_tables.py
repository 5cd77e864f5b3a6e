"""Tables of a whole multi-turn sweep, one point per line (``experiment_summary.csv``, ``summary.csv``).

February 2026 calls the load ``bs`` and replays chats until they are done, so it has no planned window;
April 2026 calls it ``users`` and stops after half an hour. Milliseconds are in the names. Only requests
with an answer are counted. Hit rates are percent of look-ups, in which a waiting request counts again.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from results.analysis.validity import Conduct, judge
from results.ingest.formats.agentic.conduct import EARLY_WINDOW_SECONDS
from results.ingest.formats.multiturn_cells import Cells
from results.ingest.reading import csv_rows, head
from results.ingest.rows import FormatError, Rejected, Result, Row, Source

NAME = "multiturn-table"
PARSER_VERSION = "multiturn-table/1"
_COLUMNS = frozenset({"exp_name", "tp", "offload", "num_requests", "throughput_rps", "mean_ttft_ms"})
#: Configuration of a line; all other columns are measured.
_CONFIGURATION = frozenset({"exp_name", "tp", "bs", "users", "offload", "status"})
_LATENCIES: Mapping[str, tuple[str, ...]] = {
    "ttft": ("ttft",),
    "tpot": ("itl", "tpot"),
    "latency": ("e2e_latency",),
}
_STATISTICS = ("mean", "p50", "p90", "p99", "p999")
_THROUGHPUT: Mapping[str, str] = {
    "input_throughput_tps": "input_throughput",
    "output_throughput_tps": "output_throughput",
    "total_throughput_tps": "total_throughput",
    "throughput_rps": "request_throughput",
}
_OFFLOAD: Mapping[str, str] = {"on": "dram", "off": "none"}


def detect(source: Source) -> str | None:
    """The generation, by the columns."""
    columns = {cell.strip() for cell in head(source).splitlines()[:1] for cell in cell.split(",")}
    if not columns >= _COLUMNS:
        return None
    return "multiturn-2026-02" if "bs" in columns else "multiturn-2026-04" if "users" in columns else None


def read(source: Source) -> Iterator[Row]:
    rows: list[Cells | Rejected] = []
    for item in csv_rows(source):
        rows.append(item if isinstance(item, Rejected) else Cells(*item))
    twins = _twins([row for row in rows if isinstance(row, Cells)])
    for row in rows:
        if isinstance(row, Rejected):
            yield row
        elif row.place in twins:
            others = " and ".join(twins[row.place])
            reason = f"the same numbers stand under another configuration in {others}: one of them is wrong"
            yield Rejected(row.place, reason)
        else:
            yield _read_row(row)


def _twins(rows: list[Cells]) -> dict[str, list[str]]:
    """Lines that repeat all measured numbers of a line with another configuration, with these lines."""
    groups: dict[tuple[tuple[str, str], ...], list[Cells]] = defaultdict(list)
    for row in rows:
        measured = {name: cell for name, cell in row.values.items() if name not in _CONFIGURATION and cell}
        groups[tuple(sorted(measured.items()))].append(row)
    return {
        row.place: [other.place for other in group if other is not row]
        for group in groups.values()
        if len({_configuration(row) for row in group}) > 1
        for row in group
    }


def _configuration(row: Cells) -> tuple[str | None, ...]:
    return tuple(row.text(name) for name in ("tp", "bs", "users", "offload"))


def _read_row(row: Cells) -> Row:
    try:
        return _point(row)
    except FormatError as error:
        return Rejected(error.pointer, error.reason)


def _point(row: Cells) -> Result:
    gpus, done = row.count("tp"), row.count("num_requests")
    succeeded = (row.text("status") or "SUCCESS") == "SUCCESS"
    values = _values(row, gpus) if done and succeeded else {}
    window = EARLY_WINDOW_SECONDS if "users" in row.values else None
    extra = _extra(row, values)
    notes = [
        "the table does not count failed requests",
        "hit rates per look-up count waiting requests again: kept aside, not as rates",
    ]
    if window is not None:
        notes.append(f"the table states no planned window: {window:g} s of its generation")
    other_count = not extra.keys().isdisjoint({"input_tps_per_gpu", "total_tps_per_gpu"})
    return Result(
        pointer=row.place,
        recipe=_recipe(row, gpus),
        scenario={"kind": "agentic"},
        load=row.count("bs") or row.count("users") or None,
        values={**values, **({} if done is None else {"requests_successful": done})},
        verdict=judge(
            Conduct(
                planned_seconds=window,
                phase_seconds=values.get("duration"),
                observed_seconds=values.get("duration"),
                successful=done or 0,
                failed=0,
                complete=succeeded,
                coverage_known=False,
            )
        ),
        extra=extra,
        flags=("gpu_count_unlike_parallelism",) if other_count else (),
        notes=tuple(notes),
        planned_window_seconds=window,
    )


def _recipe(row: Cells, gpus: int | None) -> dict[str, Any]:
    """The table divides by tp itself, so tp is its number of GPUs."""
    recipe: dict[str, Any] = {}
    if gpus:
        recipe["roles"] = {"serve": {"tp": gpus, "gpus": gpus}}
    offload = row.text("offload")
    if offload is not None:
        if offload not in _OFFLOAD:
            row.fail("offload", "must be on or off")
        recipe["kv_offload"] = {"mode": _OFFLOAD[offload]}
    return recipe


def _values(row: Cells, gpus: int | None) -> dict[str, float]:
    values: dict[str, float] = {}
    for column, names in _LATENCIES.items():
        for statistic in _STATISTICS:
            milliseconds = row.number(f"{statistic}_{column}_ms")
            if milliseconds:
                values.update({f"{name}_{statistic}": milliseconds / 1000 for name in names})
    for statistic in _STATISTICS:
        if latency := values.get(f"itl_{statistic}"):
            values[f"interactivity_{statistic}"] = 1 / latency
    rates = {key: rate for column, key in _THROUGHPUT.items() if (rate := row.number(column))}
    if "output_throughput" not in rates and {"input_throughput", "total_throughput"} <= rates.keys():
        rates["output_throughput"] = rates["total_throughput"] - rates["input_throughput"]
    if gpus:
        tokens = [key for key in rates if key != "request_throughput"]
        values.update({f"{key}_per_gpu": rates[key] / gpus for key in tokens})
    requests = row.count("num_requests")
    if requests and "request_throughput" in rates:
        values["duration"] = requests / rates["request_throughput"]
    # A quotient of extreme figures is no number.
    return {key: value for key, value in {**values, **rates}.items() if math.isfinite(value)}


def _extra(row: Cells, values: Mapping[str, float]) -> dict[str, Any]:
    """What has no registry entry and what does not agree with the rest of the line, by the table's names."""
    known = {f"{stat}_{column}_ms" for stat in _STATISTICS for column in _LATENCIES}
    known |= {*_THROUGHPUT, *_CONFIGURATION, "num_requests"}
    # The table computes these from other columns; repeated, they say nothing new.
    derived = {
        "interactivity": values.get("interactivity_p50"),
        "input_tps_per_gpu": values.get("input_throughput_per_gpu"),
        "total_tps_per_gpu": values.get("total_throughput_per_gpu"),
    }
    numbers = {
        name: value for name in row.values if name not in known and (value := row.number(name)) is not None
    }
    extra: dict[str, Any] = {
        name: value for name, value in numbers.items() if not _same(value, derived.get(name))
    }
    name = row.text("exp_name")
    return {**extra, **({} if name is None else {"exp_name": name})}


def _same(stated: float, computed: float | None) -> bool:
    return computed is not None and math.isclose(stated, computed, rel_tol=1e-6)

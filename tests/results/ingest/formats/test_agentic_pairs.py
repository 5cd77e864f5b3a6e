"""Records and the aggregate of one run say the same, to 1e-9 or to the five decimals of an aggregate."""

import math
from pathlib import Path
from typing import Any

import pytest

from results.ingest.formats import aiperf_export, inferencex_agentic
from results.ingest.rows import Result
from tests.results.ingest.formats import agentic_rows, aiperf_files
from tests.results.ingest.formats.aiperf_files import write
from tests.results.ingest.formats.folders import SHARED, stored

SWEEP = SHARED / "inferencex_ci" / "tp4_sweep_29003473063"
GPUS = 4
STATED = (50, 75, 90, 95)


def quantile(values: list[float], percent: float) -> float:
    ordered = sorted(values)
    rank = (len(ordered) - 1) * percent / 100
    low = int(rank)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] * (low + 1 - rank) + ordered[high] * (rank - low) if high > low else ordered[low]


def described(values: list[float]) -> dict[str, float]:
    middle = sum(values) / len(values)
    spread = math.sqrt(sum((value - middle) ** 2 for value in values) / len(values))
    return {
        "mean": middle, "std": spread, **{f"p{percent}": quantile(values, percent) for percent in STATED},
    }  # fmt: skip


def reciprocals(stats: dict[str, float]) -> dict[str, float]:
    return {name: 1 / value for name, value in stats.items() if name != "std"}


def aggregate(digits: int | None) -> dict[str, Any]:
    """The aggregate of the hand-made records, by the formulas of the harness and nothing of ours."""
    answers = aiperf_files.ANSWERS
    ttft, e2el = ([answer[place] / 1000 for answer in answers] for place in (1, 2))
    itl = [(latency - first) / 1000 / (osl - 1) for _start, first, latency, _isl, osl in answers]
    slow = [latency / 1000 / osl for _start, _first, latency, _isl, osl in answers]
    inputs, outputs = (sum(answer[place] for answer in answers) for place in (3, 4))
    rates = {"input": inputs / 3600, "output": outputs / 3600, "total": (inputs + outputs) / 3600}
    row = agentic_rows.nested()
    row["request_metrics"] = {
        "latency": {
            "ttft": described(ttft), "e2el": described(e2el), "itl": described(itl), "tpot": described(itl),
            "intvty": reciprocals(described(itl)), "e2e_norm_intvty": reciprocals(described(slow)),
        },
        "tokens": {"input": described([float(answer[3]) for answer in answers]),
                   "output_actual": described([float(answer[4]) for answer in answers])},
        "throughput": {
            **{kind: {"tokens_per_second": rate} for kind, rate in rates.items()},
            "per_gpu": {f"{kind}_tput_tps": rate / GPUS for kind, rate in rates.items()},
            "duration_seconds": 3600.0,
        },
        "cache": {"theoretical_cache_hit_rate": 925 / 1000},
    }  # fmt: skip
    row |= {"conc": 8, "tp": GPUS, "num_requests_total": 6, "num_requests_successful": 4}
    row["request_accounting"] = {"records_total": 6, "records_dropped_total": 2, "records_warmup_dropped": 1}
    row["server_metrics"] = {"present": False, "adapter": "none"}
    return row if digits is None else rounded(row, digits)


def rounded(value: Any, digits: int) -> Any:
    if isinstance(value, dict):
        return {name: rounded(inner, digits) for name, inner in value.items()}
    return round(value, digits) if isinstance(value, float) else value


def raw(folder: Path) -> Result:
    (found,) = aiperf_export.read(stored(folder / "profile_export_aiperf.json"))
    assert isinstance(found, Result)
    return found


def of_aggregate(row: dict[str, Any]) -> Result:
    (found,) = inferencex_agentic.read_row(row, "")
    assert isinstance(found, Result)
    return found


def test_the_hand_made_pair_agrees(tmp_path: Path) -> None:
    left = raw(write(tmp_path, summary=aiperf_files.summary(), records=aiperf_files.jsonl()))
    right = of_aggregate(aggregate(digits=None))
    shared = left.values.keys() & right.values.keys()
    assert len(shared) == 56
    for key in shared:
        assert left.values[key] == pytest.approx(right.values[key], rel=1e-9, abs=1e-9), key
    for kind in ("input", "output", "total"):
        whole = left.values[f"{kind}_throughput"]
        assert right.values[f"{kind}_throughput_per_gpu"] * GPUS == pytest.approx(whole, rel=1e-9)
    assert left.scenario == right.scenario
    assert (left.load, left.verdict) == (right.load, right.verdict)


def test_the_rounded_pair_agrees_to_its_decimals(tmp_path: Path) -> None:
    left = raw(write(tmp_path, summary=aiperf_files.summary(), records=aiperf_files.jsonl())).values
    right = of_aggregate(aggregate(digits=5)).values
    for key in left.keys() & right.keys() - {"request_throughput", "error_rate"}:
        assert round(left[key], 5) == pytest.approx(right[key], abs=1e-9), key


@pytest.mark.skipif(not SWEEP.is_dir(), reason="needs the shared data")
@pytest.mark.parametrize(("load", "common"), [(1, 57), (4, 57), (8, 57), (16, 57), (32, 57)])
def test_real_pairs_agree_to_the_decimals_of_the_aggregate(load: int, common: int) -> None:
    (folder,) = SWEEP.glob(f"agentic_*_conc{load}_*/aiperf_artifacts")
    (file,) = SWEEP.glob(f"bmk_agentic_*_conc{load}_*/*.json")
    left = raw(folder)
    (right,) = inferencex_agentic.read(stored(file))
    assert isinstance(right, Result)
    assert (left.load, left.scenario, left.verdict) == (right.load, right.scenario, right.verdict)
    # The engine's table has four decimals; a log counts the pool, the table the configuration of one engine.
    keys = left.values.keys() & right.values.keys() - {"gpu_kv_usage_max", "request_throughput"}
    assert len(keys) == common
    for key in keys:
        assert round(left.values[key], 5) == pytest.approx(right.values[key], abs=1e-9), key
    assert left.values["gpu_kv_usage_max"] == pytest.approx(right.values["gpu_kv_usage_max"], abs=5.5e-5)
    assert left.values["request_throughput"] == pytest.approx(right.values["request_throughput"], rel=2e-9)

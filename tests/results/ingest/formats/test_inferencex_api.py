"""Captures of the API and arrays of aggregates."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from results.ingest.formats import inferencex_api, inferencex_listings, inferencex_results
from results.ingest.rows import Rejected, Remark, Result, Row
from tests.results.ingest.formats.inferencex_rows import AGGREGATE, API, DISAGGREGATED, without
from tests.results.ingest.sources import source_of

RUN = "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/1/attempts/3"


def read(*rows: Any) -> list[Row]:
    return list(inferencex_api.read(source_of(json.dumps(rows))))


def point(row: Any) -> Result:
    (found,) = read(row)
    assert isinstance(found, Result)
    return found


def test_a_count_of_tp_times_ep_is_flagged_and_put_right() -> None:
    """TP8/EP8 on one node: 8 GPUs, so 200 tok/s/GPU are 1,600 tok/s, not 12,800."""
    found = point(API)
    assert found.recipe["roles"] == {
        "serve": {"hardware": "b200", "tp": 8, "ep": 8, "dp_attention": False, "gpus": 8}
    }
    assert found.flags == ("gpu_count_is_tp_times_ep",)
    assert found.extra == {"num_prefill_gpu": 64, "num_decode_gpu": 64}
    assert found.values == {
        "total_throughput_per_gpu": 200.0, "input_throughput_per_gpu": 90.0,
        "output_throughput_per_gpu": 110.0, "total_throughput": 1600.0, "input_throughput": 720.0,
        "output_throughput": 880.0, "ttft_p50": 0.2, "tpot_p50": 0.01, "interactivity_p50": 100.0,
    }  # fmt: skip


def test_when_and_by_which_run_a_row_was_measured() -> None:
    found = point(API)
    assert (found.source_run, found.measured_at) == (RUN, datetime(2026, 1, 14, tzinfo=UTC))
    assert (found.recipe["engine"], found.recipe["speculative"]) == ({"name": "trt"}, {"method": "mtp"})


def test_a_right_count_has_no_flag() -> None:
    found = point(without(API, num_prefill_gpu=8, num_decode_gpu=8))
    assert (found.flags, found.extra) == ((), {})


def test_another_count_on_one_node_is_kept_and_flagged() -> None:
    """Rows without a PP column give TP * PP: what the row counts wins unless it is TP * EP."""
    found = point(without(API, num_prefill_gpu=16, num_decode_gpu=16))
    assert (found.recipe["roles"]["serve"]["gpus"], found.flags) == (16, ("gpu_count_unlike_parallelism",))


TWO_ROLES = without(
    API, disagg=True, is_multinode=True, prefill_tp=1, prefill_ep=8, prefill_num_workers=1,
    decode_num_workers=2, num_prefill_gpu=8, num_decode_gpu=16,
    metrics={"tput_per_gpu": 200.0, "input_tput_per_gpu": 300.0, "output_tput_per_gpu": 150.0},
)  # fmt: skip


def test_counts_that_the_throughput_proves_win_over_the_parallelism() -> None:
    """300 * 8 + 150 * 16 = 4800 = 200 * 24, so prefill has 8 GPUs although its TP is 1."""
    found = point(TWO_ROLES)
    assert [role["gpus"] for role in found.recipe["roles"].values()] == [8, 16]
    assert found.flags == ("gpu_count_unlike_parallelism",)
    assert found.values["input_throughput_per_gpu"] == 100.0
    assert found.values["output_throughput_per_gpu"] == 100.0
    assert (found.values["input_throughput"], found.values["total_throughput"]) == (2400.0, 4800.0)


UNDIVIDED = without(
    API, disagg=True, prefill_tp=36, prefill_ep=1, decode_tp=36, decode_ep=1, num_prefill_gpu=36,
    num_decode_gpu=36,
    metrics={"tput_per_gpu": 50.0, "input_tput_per_gpu": 225.0, "output_tput_per_gpu": 28.125},
)  # fmt: skip


def test_roles_of_old_rows_follow_from_their_throughput() -> None:
    """36 GPUs at 50 make 1800 tok/s; 225 P + 28.125 (36 - P) = 1800 gives P = 4."""
    found = point(UNDIVIDED)
    assert found.recipe["roles"] == {
        "prefill": {"hardware": "b200", "gpus": 4},
        "decode": {"hardware": "b200", "gpus": 32},
    }
    assert found.values["input_throughput_per_gpu"] == pytest.approx(25.0)
    assert found.values["prefill_input_throughput_per_gpu"] == 225.0
    assert found.flags == ("role_gpus_from_throughput",)
    assert "multinode" not in found.recipe


def test_roles_that_do_not_follow_stay_open() -> None:
    metrics = {"tput_per_gpu": 50.0, "input_tput_per_gpu": 225.0, "output_tput_per_gpu": 30.0}
    found = point(without(UNDIVIDED, metrics=metrics))
    assert found.recipe["roles"] == {"prefill": {"hardware": "b200"}, "decode": {"hardware": "b200"}}
    assert found.values == {"total_throughput_per_gpu": 50.0}
    assert found.extra["input_tput_per_gpu"] == 225.0


def test_agentic_points_of_the_dashboard_are_refused() -> None:
    (found,) = read(without(API, benchmark_type="agentic_traces"))
    assert isinstance(found, Rejected)


def test_one_bad_row_does_not_lose_the_others() -> None:
    text = json.dumps(
        [API, {**API, "metrics": {"tput_per_gpu": float("nan")}}, {**API, "date": "May"}, 7, API]
    )
    found = list(inferencex_api.read(source_of(text)))
    assert [type(row).__name__ for row in found] == ["Result", "Rejected", "Rejected", "Rejected", "Result"]
    assert [row.pointer for row in found] == ["/0", "/1/metrics/tput_per_gpu", "/2/date", "/3", "/4"]


def test_histories_are_told_from_newest_points() -> None:
    assert inferencex_api.detect(source_of(json.dumps([API]))) == "benchmarks"
    assert inferencex_api.detect(source_of(json.dumps([without(API, "image")]))) == "benchmarks-history"


AGENTIC = {
    "hw": "cluster:b200-dgxc", "conc": 8, "model": "m", "framework": "vllm",
    "scenario_type": "agentic-coding",
    "tp": 8, "kv_offloading": "none", "num_requests_total": 10, "num_requests_successful": 9,
    "request_metrics": {}, "server_metrics": {},
}  # fmt: skip


def test_an_array_of_aggregates_holds_both_kinds_and_repeats() -> None:
    rows = [AGGREGATE, DISAGGREGATED, AGENTIC, AGGREGATE]
    source = source_of(json.dumps(rows))
    assert inferencex_results.detect(source) == "2025-12-05"
    found = list(inferencex_results.read(source))
    kinds = [row.scenario["kind"] if isinstance(row, Result) else "" for row in found]
    assert [kinds[index] for index in (0, 1, 3)] == ["fixed", "fixed", "fixed"]
    assert found[2].pointer.startswith("/2")
    assert isinstance(found[0], Result)
    assert isinstance(found[3], Result)
    assert found[0].values == found[3].values


def test_an_array_that_begins_with_an_agentic_row_is_recognised() -> None:
    assert inferencex_results.detect(source_of(json.dumps([AGENTIC, AGGREGATE]))) == "agentic"


def test_what_is_no_object_is_refused_alone() -> None:
    found = list(inferencex_results.read(source_of(json.dumps([AGGREGATE, None, AGGREGATE]))))
    assert [type(row) for row in found] == [Result, Rejected, Result]


@pytest.mark.parametrize(
    ("document", "version"),
    [
        ([without(API, "metrics", "conc")], "availability"),
        ({"summary": [], "volume": []}, "submissions"),
        ([API], None),
    ],
)
def test_listings_yield_a_remark(document: Any, version: str | None) -> None:
    source = source_of(json.dumps(document))
    assert inferencex_listings.detect(source) == version
    if version:
        assert [type(row) for row in inferencex_listings.read(source)] == [Remark]

"""Side-cars hold what the files hold, and numbers from columns are those of the records."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.column_file import ColumnFileError, PointColumns, read_columns, write_columns
from results.analysis.engine_columns import EngineColumns, engine_columns
from results.analysis.gpu_columns import QUANTITIES, gpu_columns
from results.analysis.request_columns import request_columns
from results.analysis.requests import Phase, RequestFailure, RequestRecord, parse_records
from results.analysis.series import Scrape, Window, parse_scrapes
from results.analysis.server import server_metrics
from results.analysis.summary import summarize

DATA = Path(__file__).resolve().parents[2] / "data" / "load"

whole = st.none() | st.integers(0, 2**53 - 1)
seconds = st.none() | st.floats(-1e9, 1e9)
text = st.none() | st.text(st.characters(codec=None), max_size=8) | st.just("<b>\x00\ud800")
moment = st.integers(0, 2**63 - 1)
failure = st.builds(
    RequestFailure, kind=st.text(max_size=4), code=st.none() | st.integers(), message=st.text(max_size=9)
)
record = st.builds(
    RequestRecord,
    line=st.integers(1, 2**31), phase=st.sampled_from(Phase), start_ns=moment, end_ns=moment,
    conversation=text, turn=whole, agent_depth=st.integers(0, 2**40), cancelled=st.booleans(),
    overflow=st.booleans(), failure=st.none() | failure, ttft=seconds, latency=seconds, itl=seconds,
    full_response_itl=seconds, input_tokens=whole, output_tokens=whole, prompt_tokens=whole,
    cached_tokens=whole, issued_ns=st.none() | moment, session=text, root=text,
)  # fmt: skip


@given(st.lists(record, max_size=6))
def test_records_come_back_from_a_side_car(records: list[RequestRecord]) -> None:
    content = write_columns(PointColumns(request_columns(records), None, None, {"a": "b"}, {"c": "<d>"}))
    back = read_columns(content)
    assert back.requests is not None
    assert list(back.requests.records()) == records
    assert (back.engine, back.gpu, back.sources, back.unreadable) == (None, None, {"a": "b"}, {"c": "<d>"})
    assert write_columns(back) == content
    assert back.requests.successful.tolist() == [one.successful for one in records]
    assert back.requests.failed.tolist() == [one.failed for one in records]


@given(st.binary(max_size=64))
def test_other_bytes_are_refused_by_type(content: bytes) -> None:
    with pytest.raises(ColumnFileError):
        read_columns(content)


def test_a_damaged_or_foreign_side_car_is_refused(tmp_path: Path) -> None:
    content = write_columns(PointColumns(None, None, None))
    for end in range(0, len(content), 7):
        with pytest.raises(ColumnFileError):
            read_columns(content[:end])
    np.savez(tmp_path / "other.npz", about=np.array([{"version": 1}], dtype=object))
    with pytest.raises(ColumnFileError):
        read_columns((tmp_path / "other.npz").read_bytes())


def test_a_summary_of_the_columns_is_that_of_the_records() -> None:
    with (DATA / "profile_export.jsonl").open("rb") as lines:
        records = list(parse_records(lines))
    columns = request_columns(records)
    assert summarize(columns.records(), 2) == summarize(records, 2)
    assert columns.text("conversation", 0) == "t-01"
    assert columns["issued_ns"][0] == 1789999990998500007


def scrapes(rows: list[dict[str, float]]) -> list[Scrape]:
    return [Scrape(float(at), row) for at, row in enumerate(rows)]


def last_minus_first(columns: EngineColumns, name: str) -> float:
    return float(columns.columns[name][-1] - columns.columns[name][0])


def test_counters_of_llamacpp_rise_by_what_the_metrics_say() -> None:
    with (DATA / "telemetry.jsonl").open("rb") as lines:
        found = list(parse_scrapes(lines))
    columns = engine_columns(found)
    metrics = server_metrics(Window(found, -math.inf, math.inf))
    assert last_minus_first(columns, "computed") == metrics["prompt_tokens_computed"]
    assert last_minus_first(columns, "generated") == metrics["generation_tokens"]
    assert np.nanmean(columns.columns["running"]) == pytest.approx(
        metrics["requests_running_mean"], rel=1e-12
    )
    assert np.nanmean(columns.columns["waiting"]) == pytest.approx(
        metrics["requests_waiting_mean"], rel=1e-12
    )


def test_sources_of_vllm_are_summed_over_engines() -> None:
    source = 'vllm:prompt_tokens_by_source_total{engine="%d",source="%s"}'
    usage = 'vllm:kv_cache_usage_perc{engine="%d"}'
    preempted = "vllm:num_preemptions_total"
    rows = [
        {source % (0, "local_compute"): 100.0, usage % 0: 0.1, usage % 1: 0.2, preempted: 1.0},
        {source % (0, "local_compute"): 150.0, source % (1, "local_cache_hit"): 70.0, usage % 0: 0.9,
         source % (1, "external_kv_transfer"): 30.0, preempted: 4.0},
    ]  # fmt: skip
    found = scrapes(rows)
    columns, metrics = engine_columns(found), server_metrics(Window(found, 0, 1))
    assert last_minus_first(columns, "computed") == metrics["prompt_tokens_computed"] == 50
    assert last_minus_first(columns, "cached_local") == metrics["prompt_tokens_cached_gpu"] == 70
    assert last_minus_first(columns, "cached_external") == metrics["prompt_tokens_cached_host"] == 30
    assert last_minus_first(columns, "preemptions") == metrics["preemptions"] == 3
    assert columns.each("kv_usage")["0"].tolist() == [0.1, 0.9]
    assert math.isnan(columns.each("kv_usage")["1"][1])
    assert "cached_device" not in columns.columns


def test_an_engine_without_known_metrics_has_no_columns() -> None:
    assert engine_columns([]).columns == {}
    assert engine_columns(scrapes([{"other": 1.0}])).at.tolist() == [0.0]


def test_samples_of_gpus_and_broken_lines() -> None:
    good = {"uuid": "GPU-b", "power_watts": 300, "sm_clock_mhz": None}
    lines = [
        json.dumps({"at": 2, "gpus": [good, {"uuid": "GPU-a", "power_watts": 1e400}, {"power_watts": 1}]}),
        json.dumps({"at": 1.5, "gpus": [good]}),
        "", "nonsense", json.dumps({"at": None, "gpus": []}), json.dumps({"at": 1, "gpus": 3}),
    ]  # fmt: skip
    columns = gpu_columns(lines)
    assert list(columns.gpus) == ["GPU-a", "GPU-b"]
    assert columns.gpus["GPU-b"]["at"].tolist() == [1.5, 2.0]
    assert columns.gpus["GPU-b"]["power_watts"].tolist() == [300.0, 300.0]
    assert np.isnan(columns.gpus["GPU-a"]["power_watts"]).all()
    assert columns.skipped == 4
    content = write_columns(PointColumns(None, None, columns))
    back = read_columns(content).gpu
    assert back is not None
    assert back.skipped == 4
    assert all(np.array_equal(back.gpus["GPU-b"][name], columns.gpus["GPU-b"][name], equal_nan=True)
               for name in ("at", *QUANTITIES))  # fmt: skip

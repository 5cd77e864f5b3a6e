from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from results.analysis.validity import Reason, Validity
from results.ingest.formats import kv_cache_tester
from results.ingest.rows import FormatError, Remark, Result
from results.metrics import METRICS
from tests.results.ingest.formats.folders import source, stored

REPLAY = """\
user_id,request_idx,trace_id,timestamp,request_type,input_tokens,output_tokens_expected,output_tokens_actual,\
cache_hit_blocks,cache_miss_blocks,ttft,ttlt,itl,delay_expected,delay_actual,success,error_message,\
theoretical_cache_hit_blocks,request_start_time,prefill_complete_time,request_complete_time,token_timestamps,\
tokens_per_chunk
User-001,3,trace_0001,1776748620.0,streaming,6400,100,101,90,10,1.0,3.0,0.02,12.0,0,True,,0,1776748600.0,\
1776748601.0,1776748603.0,"[1776748601.0, 1776748601.5]","[3, 1]"
User-001,4,trace_0001,1776748700.0,streaming,12800,100,201,95,5,2.0,10.0,0.04,12.0,0,True,,90,1776748700.0,\
1776748702.0,1776748710.0,"[]","[]"
User-002,1,trace_0002,1776750400.0,streaming,100,10,0,50,50,0,0,0,0,0,False,"timed out, twice",0,\
1776750390.0,0,1776750395.0,[],[]
"""
CHAT = """\
start_time_ms,relative_time_sec,ttft_ms,tpot_ms,latency_ms,input_num_turns,input_num_tokens,output_num_tokens,\
output_num_chunks,output_num_first_chunk_tokens,approx_cached_percent,conversation_id,client_id,\
interactivity_tok_per_sec
3215776000.000,0.000,200.000,20.000,1000.000,1,100,41,40,1,0.00,c1,0,50.00
3215777000.000,1.000,400.000,50.000,9000.000,1,300,173,170,1,0.00,c2,1,20.00
"""
SERVER = """\
timestamp_sec,relative_time_sec,kv_cache_usage_pct,num_requests_running,num_requests_waiting,\
prefix_cache_hits,prefix_cache_queries,generation_tokens_total,num_preemptions_total,\
prompt_tokens_local_compute,prompt_tokens_local_cache_hit,prompt_tokens_external_kv_transfer
1776748600.0,0.0,10.0,1,0,0,1000,100,2,100,0,0
1776748601.0,1.0,75.0,3,4,50,90000,300,5,400,500,200
"""
TRANSFER = "timestamp_sec,relative_time_sec,gpu_id,tx_pci_mb_per_sec,rx_pci_mb_per_sec\n1,0,0,1,2\n"
TURNS = "turn_idx,isl_mean,isl_median,osl_mean\n0,447.29,256.0,541.16\n"


def point(file: Any) -> Result:
    (found,) = kv_cache_tester.read(file)
    assert isinstance(found, Result)
    assert set(found.values) <= set(METRICS)
    return found


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (REPLAY, "detailed-results"),
        (REPLAY.replace("\n", "\r\n"), "detailed-results"),
        (CHAT, "client-metrics"),
        (SERVER, "server-metrics"),
        (TRANSFER, "gpu-transfer"),
        (TURNS, "turns-by-index"),
        ({"total_records": 9, "valid_records": 9, "turn_stats": {"min": 0}}, "turn-statistics"),
    ],
)
def test_columns_tell_the_kind(content: Any, kind: str, tmp_path: Path) -> None:
    assert kv_cache_tester.detect(source(tmp_path, content)) == kind


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", {}, b"\xff\xfe", "timestamp, index, power.draw [W]\n"])
def test_other_files_are_not_taken(content: Any, tmp_path: Path) -> None:
    assert kv_cache_tester.detect(source(tmp_path, content)) is None


def test_replayed_requests_make_a_point(tmp_path: Path) -> None:
    found = point(source(tmp_path, REPLAY))
    values = found.values
    assert (values["requests_total"], values["requests_successful"], values["requests_failed"]) == (3, 2, 1)
    assert (values["ttft_p50"], values["e2e_latency_mean"]) == (1.5, 6.5)
    assert values["itl_p90"] == pytest.approx(0.038)
    # The reciprocal of the percentile, not the percentile of reciprocals (50 and 25).
    assert values["interactivity_p90"] == pytest.approx(1 / 0.038)
    assert values["duration"] == 110
    assert values["output_throughput"] == 302 / 110
    assert not any(name.endswith("per_gpu") for name in values)
    # 0 + 90 of 200 blocks were issued before in this replay; 185 stood in the trace.
    assert values["theoretical_cache_hit_rate"] == 0.45
    assert found.extra["recorded_cache_hit_rate"] == 0.925
    assert found.started_at == datetime(2026, 4, 21, 5, 16, 40, tzinfo=UTC)
    assert (found.recipe, found.scenario, found.load) == ({}, {"kind": "agentic"}, None)
    assert found.planned_window_seconds == 1800
    assert set(found.verdict.reasons) == {Reason.ERROR_RATE, Reason.TRUNCATED}


def test_chat_requests_make_a_point_without_a_moment(tmp_path: Path) -> None:
    found = point(source(tmp_path, CHAT))
    values = found.values
    assert values["ttft_p50"] == pytest.approx(0.3)
    assert values["itl_mean"] == pytest.approx(0.035)
    assert values["duration"] == 10
    assert values["total_throughput"] == 614 / 10
    assert (found.started_at, found.planned_window_seconds) == (None, None)
    assert (found.verdict.validity, found.verdict.reasons) == (Validity.DIAGNOSTIC, (Reason.SHORT_WINDOW,))


def test_the_engine_s_time_line_is_read_with_the_requests(tmp_path: Path) -> None:
    server = source(tmp_path, SERVER, "metrics_server_metrics.csv")
    assert list(kv_cache_tester.read(server)) == [
        Remark("", "engine counters over time without the requests they served make no point")
    ]
    requests = source(tmp_path, CHAT, "metrics_client_metrics.csv")
    values = point(requests).values
    assert (values["gpu_kv_usage_max"], values["requests_running_mean"], values["preemptions"]) == (
        0.75,
        2,
        3,
    )
    assert (values["requests_waiting_mean"], values["generation_tokens"]) == (2, 200)
    # 300 computed, 500 from the device, 200 from outside; hits per look-up would say 0.0006.
    assert (values["gpu_cache_hit_rate"], values["external_cache_hit_rate"]) == (0.5, 0.2)
    assert list(kv_cache_tester.read(stored(server.location))) == [
        Remark("", "read together with metrics_client_metrics.csv")
    ]


def test_an_engine_that_started_again_has_no_counters(tmp_path: Path) -> None:
    source(tmp_path, SERVER.replace("0.0,10.0,1,0,0,1000,100,2,", "0.0,10.0,1,0,0,1000,900,2,"),
           "metrics_server_metrics.csv")  # fmt: skip
    values = point(source(tmp_path, CHAT, "metrics_client_metrics.csv")).values
    assert "generation_tokens" not in values
    assert values["preemptions"] == 3


@pytest.mark.parametrize(
    "content", [TRANSFER, TURNS, {"total_records": 9, "valid_records": 9, "turn_stats": {}}]
)
def test_descriptions_yield_a_remark(content: Any, tmp_path: Path) -> None:
    (found,) = kv_cache_tester.read(source(tmp_path, content))
    assert isinstance(found, Remark)


def test_no_request_at_all_is_stored_as_failed(tmp_path: Path) -> None:
    found = point(source(tmp_path, REPLAY.splitlines()[0] + "\n"))
    assert found.verdict.validity is Validity.FAILED


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("6400,100,101", "6400.5,100,101", "line 2, input_tokens"),
        (",1.0,3.0,0.02,", ",nan,3.0,0.02,", "line 2, ttft"),
        (",1.0,3.0,0.02,", ",-1,3.0,0.02,", "line 2, ttft"),
        (",True,,0,1776748600.0", ",maybe,,0,1776748600.0", "line 2, success"),
        (",True,,0,1776748600.0", ",True,,0,", "line 2, request_start_time"),
        (",0,1776748600.0", ",0,1776748700.0", "line 2, request_complete_time"),
        (",0,1776748600.0", ",0,1776748600000.0", "line 2, request_start_time"),
        ('"[3, 1]"\n', '"[3, 1]",1\n', "line 2"),
    ],
)
def test_a_broken_request_loses_the_distribution(old: str, new: str, place: str, tmp_path: Path) -> None:
    assert old in REPLAY
    with pytest.raises(FormatError) as refusal:
        list(kv_cache_tester.read(source(tmp_path, REPLAY.replace(old, new, 1))))
    assert refusal.value.pointer == place


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([REPLAY, CHAT, SERVER]), st.integers(0, 1500), st.text(max_size=4), st.booleans())
def test_no_damage_raises_anything_but_ours(
    tmp_path: Path, text: str, place: int, inserted: str, cut: bool
) -> None:
    at = place % len(text)
    damaged = (text[:at] + inserted + ("" if cut else text[at + 1 :])).encode("utf-8", "surrogatepass")
    (tmp_path / "metrics_server_metrics.csv").write_bytes(damaged)
    file = source(tmp_path, damaged, "file.csv")
    kv_cache_tester.detect(file)
    with suppress(FormatError):
        list(kv_cache_tester.read(file))
    point(source(tmp_path, CHAT, "metrics_client_metrics.csv"))

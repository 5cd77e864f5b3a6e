from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from results.analysis.validity import Reason, Validity
from results.ingest.formats import multiturn_tables
from results.ingest.rows import FormatError, Rejected, Result
from results.metrics import METRICS
from tests.results.ingest.formats.folders import source

FEBRUARY = """\
exp_name,tp,bs,offload,num_requests,throughput_rps,input_throughput_tps,total_throughput_tps,input_tps_per_gpu,\
total_tps_per_gpu,mean_ttft_ms,p50_ttft_ms,p999_ttft_ms,mean_tpot_ms,p50_tpot_ms,mean_latency_ms,p50_prefill_tps,\
gpu_hit_rate,cpu_hit_rate,interactivity
tp2_bs64_offloadon,2,64,on,2000,2.0,4000,5000,2000,2500,250,200,4000,25,20,10000,11137.8,87.5,0.5,50
tp4_bs16_offloadoff,4,16,off,500,1.0,2000,2600,500,650,100,90,900,12,10,5000,900,88,,100
"""
APRIL = """\
exp_name,tp,users,offload,status,num_requests,throughput_rps,input_throughput_tps,output_throughput_tps,\
total_throughput_tps,mean_ttft_ms,p50_ttft_ms,mean_tpot_ms,p50_tpot_ms,mean_latency_ms,gpu_hit_rate,cpu_hit_rate
a,4,128,off,SUCCESS,180,0.1,5000,200,5200,400000,430000,90,80,640000,0.17,
b,8,8,on,SUCCESS,90,0.1,6000,300,6300,800,700,20,16,30000,91,0.0
c,8,8,on,FAILED,0,,,,,,,,,,,
"""


def rows(tmp_path: Path, text: str) -> list[Any]:
    found = list(multiturn_tables.read(source(tmp_path, text)))
    for row in found:
        if isinstance(row, Result):
            assert set(row.values) <= set(METRICS)
    return found


@pytest.mark.parametrize(("text", "version"), [(FEBRUARY, "multiturn-2026-02"), (APRIL, "multiturn-2026-04")])
def test_columns_tell_the_generation(text: str, version: str, tmp_path: Path) -> None:
    assert multiturn_tables.detect(source(tmp_path, text)) == version


@pytest.mark.parametrize("text", ["", "tp,users\n", "exp_name,tp,offload\n", '{"tp": 4}'])
def test_other_files_are_not_taken(text: str, tmp_path: Path) -> None:
    assert multiturn_tables.detect(source(tmp_path, text)) is None


def test_february_2026(tmp_path: Path) -> None:
    first, second = rows(tmp_path, FEBRUARY)
    assert (first.pointer, first.load, second.load) == ("line 2", 64, 16)
    assert first.recipe == {"roles": {"serve": {"tp": 2, "gpus": 2}}, "kv_offload": {"mode": "dram"}}
    assert second.recipe["kv_offload"] == {"mode": "none"}
    values = first.values
    assert (values["ttft_mean"], values["ttft_p999"], values["itl_p50"]) == (0.25, 4.0, 0.02)
    assert (values["tpot_mean"], values["e2e_latency_mean"]) == (0.025, 10.0)
    assert (values["interactivity_p50"], values["interactivity_mean"]) == (50.0, 40.0)
    assert (values["input_throughput_per_gpu"], values["output_throughput_per_gpu"]) == (2000.0, 500.0)
    assert (values["duration"], values["requests_successful"]) == (1000.0, 2000)
    # Hits per look-up stay under the table's name; what it computes from other columns is not repeated.
    assert first.extra == {
        "exp_name": "tp2_bs64_offloadon", "p50_prefill_tps": 11137.8, "gpu_hit_rate": 87.5,
        "cpu_hit_rate": 0.5,
    }  # fmt: skip
    assert not any("hit_rate" in name for name in values)
    assert (first.verdict.validity, first.flags) == (Validity.VALID, ())
    # 500 seconds: below the least window, and there was no planned one.
    assert second.verdict.reasons == (Reason.SHORT_WINDOW,)


def test_april_2026(tmp_path: Path) -> None:
    first, second, third = rows(tmp_path, APRIL)
    assert (first.load, first.recipe["roles"]["serve"]["gpus"]) == (128, 4)
    assert (first.values["output_throughput_per_gpu"], first.values["itl_p50"]) == (50.0, 0.08)
    assert (first.verdict.validity, first.planned_window_seconds) == (Validity.VALID, 1800)
    assert second.verdict.reasons == (Reason.TRUNCATED,)
    assert third.verdict.validity is Validity.FAILED
    assert third.values == {"requests_successful": 0}


def test_one_configuration_does_not_repeat_the_numbers_of_another(tmp_path: Path) -> None:
    copy = APRIL.splitlines()[1].replace("a,4,128,off", "d,8,64,on")
    found = rows(tmp_path, f"{APRIL}{copy}\n")
    assert [type(row) for row in found] == [Rejected, Result, Result, Rejected]
    assert "line 5" in found[0].reason
    assert "line 2" in found[3].reason


def test_a_quotient_beyond_all_numbers_is_absent(tmp_path: Path) -> None:
    first = rows(tmp_path, FEBRUARY.replace(",2000,2.0,", ",2000,5e-324,", 1))[0]
    assert "duration" not in first.values
    assert first.values["ttft_mean"] == 0.25


def test_the_same_line_twice_is_read_twice(tmp_path: Path) -> None:
    assert (
        len([row for row in rows(tmp_path, APRIL + APRIL.splitlines()[1] + "\n") if isinstance(row, Result)])
        == 4
    )


def test_figures_that_do_not_agree_are_kept_apart(tmp_path: Path) -> None:
    text = FEBRUARY.replace(",2000,2500,250,", ",500,625,250,").replace("87.5,0.5,50", "87.5,0.5,45")
    first = rows(tmp_path, text)[0]
    assert first.flags == ("gpu_count_unlike_parallelism",)
    assert (first.extra["total_tps_per_gpu"], first.extra["interactivity"]) == (625, 45)
    assert (first.values["total_throughput_per_gpu"], first.values["interactivity_p50"]) == (2500, 50)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        (",2,64,on,", ",2,64,ssd,", "line 2, offload"),
        (",250,200,", ",inf,200,", "line 2, mean_ttft_ms"),
        (",250,200,", ",-2,200,", "line 2, mean_ttft_ms"),
        ("tp2_bs64_offloadon,2,", "tp2_bs64_offloadon,2.5,", "line 2, tp"),
        (",0.5,50\n", ",0.5\n", "line 2"),
    ],
)
def test_a_broken_line_loses_itself_alone(old: str, new: str, place: str, tmp_path: Path) -> None:
    first, second = rows(tmp_path, FEBRUARY.replace(old, new, 1))
    assert isinstance(first, Rejected)
    assert first.pointer == place
    assert isinstance(second, Result)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([FEBRUARY, APRIL]), st.integers(0, 900), st.text(max_size=4), st.booleans())
def test_no_damage_raises_anything_but_ours(
    tmp_path: Path, text: str, place: int, inserted: str, cut: bool
) -> None:
    at = place % len(text)
    damaged = (text[:at] + inserted + ("" if cut else text[at + 1 :])).encode("utf-8", "surrogatepass")
    file = source(tmp_path, damaged)
    multiturn_tables.detect(file)
    with suppress(FormatError):
        list(multiturn_tables.read(file))

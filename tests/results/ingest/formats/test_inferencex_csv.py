"""Exports of the dashboard."""

import pytest

from results.ingest.formats import inferencex_csv
from results.ingest.rows import FormatError, Rejected, Result, Row
from tests.results.ingest.sources import source_of

CELLS = {
    "Model": "gpt-oss-120b", "ISL": "1024", "OSL": "1024", "Hardware": "h200", "Hardware Key": "h200_vllm",
    "Framework": "vllm", "Precision": "fp4", "TP": "4", "Concurrency": "8", "Date": "2026-06-05",
    "Throughput/GPU (tok/s)": "200", "Output Throughput/GPU (tok/s)": "100",
    "Input Throughput/GPU (tok/s)": "100", "Median TTFT (ms)": "0.25", "Median TPOT (ms)": "0.004",
    "Std TPOT (ms)": "0.0001", "Median Interactivity (tok/s/user)": "250",
    "Std Interactivity (tok/s/user)": "10000", "Median ITL (ms)": "0.003", "Median E2E Latency (ms)": "4.5",
    "Disaggregated": "false", "Num Prefill GPUs": "", "Num Decode GPUs": "", "Spec Decoding": "none",
    "EP": "1", "DP Attention": "false", "Is Multinode": "false", "Cost": "1.5",
}  # fmt: skip


def text(*rows: dict[str, str]) -> str:
    lines = ["# Licence of somebody", ",".join(CELLS), *(",".join(row.values()) for row in rows)]
    return "\n".join(lines) + "\n"


def read(*rows: dict[str, str]) -> list[Row]:
    return list(inferencex_csv.read(source_of(text(*rows))))


def point(**changes: str) -> Result:
    names = {name.replace(" ", "_").replace("/", "_"): name for name in CELLS}
    (found,) = read({**CELLS, **{names[key]: value for key, value in changes.items()}})
    assert isinstance(found, Result)
    return found


def test_seconds_under_a_heading_of_milliseconds() -> None:
    """0.004 * 250 = 1, so the row holds seconds; 4 GPUs."""
    found = point()
    assert found.values == {
        "total_throughput_per_gpu": 200.0, "input_throughput_per_gpu": 100.0,
        "output_throughput_per_gpu": 100.0, "total_throughput": 800.0, "input_throughput": 400.0,
        "output_throughput": 400.0, "ttft_p50": 0.25, "tpot_p50": 0.004, "tpot_std": 0.0001,
        "interactivity_p50": 250.0, "inter_chunk_latency_p50": 0.003, "e2e_latency_p50": 4.5,
    }  # fmt: skip
    assert found.notes == ("std_intvty left out: 1 / the spread of TPOT says nothing",)
    assert found.recipe == {
        "engine": {"name": "vllm"}, "model": {"name": "gpt-oss-120b"}, "precision": "fp4",
        "speculative": None,
        "roles": {"serve": {"hardware": "h200", "tp": 4, "ep": 1, "dp_attention": False, "gpus": 4}},
        "multinode": False,
    }  # fmt: skip
    assert (found.pointer, found.load, found.extra) == ("line 3", 8, {"Cost": "1.5"})


def test_milliseconds_under_their_heading() -> None:
    """4 * 250 = 1000, so the row holds milliseconds."""
    (found,) = read({**CELLS, "Median TPOT (ms)": "4", "Median TTFT (ms)": "250"})
    assert isinstance(found, Result)
    assert found.values["ttft_p50"] == pytest.approx(0.25)
    assert found.values["interactivity_p50"] == 250.0


@pytest.mark.parametrize("tpot", ["", "0.5"])
def test_latencies_without_a_proven_unit_are_left_out(tpot: str) -> None:
    (found,) = read({**CELLS, "Median TPOT (ms)": tpot})
    assert isinstance(found, Result)
    assert not {name for name in found.values if not name.endswith(("throughput", "per_gpu"))}
    assert "prove a unit" in found.notes[0]


def test_a_disaggregated_row_states_the_gpus_of_its_roles() -> None:
    """TP is then the sum of both roles. 100 over 3 prefill and 300 over 1 decode GPU make 600 over 4."""
    found = point(
        Disaggregated="true", Num_Prefill_GPUs="3", Num_Decode_GPUs="1", Is_Multinode="true",
        **{"Throughput_GPU_(tok_s)": "150", "Output_Throughput_GPU_(tok_s)": "300"},
    )  # fmt: skip
    assert {name: role["gpus"] for name, role in found.recipe["roles"].items()} == {"prefill": 3, "decode": 1}
    assert found.values["input_throughput_per_gpu"] == 75.0
    assert (found.values["output_throughput_per_gpu"], found.values["total_throughput"]) == (75.0, 600.0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ISL": "", "OSL": ""}, "agentic"),
        ({"TP": "four"}, "TP: must be a whole number"),
        ({"Median TTFT (ms)": "inf"}, "must be finite"),
        ({"Median TTFT (ms)": "fast"}, "must be a number"),
        ({"Cost": "1,5"}, "as many cells"),
        ({"Cost": '"a'}, "as many cells"),
        ({"Cost": "\0"}, "as many cells"),
    ],
)
def test_a_bad_row_does_not_lose_the_next(change: dict[str, str], reason: str) -> None:
    first, second = read({**CELLS, **change}, CELLS)
    assert isinstance(first, Rejected)
    assert reason in first.reason
    assert isinstance(second, Result)


def test_a_column_that_stands_twice() -> None:
    with pytest.raises(FormatError, match="twice"):
        list(inferencex_csv.read(source_of("Hardware Key,TP,TP\n")))


def test_other_tables_are_not_mine() -> None:
    assert inferencex_csv.detect(source_of("a,b\n1,2\n")) is None
    assert inferencex_csv.detect(source_of(text(CELLS))) == "1"

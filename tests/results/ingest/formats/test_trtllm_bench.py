"""The text report of trtllm-bench, early and late."""

import pytest

from results.ingest.formats import trtllm_bench
from results.ingest.rows import FormatError, Rejected, Result
from tests.results.ingest.formats.tool_samples import TRTLLM, TRTLLM_PYTORCH, point, rows, version
from tests.results.ingest.sources import source_of


def test_an_early_report_gives_output_throughput_alone() -> None:
    found = point(trtllm_bench, TRTLLM)

    assert version(trtllm_bench, TRTLLM) == "engine"
    assert found.values == {
        "duration": 50.0, "request_throughput": 4.0, "output_throughput": 2000.0,
        "input_throughput": 200 * 1000 / 50, "total_throughput": 6000.0, "requests_successful": 200,
        "input_tokens_mean": 1000.0, "output_tokens_mean": 500.0,
    }  # fmt: skip
    assert found.notes == ("Issue Rate 1.6324e+14 left out: all requests were sent at once",)


def test_identity_is_what_the_report_says() -> None:
    found = point(trtllm_bench, TRTLLM)

    assert found.recipe == {
        "roles": {"serve": {"tp": 8, "pp": 2, "gpus": 16}},
        "engine": {"name": "trtllm", "version": "0.16.0"},
        "model": {"name": "meta-llama/Llama-3.1-70B-Instruct"}, "precision": "FP8", "kv_dtype": "FP8",
    }  # fmt: skip
    assert (found.scenario, found.load, found.measured_at) == ({}, None, None)


def test_a_late_report_has_latencies() -> None:
    found = point(trtllm_bench, TRTLLM_PYTORCH)

    assert version(trtllm_bench, TRTLLM_PYTORCH) == "pytorch"
    assert found.values["total_throughput"] == 2400.0
    assert found.values["tpot_p99"] == pytest.approx(0.04)
    assert found.values["interactivity_p50"] == pytest.approx(62.5)
    assert found.values["interactivity_mean"] == pytest.approx(50.0)
    assert found.values["ttft_mean"] == pytest.approx(0.08)
    assert found.values["e2e_latency_p90"] == pytest.approx(5.0)
    assert found.recipe["roles"]["serve"] == {"tp": 4, "pp": 1, "ep": 4, "gpus": 4}
    assert "kv_dtype" not in found.recipe
    assert found.notes == ()


def test_every_report_of_a_log_is_a_point() -> None:
    first, second = rows(trtllm_bench, TRTLLM + TRTLLM_PYTORCH)

    assert isinstance(first, Result)
    assert isinstance(second, Result)
    assert (first.pointer, second.pointer) == ("line 5", "line 35")


def test_a_cut_report_is_refused() -> None:
    source = source_of(TRTLLM[: TRTLLM.index("= PERFORMANCE")])
    assert trtllm_bench.detect(source) == "engine"
    with pytest.raises(FormatError, match="the report is cut"):
        list(trtllm_bench.read(source))


def test_a_number_that_is_none_is_refused_at_its_report() -> None:
    (found,) = rows(trtllm_bench, TRTLLM.replace("4.0000", "fast"))

    assert found == Rejected("line 5, /Request Throughput", "must be a number")


@pytest.mark.parametrize("word", ["inf", "Infinity", "nan", "1_0"])
def test_words_that_python_takes_for_numbers_are_none(word: str) -> None:
    (found,) = rows(trtllm_bench, TRTLLM.replace("50000.0000", word))

    assert not isinstance(found, Result) or "duration" not in found.values


def test_other_text_is_not_recognised() -> None:
    assert version(trtllm_bench, "a log\nwithout a report\n") is None
    assert version(trtllm_bench, "") is None

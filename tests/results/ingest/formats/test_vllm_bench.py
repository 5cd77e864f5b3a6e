"""Raw results of vLLM's benchmark client: units, rates, requests one by one."""

import json
from datetime import UTC, datetime

import pytest

from results.analysis.validity import Reason, Validity
from results.ingest.formats import vllm_bench
from results.ingest.rows import Rejected, Result
from tests.results.ingest.formats.tool_samples import (
    point,
    rows,
    version,
    vllm,
    vllm_detailed,
    vllm_seconds,
)


def test_milliseconds_become_seconds_and_tpot_gives_interactivity() -> None:
    found = point(vllm_bench, vllm())

    assert found.values["ttft_p50"] == pytest.approx(0.2)
    assert found.values["tpot_p999"] == pytest.approx(0.05)
    assert found.values["inter_chunk_latency_p90"] == pytest.approx(0.09)
    assert found.values["e2e_latency_std"] == pytest.approx(1.0)
    assert found.values["interactivity_p50"] == pytest.approx(50.0)
    assert found.values["interactivity_p99"] == pytest.approx(25.0)
    assert not {"interactivity_std", "itl_p50"} & set(found.values)


def test_rates_are_those_of_the_deployment() -> None:
    found = point(vllm_bench, vllm())

    assert found.values["input_throughput"] == 1200.0 - 400.0
    assert found.values["total_throughput"] == 1200.0
    assert found.values["request_throughput"] == 0.8
    assert not any(key.endswith("_per_gpu") for key in found.values)


def test_the_protocol_of_the_client_is_no_engine_and_its_local_date_no_moment() -> None:
    found = point(vllm_bench, vllm())

    assert found.recipe == {"model": {"name": "moonshotai/Kimi-K2.5"}}
    assert (found.scenario, found.load) == ({}, 4)
    assert found.measured_at == datetime(2026, 6, 11, 5, 44, 28, 500_000, tzinfo=UTC)
    assert point(vllm_bench, vllm_seconds()).measured_at is None
    assert found.extra["date"] == "20260527-075026"


def test_keys_without_an_ending_are_seconds() -> None:
    found = point(vllm_bench, vllm_seconds())

    assert version(vllm_bench, vllm_seconds()) == "seconds"
    assert found.values["ttft_p99"] == 1.25
    assert found.values["interactivity_p50"] == pytest.approx(25.0)
    assert found.values["total_throughput"] == pytest.approx((320_000 + 20_480) / 64)


def test_requests_one_by_one_replace_reported_statistics() -> None:
    found = point(vllm_bench, vllm_detailed())

    # Latencies 0.9, 1.25 and 4.0 s; TPOT 0.2, 0.25 and 0.5 s; twelve gaps: 0.1, 4 x 0.25, 0.3, 6 x 0.5.
    assert found.values["ttft_p50"] == 0.5
    assert found.values["e2e_latency_p75"] == pytest.approx((1.25 + 4.0) / 2)
    assert found.values["tpot_mean"] == pytest.approx(0.95 / 3)
    assert found.values["interactivity_p50"] == pytest.approx(4.0)
    assert found.values["e2e_norm_interactivity_p50"] == pytest.approx(1 / 0.3)
    assert found.values["inter_chunk_latency_p50"] == pytest.approx((0.3 + 0.5) / 2)
    assert found.values["output_tokens_p90"] == pytest.approx(6.6)
    assert "statistics_disagree" in found.flags
    assert "ttft_p50 as reported differs from the listed requests" in found.notes


def test_a_list_of_other_length_is_not_used() -> None:
    found = point(vllm_bench, vllm_detailed(completed=4, failed=0, request_throughput=0.4))

    assert found.values["ttft_p50"] == pytest.approx(0.2)
    assert "3 requests are listed as successful, 4 are counted: not used" in found.notes


@pytest.mark.parametrize(
    ("changes", "failed", "validity"),
    [
        ({"num_prompts": 42}, 2, Validity.VALID),
        ({"num_prompts": 43}, 3, Validity.INVALID),
        ({"failed": 0, "num_prompts": 1000}, 0, Validity.VALID),
        ({"num_prompts": 39}, 0, Validity.VALID),
    ],
)
def test_failed_requests_and_the_gate_of_five_percent(
    changes: dict[str, int], failed: int, validity: Validity
) -> None:
    found = point(vllm_bench, vllm(**changes))

    assert found.values["requests_failed"] == failed
    assert found.verdict.validity is validity


def test_without_a_success_there_are_no_latencies() -> None:
    found = point(
        vllm_bench,
        vllm(completed=0, total_input_tokens=0, total_output_tokens=0, mean_ttft_ms=float("nan")),
    )

    assert found.verdict.reasons == (Reason.NO_SUCCESSFUL_REQUEST,)
    assert set(found.values) == {
        "duration", "request_throughput", "input_throughput", "output_throughput", "total_throughput",
        "requests_successful", "requests_failed", "requests_total", "error_rate",
    }  # fmt: skip


def test_zero_latencies_are_left_out() -> None:
    found = point(vllm_bench, vllm(median_tpot_ms=0.0, std_tpot_ms=0.0))

    assert not {"tpot_p50", "interactivity_p50"} & set(found.values)
    assert found.values["tpot_std"] == 0.0


@pytest.mark.parametrize("rate", ["inf", float("inf")])
def test_an_endless_rate_is_kept_as_text(rate: object) -> None:
    assert point(vllm_bench, vllm(request_rate=rate)).extra["request_rate"] == "inf"


def test_rates_that_contradict_the_counts_are_flagged() -> None:
    found = point(vllm_bench, vllm(output_throughput=800.0))

    assert found.flags == ("rates_disagree",)
    assert "output_throughput is not the count over the duration" in found.notes


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"mean_ttft_ms": float("nan")}, "/mean_ttft_ms"),
        ({"median_itl_ms": "12"}, "/median_itl_ms"),
        ({"p90_e2el_ms": -1}, "/p90_e2el_ms"),
        ({"total_input_tokens": 2**53 + 1}, "/total_input_tokens"),
        ({"completed": 1.5}, "/completed"),
        ({"completed": None}, "/completed"),
        ({"max_concurrency": 0}, "/max_concurrency"),
        ({"benchmark_start_time_unix": 12.0}, "/benchmark_start_time_unix"),
        ({"ttfts": {"a": 1}}, "/ttfts"),
        ({"ttfts": [1.0], "itls": [[None]]}, "/itls/0/0"),
    ],
)
def test_refused_fields_are_named(changes: dict[str, object], pointer: str) -> None:
    (found,) = rows(vllm_bench, vllm(**changes))

    assert isinstance(found, Rejected)
    assert found.pointer == pointer


def test_a_pooling_benchmark_is_no_point() -> None:
    (found,) = rows(vllm_bench, vllm(input_sequence_throughput=3.0))

    assert found == Rejected("", "a pooling benchmark: nothing is generated")


def test_appended_results_are_one_point_per_line() -> None:
    appended = (vllm(), vllm(completed="x"), vllm(max_concurrency=8))
    first, bad, last = rows(vllm_bench, "\n".join(map(json.dumps, appended)))

    assert isinstance(first, Result)
    assert isinstance(last, Result)
    assert (first.pointer, first.load) == ("line 1", 4)
    assert bad == Rejected("line 2, /completed", "must be a number")
    assert (last.pointer, last.load) == ("line 3", 8)


def test_versions_by_content() -> None:
    assert version(vllm_bench, vllm()) == "benchmark-serving"
    assert version(vllm_bench, vllm(endpoint_type="openai", label=None, failed=0)) == "bench-serve"
    assert version(vllm_bench, {"model_id": "a", "duration": 1}) is None
    assert version(vllm_bench, "no JSON") is None

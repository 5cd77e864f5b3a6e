import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.requests import RequestRecord, parse_records
from results.analysis.summary import completions_per_second, duration, summarize
from results.metrics import METRICS
from tests.results.analysis.records import line


def records(*lines: str) -> list[RequestRecord]:
    return list(parse_records(lines))


def values(*lines: str, gpus: int = 1) -> dict[str, float]:
    return summarize(records(*lines), gpus).values


def test_interactivity_is_the_reciprocal_of_the_percentile() -> None:
    # Inter-token latencies 0.1, 0.2 and 0.4 s: P50 of the reciprocals would be right only by chance.
    lines = [line(latency=ttft + 15 * itl, ttft=ttft) for ttft, itl in ((0.5, 0.1), (0.5, 0.2), (0.5, 0.4))]
    found = values(*lines)
    assert found["itl_p50"] == pytest.approx(0.2)
    assert found["interactivity_p50"] == pytest.approx(5.0)
    assert found["interactivity_p90"] == pytest.approx(1 / 0.36)
    assert found["interactivity_mean"] == pytest.approx(3 / 0.7)
    assert found["interactivity_p90"] < found["interactivity_p50"]
    assert found["tpot_p90"] == found["itl_p90"]
    assert "interactivity_std" not in found


def test_end_to_end_normalised_interactivity() -> None:
    # 0.02, 0.025 and 0.05 s per output token; the median speed is 40, not the mean of 50, 40 and 20.
    lines = [line(latency=seconds, tokens=(10, 100)) for seconds in (2.0, 2.5, 5.0)]
    found = values(*lines)
    assert found["e2e_norm_interactivity_p50"] == pytest.approx(40)
    assert found["e2e_norm_interactivity_mean"] == pytest.approx(3 / 0.095)


def test_inter_token_latency_is_not_time_over_all_tokens() -> None:
    found = values(line(latency=10, ttft=2, tokens=(50, 401)))
    assert found["itl_p50"] == pytest.approx(0.02)
    assert found["interactivity_p50"] == pytest.approx(50)
    assert found["e2e_norm_interactivity_p50"] == pytest.approx(40.1)


def test_throughput_runs_from_first_start_to_last_end_over_all_gpus() -> None:
    found = values(line(0, 4, tokens=(800, 100)), line(6, 2, tokens=(1600, 300)), gpus=12)
    assert found["duration"] == 8
    assert found["request_throughput"] == 0.25
    assert found["input_throughput"] == 300
    assert found["output_throughput"] == 50
    assert found["total_throughput"] == 350
    assert found["input_throughput_per_gpu"] == 25
    assert found["output_throughput_per_gpu"] == pytest.approx(50 / 12)
    parts = found["input_throughput_per_gpu"] + found["output_throughput_per_gpu"]
    assert found["total_throughput_per_gpu"] == pytest.approx(parts)


def test_warm_up_errors_and_cut_off_requests_touch_no_measurement() -> None:
    kept = [line(0, 2), line(1, 3)]
    noise = [
        line(-50, 40, metadata={"benchmark_phase": "warmup"}),
        line(0, 90, error={"message": "boom"}),
        line(0, 95, metadata={"was_cancelled": True}),
    ]
    with_noise, without = values(*kept, *noise), values(*kept)
    counts = {"requests_total", "requests_failed", "error_rate"}
    assert {k: v for k, v in with_noise.items() if k not in counts} == {
        k: v for k, v in without.items() if k not in counts
    }
    assert with_noise["requests_total"] == 5
    assert with_noise["requests_successful"] == 2
    assert with_noise["requests_failed"] == 1
    assert with_noise["error_rate"] == pytest.approx(1 / 3)


def test_no_success_has_counts_and_nothing_else() -> None:
    found = values(line(error={"message": "boom"}))
    assert found == {"requests_total": 1, "requests_successful": 0, "requests_failed": 1, "error_rate": 1}
    assert values() == {"requests_total": 0, "requests_successful": 0, "requests_failed": 0}


def test_latencies_of_zero_or_less_are_no_measurements() -> None:
    found = values(line(metrics={"time_to_first_token": 0.0}), line(metrics={"time_to_first_token": -3.0}))
    assert "ttft_p50" not in found
    assert values(line(ttft=0.3), line(metrics={"time_to_first_token": 0.0}))["ttft_mean"] == 0.3


def test_single_token_answers_have_no_inter_token_latency() -> None:
    document = json.loads(line(tokens=(100, 2)))
    document["metrics"]["output_sequence_length"]["value"] = 1
    del document["metrics"]["inter_token_latency"]
    found = values(json.dumps(document))
    assert not {key for key in found if key.startswith(("itl", "tpot", "interactivity"))}
    assert found["e2e_norm_interactivity_p50"] == 0.5


def test_a_missing_token_count_makes_its_throughput_absent_and_not_smaller() -> None:
    document = json.loads(line(2, 2))
    del document["metrics"]["output_sequence_length"]
    summary = summarize(records(line(0, 2), json.dumps(document)), 1)
    assert "output_throughput" not in summary.values
    assert "total_throughput_per_gpu" not in summary.values
    assert summary.values["input_throughput"] == 50
    assert summary.counts["records_without_output_tokens"] == 1


def test_full_response_latency_is_kept_apart() -> None:
    found = values(line(metrics={"full_response_inter_token_latency": {"value": 8.0, "unit": "ms"}}))
    assert found["full_response_itl_p90"] == pytest.approx(0.008)
    assert found["full_response_interactivity_p90"] == pytest.approx(125)
    assert found["itl_p90"] == pytest.approx(0.1)
    assert "full_response_itl_p50" not in values(line())


def usage(prompt: int, cached: int | None) -> dict[str, Any]:
    fields = {"usage_prompt_tokens": prompt, "usage_prompt_cache_read_tokens": cached}
    return {name: value for name, value in fields.items() if value is not None}


def test_cache_hits_reported_to_the_client() -> None:
    hit, miss = line(metrics=usage(300, 240)), line(metrics=usage(100, None))
    assert values(hit, miss)["client_cache_hit_rate"] == pytest.approx(0.6)
    assert values(line(metrics=usage(100, 0)))["client_cache_hit_rate"] == 0
    assert "client_cache_hit_rate" not in values(miss)


@pytest.mark.parametrize(
    ("ends", "bins"),
    [
        ([1.0], []),
        ([1.0, 1.9], []),
        ([1.0, 1.5, 2.5, 4.2], [2, 1, 0]),
        ([1.0, 2.0], [1]),
    ],
)
def test_completions_fall_into_full_seconds(ends: list[float], bins: list[int]) -> None:
    assert completions_per_second(records(*(line(0, end) for end in ends))) == bins


def test_a_deployment_has_a_gpu() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        summarize([], 0)


requests = st.lists(
    st.tuples(
        st.floats(0, 100), st.floats(0.01, 50), st.floats(0, 1), st.integers(1, 10**6), st.integers(2, 10**5)
    ),
    min_size=1,
    max_size=25,
)


@given(requests, st.integers(1, 64))
def test_every_value_is_registered_finite_and_not_negative(
    sample: list[tuple[float, float, float, int, int]], gpus: int
) -> None:
    lines = [
        line(start, latency, ttft=latency * part, tokens=(given_, made))
        for start, latency, part, given_, made in sample
    ]
    found = values(*lines, gpus=gpus)
    assert set(found) <= set(METRICS)
    assert all(math.isfinite(value) and value >= 0 for value in found.values())
    assert found["requests_successful"] == len(sample)
    assert found["total_throughput"] == pytest.approx(found["input_throughput"] + found["output_throughput"])
    assert duration(records(*lines)) == found["duration"]

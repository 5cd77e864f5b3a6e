"""GuideLLM: rates counted again, statistics weighted by tokens told apart, JSON and YAML alike."""

import json
from typing import Any

import pytest
import yaml

from results.analysis.validity import Validity
from results.ingest.formats import guidellm
from results.ingest.rows import FormatError, Rejected, Result
from tests.results.ingest.formats import tool_samples
from tests.results.ingest.formats.tool_samples import point, rows, version
from tests.results.ingest.sources import source_of


def requests() -> list[dict[str, Any]]:
    return [
        {
            "request_latency": latency, "time_to_first_token_ms": 500.0, "prompt_tokens": 100,
            "output_tokens": tokens, "output": "text",
        }
        for latency, tokens in ((2.5, 21), (4.5, 41), (8.5, 41), (16.5, 81))
    ]  # fmt: skip


def test_rates_are_counts_over_the_measured_time() -> None:
    found = point(guidellm, tool_samples.guidellm())

    assert found.values["request_throughput"] == pytest.approx(4 / 20)
    assert found.values["output_throughput"] == pytest.approx(200 / 20)
    assert found.values["total_throughput"] == pytest.approx(600 / 20)
    assert found.extra["requests_per_second_mean"] == 9.5


def test_mixed_units() -> None:
    found = point(guidellm, tool_samples.guidellm())

    assert found.values["e2e_latency_p90"] == pytest.approx(9.6)
    assert found.values["ttft_p50"] == pytest.approx(0.5)
    assert found.values["itl_p99"] == pytest.approx(0.1625)
    assert found.values["interactivity_p50"] == pytest.approx(8.0)
    assert found.flags == (guidellm.WEIGHTED,)
    assert not any(key.startswith(("tpot", "e2e_norm")) for key in found.values)


def test_listed_requests_replace_statistics_weighted_by_tokens() -> None:
    found = point(guidellm, tool_samples.guidellm(requests()))

    # TPOT: 2/20, 4/40, 8/40, 16/80 = 0.1, 0.1, 0.2, 0.2 s.
    assert found.values["tpot_p50"] == pytest.approx(0.15)
    assert found.values["interactivity_p90"] == pytest.approx(5.0)
    assert found.values["e2e_norm_interactivity_mean"] == pytest.approx(
        4 / (2.5 / 21 + 4.5 / 41 + 8.5 / 41 + 16.5 / 81)
    )
    assert found.flags == ()
    assert "itl_p50" not in found.values


def test_a_sample_of_the_requests_is_not_all_of_them() -> None:
    found = point(guidellm, tool_samples.guidellm(requests()[:3]))

    assert found.flags == (guidellm.WEIGHTED,)


def test_counts_and_identity() -> None:
    found = point(guidellm, tool_samples.guidellm())

    assert (found.values["requests_successful"], found.values["requests_failed"]) == (4, 1)
    assert found.verdict.validity is Validity.INVALID
    assert found.recipe == {"model": {"name": "Qwen/Qwen3-4B"}}
    assert found.scenario == {"kind": "fixed", "isl": 100, "osl": 50}
    assert (found.load, found.source_run) == (4, "run-7")
    assert found.started_at is not None
    assert found.started_at.timestamp() == 1772470696.0
    assert "do-not-keep" not in str(found)


@pytest.mark.parametrize(
    "data",
    [
        "/data/prompts.jsonl",
        "prompt_tokens=100",
        "prompt_tokens=100,output_tokens=50,prompt_tokens_stdev=9",
        7,
    ],
)
def test_other_data_is_no_fixed_scenario(data: object) -> None:
    report = tool_samples.guidellm()
    report["args"]["data"] = [data]

    assert point(guidellm, report).scenario == {}


def test_the_second_schema_has_its_settings_elsewhere() -> None:
    report = tool_samples.guidellm()
    del report["args"]
    report["config"] = {
        "spec": {
            "backend": {"kind": "openai_http", "model": "Qwen/Qwen3-8B", "api_key": "do-not-keep"},
            "data": [{"kind": "synthetic_text", "prompt_tokens": 256, "output_tokens": 64}],
        }
    }
    found = point(guidellm, report)

    assert found.recipe == {"model": {"name": "Qwen/Qwen3-8B"}}
    assert found.scenario == {"kind": "fixed", "isl": 256, "osl": 64}
    assert "do-not-keep" not in str(found)


def test_yaml_and_json_give_the_same_point() -> None:
    report = tool_samples.guidellm(requests())

    assert version(guidellm, yaml.safe_dump(report)) == "yaml"
    assert point(guidellm, yaml.safe_dump(report)) == point(guidellm, report)


def test_reports_before_the_schema() -> None:
    report = tool_samples.guidellm()
    benchmark = report["benchmarks"][0]
    del report["metadata"], report["args"], benchmark["config"]
    times = benchmark.pop("scheduler_metrics")
    benchmark |= {
        "args": {"strategy": {"type_": "concurrent", "streams": 4}}, "run_id": "run-8", "duration": 20.0,
        "run_stats": {"start_time": times["measure_start_time"], "end_time": times["measure_end_time"]},
    }  # fmt: skip
    found = point(guidellm, report)

    assert version(guidellm, report) == "json-0"
    assert (found.load, found.source_run) == (4, "run-8")
    assert found.values["duration"] == 20.0


def test_no_success_leaves_no_latency() -> None:
    report = tool_samples.guidellm()
    report["benchmarks"][0]["metrics"]["request_totals"]["successful"] = 0
    found = point(guidellm, report)

    assert found.verdict.validity is Validity.FAILED
    assert not any(key.startswith(("ttft", "e2e", "itl")) for key in found.values)


def test_a_broken_benchmark_does_not_lose_the_others() -> None:
    report = tool_samples.guidellm()
    report["benchmarks"] = [{"metrics": {"request_totals": {"successful": "x"}}}, *report["benchmarks"], 7]
    bad, good, other = rows(guidellm, report)

    assert bad == Rejected("/benchmarks/0/metrics/request_totals/successful", "must be a number")
    assert isinstance(good, Result)
    assert other == Rejected("/benchmarks/2", "must be an object")


def test_an_infinite_setting_is_not_kept() -> None:
    report = tool_samples.guidellm()
    report["args"]["profile"] = float("inf")

    assert "profile" not in point(guidellm, report).extra


def test_a_truncated_report_is_refused() -> None:
    source = source_of(json.dumps(tool_samples.guidellm())[:-2])
    assert guidellm.detect(source) == "json"
    with pytest.raises(FormatError):
        list(guidellm.read(source))

"""GenAI-Perf: units at every metric, reciprocals under the old meaning of interactivity."""

import pytest

from results.ingest.formats import genai_perf
from results.ingest.rows import FormatError
from tests.results.ingest.formats import tool_samples
from tests.results.ingest.formats.tool_samples import point, rows, version


def test_values_in_registered_units() -> None:
    found = point(genai_perf, tool_samples.genai_perf())

    assert found.values["ttft_mean"] == pytest.approx(0.25)
    assert found.values["e2e_latency_p90"] == pytest.approx(6.4)
    assert found.values["itl_p99"] == pytest.approx(0.04)
    assert found.values["itl_std"] == pytest.approx(0.004)
    assert found.values["interactivity_p50"] == pytest.approx(1 / 0.016)
    assert found.values["output_throughput"] == 500.0
    assert found.values["input_throughput"] == 2500.0
    assert found.values["total_throughput"] == 3000.0
    assert found.values["requests_successful"] == 100


def test_statistics_of_reciprocals_are_the_old_meaning() -> None:
    found = point(genai_perf, tool_samples.genai_perf())

    assert found.values["legacy_interactivity_p90"] == pytest.approx(88.0)
    assert "legacy_interactivity_std" not in found.values
    assert found.flags == (genai_perf.LEGACY,)


def test_identity_nested_and_flat() -> None:
    flat = {
        "model": ["Qwen/Qwen3-4B"], "service_kind": "openai", "concurrency": 10,
        "synthetic_input_tokens_mean": 1000, "synthetic_input_tokens_stddev": 0, "output_tokens_mean": 200,
        "output_tokens_stddev": 0,
    }  # fmt: skip
    nested = point(genai_perf, tool_samples.genai_perf())
    early = point(genai_perf, tool_samples.genai_perf(input_config=flat))

    assert nested == early
    assert nested.recipe == {"model": {"name": "Qwen/Qwen3-4B"}}
    assert (nested.scenario, nested.load) == ({"kind": "fixed", "isl": 1000, "osl": 200}, 10)
    assert version(genai_perf, tool_samples.genai_perf(input_config=flat)) == "flat"


@pytest.mark.parametrize(
    "changes",
    [
        {"output_tokens_mean": -1}, {"synthetic_input_tokens_stddev": 5}, {"output_tokens_mean": ""},
    ],
)  # fmt: skip
def test_open_or_spread_lengths_are_no_fixed_scenario(changes: dict[str, object]) -> None:
    flat = {
        "model": "a", "service_kind": "openai", "concurrency": "", "synthetic_input_tokens_mean": 1000,
        "synthetic_input_tokens_stddev": 0, "output_tokens_mean": 200, "output_tokens_stddev": 0, **changes,
    }  # fmt: skip
    found = point(genai_perf, tool_samples.genai_perf(input_config=flat))

    assert (found.scenario, found.load) == ({}, None)


def test_several_models_are_no_model() -> None:
    config = {"model_names": ["a", "b"], "perf_analyzer": {"stimulus": {"request_rate": 3}}}

    assert point(genai_perf, tool_samples.genai_perf(input_config=config)).recipe == {}


@pytest.mark.parametrize(
    ("name", "unit"),
    [("request_latency", "minutes"), ("request_throughput", ""), ("inter_token_latency", "")],
)
def test_an_unknown_unit_is_refused(name: str, unit: str) -> None:
    report = tool_samples.genai_perf()
    report[name]["unit"] = unit

    with pytest.raises(FormatError, match=f"/{name}/unit"):
        rows(genai_perf, report)


def test_exports_of_aiperf_are_left_to_their_reader() -> None:
    assert version(genai_perf, tool_samples.genai_perf(schema_version="1.0")) is None
    assert version(genai_perf, tool_samples.genai_perf(input_config={"loadgen": {}})) is None
    assert version(genai_perf, tool_samples.genai_perf()) == "nested"

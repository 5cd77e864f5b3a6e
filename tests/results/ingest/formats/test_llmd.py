"""llm-d benchmark reports: units at every number, roles, clocks."""

import json

import pytest
import yaml

from results.analysis.validity import Validity
from results.ingest.formats import llmd
from results.ingest.rows import FormatError
from results.ingest.yaml_text import parse_yaml
from tests.results.ingest.formats.tool_samples import LLMD, point, rows, version


def test_units_are_converted() -> None:
    found = point(llmd, LLMD)

    assert found.values["ttft_p50"] == pytest.approx(0.2)
    assert found.values["ttft_p999"] == pytest.approx(0.9)
    assert found.values["ttft_std"] == 0.0
    assert found.values["tpot_mean"] == pytest.approx(0.025)
    assert found.values["interactivity_mean"] == pytest.approx(40.0)
    assert found.values["e2e_norm_interactivity_p90"] == pytest.approx(20.0)
    assert found.values["inter_chunk_latency_mean"] == 0.03
    assert found.values["gpu_kv_usage_max"] == 0.75
    assert found.values["duration"] == 100.0


def test_identity_and_load() -> None:
    found = point(llmd, LLMD)

    assert found.recipe == {
        "engine": {"name": "vllm", "version": "0.11.0"}, "model": {"name": "Qwen/Qwen3-0.6B"},
        "roles": {"serve": {"hardware": "NVIDIA-H100-80GB-HBM3", "tp": 4, "pp": 1, "ep": 1, "workers": 2,
                            "gpus": 8}},
    }  # fmt: skip
    assert found.scenario == {"kind": "fixed", "isl": 2048, "osl": 128}
    assert (found.load, found.source_run) == (16, "run-9")
    assert found.ended_at is not None
    assert found.ended_at.isoformat() == "2025-11-05T18:02:42+00:00"
    assert (found.values["requests_successful"], found.values["requests_failed"]) == (490, 10)
    assert (found.verdict.validity, found.flags, found.notes) == (Validity.VALID, (), ())


@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        ("count: 8", "count: 4", "4 accelerators, but the parallelism makes 8"),
        ("mean: 4.9", "mean: 9.8", "request_throughput is not the count over the duration"),
    ],
)
def test_contradictions_are_told(old: str, new: str, about: str) -> None:
    found = point(llmd, LLMD.replace(old, new))

    assert any(about in note for note in found.notes)
    assert ("gpus" in found.recipe["roles"]["serve"]) == (old != "count: 8")


def test_no_limit_of_concurrency_is_no_load() -> None:
    assert point(llmd, LLMD.replace("concurrency: 16", "concurrency: .inf")).load is None


def test_turns_and_spread_lengths_are_no_fixed_scenario() -> None:
    many = LLMD.replace("concurrency: 16", "concurrency: 16\n      multi_turn: {enabled: true}")
    assert point(llmd, many).scenario == {}
    assert point(llmd, LLMD.replace("fixed, value: 128", "gaussian, value: 128")).scenario == {}


def test_an_image_in_place_of_a_version() -> None:
    found = point(llmd, LLMD.replace("tool_version: 0.11.0", "tool_version: ghcr.io/llm-d/cuda:0.3.1"))

    assert found.recipe["engine"] == {"name": "vllm", "image": "ghcr.io/llm-d/cuda:0.3.1"}


def test_shared_treatments_are_flagged() -> None:
    found = point(llmd, LLMD.replace("{cfg_id: a}", "{cfg_id: a, concurrent_with: [b]}"))

    assert found.flags == (llmd.SHARED,)


def test_json_and_sorted_yaml_give_the_same_point() -> None:
    document = parse_yaml(LLMD)

    assert point(llmd, json.dumps(document)) == point(llmd, LLMD)
    assert point(llmd, yaml.safe_dump(document)) == point(llmd, LLMD)


@pytest.mark.parametrize(
    ("old", "new", "pointer"),
    [
        ("units: ms,", "units: minutes,", "time_to_first_token/units"),
        ("units: queries/s", "units: queries/min", "request_rate/units"),
        ("PT1M40S", "P", "/run/time/duration"),
        ("start: 2025-11-05T18:00:42Z", "start: 2025-11-05T18:00:42", "/run/time/start"),
        ("total: 500", "total: many", "requests/total"),
    ],
)
def test_refusals(old: str, new: str, pointer: str) -> None:
    with pytest.raises(FormatError, match=pointer):
        rows(llmd, LLMD.replace(old, new))


def test_other_versions_are_not_recognised() -> None:
    assert version(llmd, LLMD) == "0.2.1"
    assert version(llmd, LLMD.replace("'0.2.1'", "'0.1'")) is None
    assert version(llmd, "version: '0.2'\n") is None

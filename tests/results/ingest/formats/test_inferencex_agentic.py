from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from results.analysis.validity import Validity
from results.ingest.formats import inferencex_agentic
from results.ingest.rows import Rejected, Result
from results.metrics import METRICS
from tests.results.ingest.formats import agentic_rows
from tests.results.ingest.formats.folders import source

V, X, F = Validity.VALID, Validity.INVALID, Validity.FAILED


def read(row: dict[str, Any], pointer: str = "/3") -> Result:
    (found,) = inferencex_agentic.read_row(row, pointer)
    assert isinstance(found, Result), found
    assert set(found.values) <= set(METRICS)
    return found


def refused(row: dict[str, Any]) -> Rejected:
    (found,) = inferencex_agentic.read_row(row, "/3")
    assert isinstance(found, Rejected)
    return found


@pytest.mark.parametrize(
    ("row", "generation"),
    [
        (agentic_rows.april, "multiturn-2026-04"),
        (agentic_rows.early_agentx, "agentx-0"),
        (agentic_rows.nested, "agentx-1"),
        (agentic_rows.newest, "agentx-1-2026-08"),
        (agentic_rows.disaggregated, "agentx-1-2026-08"),
    ],
)
def test_the_keys_tell_the_generation(
    row: Callable[[], dict[str, Any]], generation: str, tmp_path: Path
) -> None:
    file = source(tmp_path, row(), "whatever.txt")
    assert inferencex_agentic.detect(file) == generation
    (found,) = inferencex_agentic.read(file)
    assert isinstance(found, Result)
    assert found.pointer == ""


@pytest.mark.parametrize(
    "content",
    [
        {"hw": "b200", "conc": 4, "tput_per_gpu": 1.0, "isl": 1024},
        [agentic_rows.nested()],
        {},
        b"",
        b"\x1f\x8b",
        "{",
    ],
)
def test_other_files_are_not_taken(content: Any, tmp_path: Path) -> None:
    assert inferencex_agentic.detect(source(tmp_path, content)) is None


def test_april_2026() -> None:
    found = read(agentic_rows.april())
    assert found.recipe == {
        "roles": {"serve": {"hardware": "b200", "gpus": 4, "tp": 4, "ep": 4, "dp_attention": False}},
        "multinode": False,
        "engine": {"name": "vllm", "image": "vllm/vllm-openai:v0.19.1"},
        "model": {"name": "dsr1"},
        "precision": "fp4",
        "kv_offload": {"mode": "dram"},
    }
    assert (found.scenario, found.load, found.flags) == ({"kind": "agentic"}, 8, ())
    values = found.values
    assert (values["ttft_p50"], values["ttft_p999"], values["e2e_latency_p90"]) == (1.0, 9.0, 40.0)
    assert values["output_tokens_mean"] == 800.0
    assert values["completions_per_second_p50"] == 0.0
    # Converted: the file states no interactivity, only the latency.
    assert (values["interactivity_p50"], values["interactivity_p90"]) == (62.5, 25.0)
    assert (values["requests_failed"], values["error_rate"], values["request_throughput"]) == (10, 0.1, 0.05)
    assert values["input_throughput_per_gpu"] == 500.0
    assert (found.verdict.validity, found.planned_window_seconds) == (V, 1800)


def test_a_hit_rate_keeps_its_meaning() -> None:
    found = read(agentic_rows.april())
    assert found.values["theoretical_cache_hit_rate"] == 0.9
    assert found.extra["theoretical_cache_hit_rate"] == 0.95
    # Hits per look-up of waiting requests is no share of tokens.
    assert "gpu_cache_hit_rate" not in found.values
    assert found.extra["server_gpu_cache_hit_rate"] == 0.004
    assert "server_cpu_cache_hit_rate" not in found.extra


def test_interactivity_before_july_2026_is_kept_apart() -> None:
    found = read(agentic_rows.early_agentx())
    assert found.flags == ("legacy_interactivity",)
    assert found.values["legacy_interactivity_p90"] == 125.0
    assert found.values["legacy_interactivity_mean"] == 70.0
    assert found.values["interactivity_p90"] == 25.0
    assert found.values["interactivity_mean"] == 50.0
    assert not any("intvty" in name for name in found.extra)
    assert any("std_intvty" in note for note in found.notes)
    assert found.recipe["kv_offload"] == {"mode": "dram"}
    assert found.recipe["speculative"] is None


def test_july_2026() -> None:
    found = read(agentic_rows.nested())
    assert found.recipe["kv_offload"] == {"mode": "dram", "backend": "lmcache", "dram_gb": 1199}
    assert found.recipe["roles"]["serve"]["gpus"] == 4
    assert found.scenario == {"kind": "agentic", "corpus": "semianalysis_cc_traces_weka_062126_256k"}
    values = found.values
    assert (values["interactivity_p50"], values["interactivity_p90"]) == (100.0, 33.33333)
    assert not any(name.startswith("legacy") for name in values)
    assert (values["requests_total"], values["requests_successful"], values["requests_failed"]) == (
        110,
        90,
        8,
    )
    assert values["kv_cache_pool_tokens"] == 1854891
    assert values["gpu_kv_usage_max"] == 0.75
    assert values["allocated_host_dram_gb"] == 1199
    assert values["external_cache_hit_rate"] == 0.8
    # What a KV connector delivered is not known to come from the host.
    assert "host_cache_hit_rate" not in values
    assert found.extra["server_metrics.cache.prefix_cache_queries"] == 1000
    assert found.verdict.validity is V


def test_the_newest_schema() -> None:
    found = read(agentic_rows.newest())
    assert found.recipe["arguments"] == {"recipe_fingerprint": "d" * 64}
    assert found.recipe["speculative"] == {"method": "mtp"}
    assert found.recipe["router"] == {"name": "sglang-router", "version": "0.3.2"}
    assert found.recipe["kv_offload"] == {
        "mode": "dram",
        "backend": "hicache",
        "version": "2",
        "dram_gb": 1199,
    }
    values = found.values
    assert values["full_response_interactivity_p90"] == 25.0
    assert values["e2e_norm_interactivity_p90"] == 12.5
    assert values["host_cache_hit_rate"] == 0.8
    assert "external_cache_hit_rate" not in values
    assert values["kv_cache_pool_tokens"] == 4382208
    assert (values["gpu_power_mean"], values["total_power_mean"]) == (300.0, 2400.0)
    assert (values["gpu_energy"], values["joules_per_request"]) == (8640000.0, 96000.0)
    assert found.extra["p90_power_w"] == 350.0


def test_every_denominator_is_all_gpus() -> None:
    found = read(agentic_rows.disaggregated())
    assert found.recipe["roles"] == {
        "prefill": {"hardware": "cluster:gb300-nv", "workers": 2, "tp": 4, "pp": 1, "ep": 4, "dcp": 1,
        "pcp": 1,
                    "dp_attention": True, "gpus": 8},
        "decode": {"hardware": "cluster:gb300-nv", "workers": 1, "tp": 8, "pp": 1, "ep": 8, "dcp": 1,
        "pcp": 1,
                   "dp_attention": False, "gpus": 8},
    }  # fmt: skip
    assert (found.recipe["multinode"], found.recipe["kv_transfer"], found.flags) == (True, "nixl", ())
    assert found.values["total_throughput_per_gpu"] == 1020 / 16
    assert found.values["output_throughput_per_gpu"] == 20 / 16


def test_hardware_of_each_role() -> None:
    found = read({**agentic_rows.disaggregated(), "prefill_hw": "gb200", "decode_hw": "gb300"})
    assert [role["hardware"] for role in found.recipe["roles"].values()] == ["gb200", "gb300"]


def test_without_decode_gpus_one_role_serves() -> None:
    found = read({**agentic_rows.disaggregated(), "num_decode_gpu": 0, "decode_tp": 0, "decode_ep": 0})
    assert found.recipe["roles"]["serve"]["gpus"] == 8
    assert list(found.recipe["roles"]) == ["serve"]


def test_tp_times_ep_is_no_gpu_count() -> None:
    row = agentic_rows.april() | {
        "tput_per_gpu": 127.5,
        "output_tput_per_gpu": 2.5,
        "input_tput_per_gpu": 125.0,
    }
    found = read(row)
    assert found.flags == ("gpu_count_is_tp_times_ep",)
    assert found.values["total_throughput_per_gpu"] == 510.0
    assert found.extra["reported_gpu_count"] == 16
    assert found.extra["tput_per_gpu"] == 127.5


def test_without_totals_the_reported_count_gives_them_back() -> None:
    row = agentic_rows.april() | {"num_gpus": 16, "tput_per_gpu": 127.5}
    for name in (
        "total_tput_tps",
        "input_tput_tps",
        "output_tput_tps",
        "output_tput_per_gpu",
        "input_tput_per_gpu",
    ):
        del row[name]
    found = read(row)
    assert (found.values["total_throughput"], found.values["total_throughput_per_gpu"]) == (2040.0, 510.0)
    assert found.flags == ("gpu_count_is_tp_times_ep",)


def test_sizes_of_a_multi_node_row_without_roles_say_nothing() -> None:
    found = read({**agentic_rows.nested(), "is_multinode": True})
    assert found.recipe["roles"] == {"serve": {"hardware": "cluster:mi355x-amds"}}
    assert "total_throughput_per_gpu" not in found.values
    assert found.values["total_throughput"] == 1020.0

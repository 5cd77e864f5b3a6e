"""JSON Lines of sglang.bench_serving: titles, scenario lengths, what the server says about itself."""

import json

import pytest

from results.ingest.formats import sglang_bench
from results.ingest.rows import Rejected, Remark, Result
from tests.results.ingest.formats.tool_samples import point, rows, sglang, sglang_server, version


def test_values_in_registered_units() -> None:
    found = point(sglang_bench, sglang())

    assert found.values["ttft_p50"] == pytest.approx(0.1)
    assert found.values["e2e_latency_mean"] == pytest.approx(4.0)
    assert found.values["interactivity_p99"] == pytest.approx(80.0)
    assert found.values["inter_chunk_latency_p95"] == pytest.approx(0.009)
    assert found.values["total_throughput"] == 3000.0
    assert (found.load, found.recipe) == (8, {})


def test_lengths_are_a_scenario_only_when_they_are_nearly_fixed() -> None:
    assert point(sglang_bench, sglang()).scenario == {"kind": "fixed", "isl": 1000, "osl": 500}
    spread = point(sglang_bench, sglang(random_range_ratio=0.0))
    assert spread.scenario == {}
    assert "they are not fixed" in spread.notes[0]
    assert point(sglang_bench, sglang(dataset_name="sharegpt")).scenario == {}


def test_the_early_field_set_has_no_tpot_and_no_input_rate() -> None:
    early = {
        key: value for key, value in sglang(max_concurrency=None).items()
        if key not in ("request_throughput", "input_throughput") and "tpot" not in key
    }  # fmt: skip
    found = point(sglang_bench, early)

    assert found.load is None
    assert found.values["input_throughput"] == 2000.0
    assert not any(key.startswith("interactivity") for key in found.values)


def test_titles_between_lines_are_remarked() -> None:
    parts = ("== TP 8 ==", json.dumps(sglang()), "", "# TP 4", json.dumps(sglang(completed=1e400)))
    title, first, second, bad = rows(sglang_bench, "\n".join(parts))

    assert title == Remark("line 1", "a title: == TP 8 ==")
    assert isinstance(first, Result)
    assert first.pointer == "line 2"
    assert second == Remark("line 4", "a title: # TP 4")
    assert bad == Rejected("line 5, /completed", "must be finite")


def test_a_broken_line_does_not_lose_the_others() -> None:
    content = f"{json.dumps(sglang())}\n{json.dumps(sglang())[:-20]}\n{json.dumps(sglang())}\n"
    first, bad, last = rows(sglang_bench, content)

    assert isinstance(first, Result)
    assert isinstance(bad, Rejected)
    assert bad.pointer == "line 2"
    assert isinstance(last, Result)


def test_the_server_says_what_was_served() -> None:
    found = point(sglang_bench, sglang(tag="a", server_info=sglang_server()))

    assert found.recipe == {
        "engine": {"name": "sglang", "version": "0.5.23"}, "model": {"name": "zai-org/GLM-5-FP8"},
        "roles": {"serve": {"tp": 4, "pp": 1, "ep": 1, "dp_attention": False, "workers": 2, "gpus": 8}},
        "precision": "fp8", "kv_dtype": "fp8_e4m3",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "gpus"),
    [
        ({"enable_dp_attention": True, "tp_size": 8, "dp_size": 8, "ep_size": 8}, 8),
        ({"pp_size": 2}, 16),
        ({"dp_size": None}, None),
    ],
)
def test_gpus_are_tp_times_pp_times_replicas_never_ep(changes: dict[str, object], gpus: int | None) -> None:
    found = point(sglang_bench, sglang(server_info=sglang_server(**changes)))

    assert found.recipe["roles"]["serve"].get("gpus") == gpus


def test_a_disaggregated_server_leaves_its_roles_open() -> None:
    found = point(sglang_bench, sglang(server_info=sglang_server(disaggregation_mode="prefill")))

    assert "roles" not in found.recipe


def test_cache_report() -> None:
    report = {"total_prompt_tokens": 40_000, "total_cached_tokens": 10_000, "cache_hit_rate_pct": 25.0}

    assert point(sglang_bench, sglang(cache_report=report)).values["client_cache_hit_rate"] == 0.25


def test_versions_by_content() -> None:
    assert version(sglang_bench, sglang()) == "plain"
    assert version(sglang_bench, sglang(tag=None)) == "tagged"
    assert version(sglang_bench, sglang(model_id="a")) is None
    assert version(sglang_bench, "title\n" * 60 + json.dumps(sglang())) is None

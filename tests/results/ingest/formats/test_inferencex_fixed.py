"""Aggregates with fixed sequence lengths, over all generations of their fields."""

import json
from typing import Any

import pytest

from results.analysis.validity import Reason, Validity
from results.ingest.formats import inferencex_fixed
from results.ingest.rows import Rejected, Result
from results.metrics import METRICS
from tests.results.ingest.formats.inferencex_rows import AGGREGATE, DISAGGREGATED, without
from tests.results.ingest.sources import source_of


def read(row: Any) -> Result:
    (found,) = inferencex_fixed.read(source_of(json.dumps(row)))
    assert isinstance(found, Result)
    assert set(found.values) <= set(METRICS)
    return found


def refused(row: Any) -> Rejected:
    (found,) = inferencex_fixed.read(source_of(json.dumps(row)))
    assert isinstance(found, Rejected)
    return found


def test_one_node() -> None:
    """Every value by hand: 600, 500 and 100 tok/s/GPU on 8 GPUs."""
    found = read(AGGREGATE)
    assert found.values == pytest.approx({
        "total_throughput_per_gpu": 600.0, "input_throughput_per_gpu": 500.0,
        "output_throughput_per_gpu": 100.0, "total_throughput": 4800.0, "input_throughput": 4000.0,
        "output_throughput": 800.0, "ttft_mean": 0.5, "ttft_p999": 2.0, "ttft_std": 0.25, "tpot_p50": 0.02,
        "tpot_p90": 0.025, "tpot_std": 0.001, "interactivity_p50": 50.0, "interactivity_p90": 40.0,
        "inter_chunk_latency_p50": 0.018, "e2e_latency_p99": 24.0,
    }, rel=1e-12)  # fmt: skip
    assert found.recipe == {
        "engine": {"name": "sglang", "image": "nvcr.io/nvidia/ai-dynamo/runtime:1.0"},
        "model": {"name": "dsr1"},
        "precision": "fp4",
        "speculative": None,
        "multinode": False,
        "roles": {
            "serve": {"hardware": "cluster:b200-dgxc", "tp": 8, "ep": 8, "dp_attention": False, "gpus": 8}
        },
    }
    assert (found.scenario, found.load) == ({"kind": "fixed", "isl": 8192, "osl": 1024}, 64)
    assert found.extra == {"served_model": "nvidia/DeepSeek-R1-0528-FP4-V2"}
    assert found.notes == ("std_intvty left out: 1 / the spread of TPOT says nothing",)
    assert (found.flags, found.verdict.validity) == ((), Validity.VALID)


def test_the_disaggregated_denominators() -> None:
    """8 prefill and 4 decode GPUs: 300 * 8 = 2400 in, 100 * 4 = 400 out, over 12 GPUs 200 + 33.3."""
    found = read(DISAGGREGATED)
    assert found.values == pytest.approx({
        "total_throughput_per_gpu": 2800 / 12, "input_throughput_per_gpu": 200.0,
        "output_throughput_per_gpu": 400 / 12, "prefill_input_throughput_per_gpu": 300.0,
        "decode_output_throughput_per_gpu": 100.0, "total_throughput": 2800.0, "input_throughput": 2400.0,
        "output_throughput": 400.0, "ttft_p50": 1.5,
    }, rel=1e-12)  # fmt: skip
    roles = found.recipe["roles"]
    assert (roles["prefill"]["gpus"], roles["prefill"]["workers"], roles["prefill"]["tp"]) == (8, 4, 2)
    assert (roles["decode"]["gpus"], roles["decode"]["dp_attention"]) == (4, False)
    assert found.recipe["router"] == {"name": "dynamo-router", "version": "1.3.1"}
    assert (found.recipe["kv_transfer"], found.recipe["speculative"]) == ("nixl", {"method": "mtp"})
    assert found.recipe["arguments"] == {"recipe_fingerprint": "c" * 64}
    assert found.flags == ()


def test_disaggregated_rows_before_november_2025_divide_by_all_gpus() -> None:
    """200 + 33.3 make up the total, so they are per all GPUs; role-local 200 * 12 / 8 and 33.3 * 12 / 4."""
    row = without(DISAGGREGATED, input_tput_per_gpu=200.0, output_tput_per_gpu=400 / 12)
    found = read(row)
    assert found.values["input_throughput_per_gpu"] == 200.0
    assert found.values["prefill_input_throughput_per_gpu"] == pytest.approx(300.0)
    assert found.values["decode_output_throughput_per_gpu"] == pytest.approx(100.0)
    assert found.flags == ("role_throughput_was_per_all_gpus",)


def test_throughput_that_adds_up_in_no_way_is_kept_apart() -> None:
    found = read(without(DISAGGREGATED, input_tput_per_gpu=999.0))
    assert "input_throughput_per_gpu" not in found.values
    assert found.extra["input_tput_per_gpu"] == 999.0
    assert found.flags == ("throughputs_do_not_add_up",)


def test_aggregated_on_several_nodes() -> None:
    """Decode is zeroed since 2026-05-03: one role, all GPUs."""
    zeroed = {name: 0 for name in DISAGGREGATED if name.startswith("decode_") and "attention" not in name}
    row = without(DISAGGREGATED, **zeroed, num_decode_gpu=0, disagg=False, tput_per_gpu=400.0)
    found = read(row)
    assert set(found.recipe["roles"]) == {"serve"}
    assert (found.recipe["roles"]["serve"]["gpus"], found.recipe["multinode"]) == (8, True)
    assert found.values["total_throughput"] == 3200.0


def test_aggregated_rows_that_counted_every_gpu_twice() -> None:
    """300 + 100 per GPU cannot make 200 per GPU unless the total was divided by twice as many."""
    copied = {f"decode_{name}": DISAGGREGATED[f"prefill_{name}"] for name in ("tp", "ep", "num_workers")}
    row = without(DISAGGREGATED, **copied, num_decode_gpu=8, disagg=False, tput_per_gpu=200.0)
    found = read(row)
    assert (found.values["total_throughput_per_gpu"], found.extra["tput_per_gpu"]) == (400.0, 200.0)
    assert found.flags == ("gpus_counted_twice",)


@pytest.mark.parametrize(
    ("names", "version"),
    [
        ((), "2025-08-20"),
        (("framework",), "2025-09-04"),
        (("precision",), "2025-09-15"),
        (("mtp",), "2025-09-24"),
        (("output_tput_per_gpu",), "2025-10-15"),
        (("input_tput_per_gpu",), "2025-10-17"),
        (("ep", "dp_attention"), "2025-11-03"),
        (("disagg",), "2025-11-17"),
        (("isl", "osl"), "2025-11-21"),
        (("image",), "2025-12-05"),
        (("avg_power_w",), "2026-05-26"),
        (("dcp_size",), "2026-07-06"),
        (("pp",), "2026-07-10"),
        (("router",), "2026-07-13"),
        (("power_valid",), "2026-08-05"),
        (("recipe_fingerprint",), "2026-08-14"),
    ],
)
def test_the_generation_is_the_newest_field(names: tuple[str, ...], version: str) -> None:
    oldest = {"hw": "h100", "tp": 8, "conc": 4, "model": "70b", "tput_per_gpu": 1.0}
    row = {**oldest, **dict.fromkeys(names, None)}
    assert inferencex_fixed.detect(source_of(json.dumps(row))) == version


def test_the_first_generation_leaves_open_what_it_does_not_say() -> None:
    found = read({"hw": "h100", "tp": 8, "conc": 4, "model": "70b", "tput_per_gpu": 50.0, "p99_ttft": 0.5})
    assert found.recipe == {
        "model": {"name": "70b"},
        "roles": {"serve": {"hardware": "h100", "tp": 8, "gpus": 8}},
    }
    assert found.scenario == {"kind": "fixed"}
    assert found.values == {"total_throughput_per_gpu": 50.0, "total_throughput": 400.0, "ttft_p99": 0.5}


@pytest.mark.parametrize(
    ("stated", "speculative"),
    [("on", {"method": "mtp"}), (True, {"method": "mtp"}), ("off", None), (False, None), ("", None)],
)
def test_the_column_mtp_of_2025(stated: Any, speculative: Any) -> None:
    assert read(without(AGGREGATE, "spec_decoding", mtp=stated)).recipe["speculative"] == speculative


@pytest.mark.parametrize(
    ("stated", "attention"), [("false", False), ("true", True), (True, True), (False, False)]
)
def test_false_as_text_is_false(stated: Any, attention: bool) -> None:
    assert read(without(AGGREGATE, dp_attention=stated)).recipe["roles"]["serve"]["dp_attention"] is attention


def test_gpus_are_tp_pp_pcp_and_never_ep_or_dcp() -> None:
    found = read(without(AGGREGATE, tp=4, pp=2, pcp_size=3, ep=4, dcp_size=2))
    role = found.recipe["roles"]["serve"]
    assert (role["gpus"], role["pp"], role["pcp"], role["dcp"]) == (24, 2, 3, 2)
    assert found.values["total_throughput"] == 600.0 * 24


def test_roles_on_different_hardware() -> None:
    found = read(without(DISAGGREGATED, prefill_hw="cluster:b200-dgxc", decode_hw="cluster:h200-nb"))
    roles = found.recipe["roles"]
    assert (roles["prefill"]["hardware"], roles["decode"]["hardware"]) == (
        "cluster:b200-dgxc",
        "cluster:h200-nb",
    )


def test_interactivity_of_the_old_meaning_has_its_own_key() -> None:
    """40 * 0.02 is not 1: the statistic was taken of the reciprocals. 1 / 0.02 = 50."""
    found = read(without(AGGREGATE, median_intvty=40.0))
    assert (found.values["legacy_interactivity_p50"], found.values["interactivity_p50"]) == (40.0, 50.0)
    assert found.values["interactivity_p90"] == 40.0
    assert found.flags == ("interactivity_before_july_2026",)


def test_zero_latencies_are_absent() -> None:
    found = read(without(AGGREGATE, mean_ttft=0.0, median_tpot=0, median_intvty=0))
    assert not {"ttft_mean", "tpot_p50", "interactivity_p50"} & set(found.values)
    assert len(found.notes) == 4


def test_a_run_without_a_token_failed() -> None:
    found = read(without(AGGREGATE, tput_per_gpu=0, output_tput_per_gpu=0, input_tput_per_gpu=0))
    assert (found.verdict.validity, found.verdict.reasons) == (
        Validity.FAILED,
        (Reason.NO_SUCCESSFUL_REQUEST,),
    )


def test_counted_failures_judge_the_point() -> None:
    found = read(without(AGGREGATE, completed=90, failed=10))
    assert found.verdict.reasons == (Reason.ERROR_RATE,)


def test_unknown_fields_are_kept_under_their_names() -> None:
    assert (
        read({**AGGREGATE, "new_metric": 3, "p25_ttft": 0.1}).extra.items()
        >= {"new_metric": 3, "p25_ttft": 0.1}.items()
    )


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"conc": 0}, "/conc"),
        ({"tp": "8"}, "/tp"),
        ({"dp_attention": "maybe"}, "/dp_attention"),
        ({"isl": "8k"}, "/isl"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], pointer: str) -> None:
    assert refused({**AGGREGATE, **change}).pointer == pointer


def test_a_row_without_numbers_is_refused() -> None:
    assert "no number" in refused({"hw": "h100", "conc": 4, "model": "m", "tput_per_gpu": None}).reason


@pytest.mark.parametrize("name", ["scenario_type", "request_metrics", "users"])
def test_agentic_aggregates_are_not_fixed(name: str) -> None:
    assert inferencex_fixed.detect(source_of(json.dumps({**AGGREGATE, name: {}}))) is None

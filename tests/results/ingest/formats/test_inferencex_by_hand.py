"""Rows of other people's files, worked out by hand: each value, its unit, denominator and GPU count.

Per-GPU values were copied from the file, totals multiplied and shares divided with a desk calculator.
"""

from datetime import UTC, datetime
from typing import Any

import pytest

from results.ingest.formats import inferencex_fixed, vllm_bench
from results.ingest.normalize import Normalizer
from results.ingest.rows import Change, Evaluation, Reliability, Result, Row
from results.ingest.vocabulary import load_vocabulary
from results.metrics import METRICS
from results.services.load_catalogue import load_catalogue
from tests.results.ingest.formats.folders import SHARED, stored
from tests.results.ingest.formats.test_inferencex_expectations import read

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the files of other people are not at hand")
API = "inferencex_api/snapshot_2026-05-05"
BENCHMARKS, HISTORY = f"{API}/benchmarks.json", f"{API}/benchmarks-history.json"
CSV = "inferencex_csv/InferenceX_{}.csv"
FIXED = "inferencex_ci/fixed_seq_raw_and_agg"
POINT = "kimik2.5_{}_int4_vllm_tp8-ep1-dpafalse_disagg-false_spec-mtp_conc{}_MI355-node-redacted.json"

UNLIKE, TIMES_EP = ("gpu_count_unlike_parallelism",), ("gpu_count_is_tp_times_ep",)
Expected = tuple[str, str, dict[str, int], int, tuple[int, int], tuple[str, ...], dict[str, float]]
#: file, pointer, GPUs by role, load, lengths, flags, some values in registered units.
POINTS: tuple[Expected, ...] = (
    # TP4 on one MI355X node.
    (BENCHMARKS, "/0", {"serve": 4}, 4, (1024, 1024), (), {
        "total_throughput_per_gpu": 180.65719659379948, "input_throughput_per_gpu": 90.76813862503164,
        "output_throughput_per_gpu": 89.88905796876784, "total_throughput": 722.62878637519792,
        "ttft_p50": 0.10738262953236699, "tpot_p99": 0.011019807103644934,
        "inter_chunk_latency_p50": 0.010386066511273384, "e2e_latency_mean": 9.909064922039397,
        "interactivity_p50": 93.93187520667296,
    }),
    # TP8/EP8 on one node, reported as 64 GPUs.
    (BENCHMARKS, "/16", {"serve": 8}, 8, (1024, 1024), TIMES_EP, {
        "total_throughput_per_gpu": 193.44744504181523, "total_throughput": 1547.57956033452184,
        "input_throughput": 770.92143456108264, "ttft_p99": 2.1160395559016614,
        "interactivity_p99": 86.65710049594098, "interactivity_mean": 103.7124348515613,
    }),
    # TP4/EP4 with DP attention, reported as 16 GPUs.
    (BENCHMARKS, "/79", {"serve": 4}, 256, (1024, 1024), TIMES_EP, {
        "total_throughput_per_gpu": 4989.840766088684, "total_throughput": 19959.363064354736,
        "output_throughput_per_gpu": 2496.1266321911953, "e2e_latency_p50": 22.4387793050264,
        "tpot_std": 0.0020161075618670248,
    }),
    # 4 prefill workers on 16 GPUs, one decode worker on 48: in * 16 / 64, out * 48 / 64.
    (BENCHMARKS, "/177", {"prefill": 16, "decode": 48}, 2048, (1024, 1024), UNLIKE, {
        "total_throughput_per_gpu": 2972.5471103387513, "total_throughput": 190243.0150616800832,
        "prefill_input_throughput_per_gpu": 5944.919149107737,
        "decode_output_throughput_per_gpu": 1981.7564307490893,
        "input_throughput_per_gpu": 1486.22978727693425, "output_throughput_per_gpu": 1486.317323061816975,
        "ttft_mean": 2.0744397656439104, "interactivity_p50": 55.70083939206475,
    }),
    # 4 and 4 GPUs: each share is half of the role-local number.
    (BENCHMARKS, "/160", {"prefill": 4, "decode": 4}, 4, (8192, 1024), UNLIKE, {
        "total_throughput": 2986.683930077354, "input_throughput_per_gpu": 331.44166284860365,
        "output_throughput_per_gpu": 41.8938284110656, "decode_output_throughput_per_gpu": 83.7876568221312,
        "inter_chunk_latency_p99": 0.010737927183508873,
    }),
    # 72 GPUs of both roles: (1955.41 - 635.67) * 72 / (2615.28 - 635.67) = 48 prefill.
    (BENCHMARKS, "/163", {"prefill": 48, "decode": 24}, 2048, (8192, 1024), ("role_gpus_from_throughput",), {
        "total_throughput": 140789.7101806915248, "input_throughput_per_gpu": 1743.5226952792886667,
        "output_throughput_per_gpu": 211.8899461192045, "prefill_input_throughput_per_gpu": 2615.284042918933,
        "ttft_p99": 136.24848015037367,
    }),
    # History without means and spreads: 8 GPUs, reported as 64.
    (HISTORY, "/30", {"serve": 8}, 4, (1024, 1024), TIMES_EP, {
        "total_throughput_per_gpu": 65.69339152535376, "total_throughput": 525.54713220283008,
        "ttft_p50": 0.15824257547501475, "interactivity_p50": 68.12911325570325,
    }),
    # 4 prefill and 32 decode GPUs: 145.63... * 4 / 36 and 18.346... * 32 / 36.
    (HISTORY, "/300", {"prefill": 4, "decode": 32}, 4, (1024, 1024), (), {
        "total_throughput": 1169.61203449793574, "prefill_input_throughput_per_gpu": 145.63182080270082,
        "input_throughput_per_gpu": 16.18131342252231333, "output_throughput_per_gpu": 16.30790975797590489,
    }),
    # Exports headed "(ms)" in seconds: 0.0037006 * 270.226853 = 1.
    (CSV.format("gpt-oss-120b_interactivity"), "line 5", {"serve": 8}, 4, (1024, 1024), (), {
        "total_throughput_per_gpu": 260.6199555620595, "total_throughput": 2084.959644496476,
        "ttft_p50": 0.03444316308014095, "tpot_p50": 0.003700594480375059,
        "e2e_latency_p99": 3.8262186435610057,
        "interactivity_p50": 270.226852821401, "inter_chunk_latency_std": 0.0012053541888680111,
    }),
    (CSV.format("gpt-oss-120b_interactivity"), "line 20", {"serve": 4}, 64, (1024, 1024), (), {
        "output_throughput_per_gpu": 1616.8024442953135, "total_throughput": 12937.335472195602,
        "ttft_p99": 1.172080571129918, "interactivity_mean": 105.18904252697376,
    }),
    (CSV.format("DeepSeek-R1-0528_e2e"), "line 9", {"serve": 8}, 64, (1024, 1024), (), {
        "input_throughput_per_gpu": 259.91434985954504, "total_throughput": 4157.6925045046976,
        "ttft_mean": 0.3597531621941016, "e2e_latency_p50": 28.002229302190244,
    }),
    # The aggregate of a raw file: 55.6267... * 8.
    (f"{FIXED}/agg_{POINT.format('1k1k', 4)}", "", {"serve": 8}, 4, (1024, 1024), (), {
        "total_throughput_per_gpu": 55.62670336516291, "total_throughput": 445.01362692130328,
        "output_throughput": 221.42409193453412, "ttft_p999": 0.6591278487213433,
        "tpot_p90": 0.018132639238317854,
        "interactivity_p90": 55.14916978477144, "inter_chunk_latency_mean": 0.04869889880906398,
        "e2e_latency_p999": 18.445460162415404,
    }),
)  # fmt: skip


@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"{point[0][-20:]}{point[1]}")
def test_a_point(point: Any) -> None:
    path, pointer, gpus, load, lengths, flags, values = point
    found = at(path, pointer)
    assert isinstance(found, Result)
    assert {name: role["gpus"] for name, role in found.recipe["roles"].items()} == gpus
    assert (found.load, found.scenario["isl"], found.scenario["osl"], found.flags) == (load, *lengths, flags)
    assert {name: found.values[name] for name in values} == pytest.approx(values, rel=1e-12)
    assert not {name for name in found.values if name.startswith("interactivity") and name.endswith("std")}


def at(path: str, pointer: str, metric: str | None = None) -> Row:
    rows = [row for row in read(path) if row.pointer == pointer]
    return next(row for row in rows if metric is None or getattr(row, "metric", None) == metric)


def test_identity_of_a_point() -> None:
    found = at(BENCHMARKS, "/177")
    assert isinstance(found, Result)
    role = {"hardware": "gb200", "tp": 1, "ep": 1, "dp_attention": True}
    assert found.recipe == {
        "engine": {"name": "dynamo-sglang", "image": "lmsysorg/sglang:v0.5.5.post2"},
        "model": {"name": "dsr1"}, "precision": "fp4", "speculative": None, "multinode": True,
        "roles": {
            "prefill": {**role, "workers": 4, "gpus": 16}, "decode": {**role, "workers": 1, "gpus": 48},
        },
    }  # fmt: skip
    assert (
        found.source_run == "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/20413316138/attempts/1"
    )
    assert found.measured_at == datetime(2025, 12, 21, tzinfo=UTC)


def test_evaluations() -> None:
    """7 prefill workers of TP4 are 28 GPUs, 2 decode workers of TP8 16; the file says 112 and 128."""
    found = at(f"{API}/evaluations.json", "/215", "em_flexible")
    assert isinstance(found, Evaluation)
    assert (found.score, found.score_se) == (0.9484457922668689, 0.006090887955262826)
    assert (found.samples, found.load, found.task) == (1319, 2222, "gsm8k")
    assert {name: role["gpus"] for name, role in found.recipe["roles"].items()} == {
        "prefill": 28,
        "decode": 16,
    }
    assert found.measured_at == datetime(2026, 4, 19, 19, 41, 30, tzinfo=UTC)
    two = at(f"{API}/evaluations.json", "/249", "em_strict")
    assert isinstance(two, Evaluation)
    assert {name: role["gpus"] for name, role in two.recipe["roles"].items()} == {"prefill": 8, "decode": 16}


def test_a_supplemental_evaluation() -> None:
    found = at("inferencex_api/supplemental-evals.json", "/20", "em_strict")
    assert isinstance(found, Evaluation)
    assert (found.score, found.score_se) == (0.9552691432903715, 0.005693886131407045)
    assert found.recipe["speculative"] is None
    assert found.recipe["roles"]["serve"]["hardware"] == "MI300X"


def test_side_files() -> None:
    """B200 on 2026-05-04: rows of 1 of 72, 0 of 0, 0 of 0 and 0 of 0."""
    jobs = at(f"{API}/reliability.json", "/10")
    assert jobs == Reliability("/10", "b200", 1, 72, datetime(2026, 5, 4, tzinfo=UTC))
    change = at(f"{API}/workflow-info.json", "/changelogs/0")
    assert isinstance(change, Change)
    assert change.config_keys == ("dsv4-fp8-h200-vllm-mtp",)
    assert change.source_run == "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/25356359090"
    first = at("inferencex_ci/perf-changelog_sample.yaml", "/0")
    assert isinstance(first, Change)
    assert first.config_keys == ("70b-fp8-*-vllm",)
    assert first.pull_request == "https://github.com/SemiAnalysisAI/InferenceX/pull/95"


@pytest.mark.django_db
@pytest.mark.parametrize(("lengths", "load"), [("1k1k", 4), ("8k1k", 32), ("8k1k", 64)])
def test_raw_and_aggregate_of_one_run_are_one_point(lengths: str, load: int) -> None:
    """The raw file with the aggregate's identity: the same recipe, and equal values to 1e-9."""
    name = POINT.format(lengths, load)
    (raw,) = vllm_bench.read(stored(SHARED / FIXED / name))
    (aggregate,) = inferencex_fixed.read(stored(SHARED / FIXED / f"agg_{name}"))
    assert isinstance(raw, Result)
    assert isinstance(aggregate, Result)
    load_catalogue()
    identity = {name: value for name, value in aggregate.recipe.items() if name != "model"}
    whole = Normalizer(load_vocabulary(), {"recipe": identity}).recipe(raw.recipe)
    assert whole.fingerprint == Normalizer(load_vocabulary(), {}).recipe(aggregate.recipe).fingerprint
    values = with_per_gpu(raw.values, whole.document.total_gpus)
    shared = set(values) & set(aggregate.values)
    assert shared == set(aggregate.values), "the aggregate knows nothing that the raw file does not"
    assert {key: values[key] for key in shared} == pytest.approx(dict(aggregate.values), rel=1e-9)
    assert raw.load == aggregate.load == load


def with_per_gpu(values: Any, gpus: int) -> dict[str, float]:
    rates = ("input_throughput", "output_throughput", "total_throughput")
    return {
        **values,
        **{f"{rate}_per_gpu": values[rate] / gpus for rate in rates if f"{rate}_per_gpu" in METRICS},
    }

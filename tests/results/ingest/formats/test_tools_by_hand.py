"""Numbers of foreign files worked out with a calculator, with unit and denominator."""

from datetime import UTC, datetime
from typing import NamedTuple

import pytest

from results.ingest.formats import FORMATS
from results.ingest.rows import Result
from results.metrics import METRICS
from tests.results.ingest.formats.folders import SHARED, stored

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the files of other people are not at hand")

KIMI = (
    "inferencex_ci/fixed_seq_raw_and_agg/kimik2.5_1k1k_int4_vllm_tp8-ep1-dpafalse_disagg-false_spec-mtp_"
    "conc4_MI355-node-redacted.json"
)
TOOLS = "tools/vllm_bench_serve"
SLO = f"{TOOLS}/inferencex_token_position"
GLM = f"{SLO}/glm5_fp8_vllm_tp8_isl10240_osl128_conc16.json"
QWEN = f"{SLO}/qwen35_vllm_tp8_isl8192_osl128_conc8.json"
H200 = f"{TOOLS}/heyram74_deepseekr1_h200_sglang5.12_sweep1/gptoss_fp4_h200_tp8_conc64_isl1024_osl1024.json"
SGLANG = "tools/sglang_bench_serving/datacrunch_llama_3_3_70b_output_online.jsonl"
GUIDELLM = "tools/guidellm/danielkorat_Qwen3-4B-Thinking_tp4_quant-fp8_benchmarks.json"
TRTLLM = "tools/trtllm_bench/shaamil101_result_1024_1024_3000.txt"
LLMD = "tools/llm_d/br_v0_2_1_example_trimmed.yaml"


class ByHand(NamedTuple):
    """``nth``: which point of the file. ``how`` is the calculation on the numbers of the file."""

    path: str
    nth: int
    key: str
    value: float
    unit: str
    denominator: str
    how: str


BY_HAND = (
    ByHand(KIMI, 0, "ttft_p50", 0.2969768075272441, "s", "request", "296.9768075272441 ms"),
    ByHand(
        KIMI, 0, "input_throughput", 223.5895349867691991, "tok/s", "deployment", "37068 / 165.7859344901517"
    ),
    ByHand(
        KIMI, 0, "output_throughput", 221.4240919345341138, "tok/s", "deployment", "36709 / 165.7859344901517"
    ),
    ByHand(
        KIMI,
        0,
        "interactivity_p90",
        55.14916978477143934,
        "tok/s/user",
        "request",
        "1000 / 18.132639238317854",
    ),
    ByHand(KIMI, 0, "inter_chunk_latency_p50", 0.04425954492762685, "s", "chunk gap", "44.25954492762685 ms"),
    ByHand(GLM, 0, "e2e_latency_p99", 30.149846625011413, "s", "request", "as in the file"),
    ByHand(GLM, 0, "interactivity_p50", 7.089587784570979, "tok/s/user", "request", "1 / 0.1410519243694666"),
    ByHand(
        GLM,
        0,
        "total_throughput",
        7728.694150898667,
        "tok/s",
        "deployment",
        "(1638400 + 20480) / 214.63910559937358",
    ),
    ByHand(
        QWEN, 0, "interactivity_p99", 8.555857706417134, "tok/s/user", "request", "1 / 0.11687898914564368"
    ),
    ByHand(
        H200, 0, "request_throughput", 2.012239010470647, "req/s", "deployment", "640 / 318.0536689080036"
    ),
    ByHand(
        H200, 0, "inter_chunk_latency_p999", 1.4019231545020011, "s", "chunk gap", "1401.9231545020011 ms"
    ),
    ByHand(H200, 0, "error_rate", 0.0, "1", "request", "640 prompts sent, 640 completed"),
    ByHand(
        SGLANG, 2, "input_throughput", 2075.037883508771, "tok/s", "deployment", "615860 / 296.7945813878905"
    ),
    ByHand(
        SGLANG, 2, "request_throughput", 4.043200500455502, "req/s", "deployment", "1200 / 296.7945813878905"
    ),
    ByHand(SGLANG, 4, "e2e_latency_mean", 154.14470748483183, "s", "request", "154144.70748483183 ms"),
    ByHand(GUIDELLM, 0, "duration", 24.9096446, "s", "point", "1772470721.588979 - 1772470696.6793344"),
    ByHand(
        GUIDELLM, 0, "output_throughput", 164.434301081919, "tok/s", "deployment", "4 * 1024 / 24.9096446"
    ),
    ByHand(GUIDELLM, 0, "request_throughput", 0.1605803721503116, "req/s", "deployment", "4 / 24.9096446"),
    ByHand(
        GUIDELLM,
        0,
        "interactivity_p50",
        41.35879546714079,
        "tok/s/user",
        "request",
        "1000 / 24.178653868062757",
    ),
    ByHand(
        TRTLLM, 0, "input_throughput", 10893.87283799759, "tok/s", "deployment", "3000 * 1024 / 281.9933779"
    ),
    ByHand(
        TRTLLM,
        0,
        "total_throughput",
        21787.74563799759,
        "tok/s",
        "deployment",
        "3000 * 1024 / 281.9933779 + 10893.8728",
    ),
    ByHand(LLMD, 0, "duration", 49.97206788184121, "s", "point", "PT49.97206788184121S"),
    ByHand(LLMD, 0, "gpu_kv_usage_max", 0.921, "1", "KV pool", "92.1 percent"),
    ByHand(LLMD, 0, "ttft_p999", 0.057014757215045425, "s", "request", "p99p9, in seconds"),
)


def points(path: str) -> list[Result]:
    source = stored(SHARED / path)
    (reader,) = (reader for reader in FORMATS if reader.detect(source))
    return [row for row in reader.read(source) if isinstance(row, Result)]


@pytest.mark.parametrize("row", BY_HAND, ids=lambda row: f"{row.key}: {row.how}")
def test_a_number_worked_out_by_hand(row: ByHand) -> None:
    metric = METRICS[row.key]

    # The clock of GuideLLM is an epoch float: its microseconds are all that is exact.
    precision = 1e-9 if row.path == GUIDELLM else 1e-12
    assert points(row.path)[row.nth].values[row.key] == pytest.approx(row.value, rel=precision)
    assert (metric.unit, metric.denominator) == (row.unit, row.denominator)


def test_whole_rows() -> None:
    (kimi,) = points(KIMI)
    (report,) = points(TRTLLM)

    assert (kimi.load, kimi.recipe, kimi.scenario) == (4, {"model": {"name": "moonshotai/Kimi-K2.5"}}, {})
    assert kimi.measured_at is None
    assert report.recipe == {
        "roles": {"serve": {"tp": 8, "pp": 1, "gpus": 8}}, "engine": {"name": "trtllm", "version": "0.16.0"},
        "model": {"name": "meta-llama/Llama-3.1-70B-Instruct"}, "precision": "FP8", "kv_dtype": "FP8",
    }  # fmt: skip
    (h200,) = points(H200)
    # 1781150659.222741: 2026-06-11 04:04:19 UTC; the file's local date says 04:09:37, when it was written.
    assert h200.started_at == datetime(2026, 6, 11, 4, 4, 19, 222_741, tzinfo=UTC)

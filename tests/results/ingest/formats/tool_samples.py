"""Small invented files of benchmark tools, in the shapes that the tools write."""

import json
from collections.abc import Mapping
from typing import Any

from results.ingest.formats import Format
from results.ingest.rows import Evaluation, Remark, Result, Row
from results.metrics import METRICS
from tests.results.ingest.sources import source_of


def rows(reader: Format, content: bytes | str | Any) -> list[Row]:
    """All rows of a file that the reader recognises; what is no text becomes JSON."""
    source = source_of(content if isinstance(content, bytes | str) else json.dumps(content))
    assert reader.detect(source) is not None
    return list(reader.read(source))


def point(reader: Format, content: bytes | str | Any) -> Result:
    """The one row, which is a point with registered values only."""
    (found,) = (row for row in rows(reader, content) if not isinstance(row, Remark))
    assert isinstance(found, Result), found
    assert set(found.values) <= set(METRICS)
    return found


def version(reader: Format, content: bytes | str | Any) -> str | None:
    return reader.detect(source_of(content if isinstance(content, bytes | str) else json.dumps(content)))


def scores(found: list[Row]) -> Mapping[tuple[str, str], Evaluation]:
    return {(row.task, row.metric): row for row in found if isinstance(row, Evaluation)}


def vllm(**changes: Any) -> dict[str, Any]:
    """benchmark_serving.py of InferenceX: 40 requests in 50 s."""
    latencies = {
        f"{stat}_{name}_ms": value * factor
        for name, value in (("ttft", 200.0), ("tpot", 20.0), ("itl", 60.0), ("e2el", 10_000.0))
        for stat, factor in (("mean", 1.1), ("median", 1.0), ("std", 0.1), ("p90", 1.5), ("p99", 2.0),
                             ("p99.9", 2.5))
    }  # fmt: skip
    return {
        "date": "20260527-075026", "backend": "vllm", "model_id": "moonshotai/Kimi-K2.5",
        "tokenizer_id": "moonshotai/Kimi-K2.5", "best_of": 1, "num_prompts": 40, "request_rate": "inf",
        "burstiness": 1.0, "max_concurrency": 4, "duration": 50.0,
        "benchmark_start_time_unix": 1781156668.5, "benchmark_end_time_unix": 1781156718.5, "completed": 40,
        "total_input_tokens": 40_000, "total_output_tokens": 20_000, "request_throughput": 0.8,
        "request_goodput:": None, "output_throughput": 400.0, "total_token_throughput": 1200.0,
        **latencies, **changes,
    }  # fmt: skip


def vllm_seconds(**changes: Any) -> dict[str, Any]:
    return {
        "date": "20260213-080131", "model_id": "zai-org/GLM-5-FP8", "tokenizer_id": "zai-org/GLM-5-FP8",
        "num_prompts": 160, "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 16,
        "duration": 64.0, "completed": 160, "good_completed": None, "total_input_tokens": 320_000,
        "total_output_tokens": 20_480, "request_throughput": 2.5, "request_goodput": None,
        "input_throughput": 5000.0, "output_throughput": 320.0, "median_ttft": 0.4, "p99_ttft": 1.25,
        "median_e2el": 5.0, "p99_e2el": 8.0, "median_tpot": 0.04, "p99_tpot": 0.05, **changes,
    }  # fmt: skip


def vllm_detailed(**changes: Any) -> dict[str, Any]:
    """Four requests, of which the third failed."""
    return vllm(
        num_prompts=4, total_input_tokens=300, total_output_tokens=15, duration=10.0,
        output_throughput=1.5, total_token_throughput=31.5, input_lens=[100, 80, 70, 120],
        output_lens=[3, 5, 0, 7], ttfts=[0.5, 0.25, 0.0, 1.0],
        itls=[[0.1, 0.3], [0.25, 0.25, 0.25, 0.25], [], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]],
        generated_texts=["a", "b", "", "c"], errors=["", "", "HTTP 500", ""],
        **{"completed": 3, "failed": 1, "request_throughput": 0.3, **changes},
    )  # fmt: skip


def sglang(**changes: Any) -> dict[str, Any]:
    return {
        "backend": "sglang", "dataset_name": "random", "request_rate": 4.0, "max_concurrency": 8,
        "sharegpt_output_len": None, "random_input_len": 1000, "random_output_len": 500,
        "random_range_ratio": 1.0, "duration": 20.0, "completed": 40, "total_input_tokens": 40_000,
        "total_output_tokens": 20_000, "total_output_tokens_retokenized": 19_900,
        "request_throughput": 2.0, "input_throughput": 2000.0, "output_throughput": 1000.0,
        "mean_e2e_latency_ms": 4000.0, "median_e2e_latency_ms": 3900.0, "mean_ttft_ms": 120.0,
        "median_ttft_ms": 100.0, "p99_ttft_ms": 400.0, "mean_tpot_ms": 8.0, "median_tpot_ms": 7.5,
        "p99_tpot_ms": 12.5, "mean_itl_ms": 8.1, "median_itl_ms": 7.0, "p95_itl_ms": 9.0,
        "concurrency": 7.9, "accept_length": None, **changes,
    }  # fmt: skip


def sglang_server(**changes: Any) -> dict[str, Any]:
    return {
        "model_path": "zai-org/GLM-5-FP8", "tp_size": 4, "pp_size": 1, "dp_size": 2, "ep_size": 1,
        "enable_dp_attention": False, "quantization": "fp8", "kv_cache_dtype": "fp8_e4m3", "dtype": "auto",
        "disaggregation_mode": "null", "version": "0.5.23", **changes,
    }  # fmt: skip


def _summary(mean: float, count: int, factor: float = 1.0, **changes: Any) -> dict[str, Any]:
    ranks = {"p50": 1.0, "p75": 1.1, "p90": 1.2, "p95": 1.25, "p99": 1.3, "p999": 1.4}
    zeros = {"mean": 0.0, "median": 0.0, "std_dev": 0.0, "count": 0, "total_sum": 0.0, "percentiles": {}}
    stats = {
        "mean": mean, "median": mean, "std_dev": mean / 10, "count": count, "total_sum": mean * count,
        "percentiles": {name: mean * rank * factor for name, rank in ranks.items()}, **changes,
    }  # fmt: skip
    return {"successful": stats, "errored": zeros, "incomplete": zeros, "total": stats}


def guidellm(requests: list[dict[str, Any]] | None = None, **changes: Any) -> dict[str, Any]:
    """Schema 1: four requests of 100 + 50 tokens in 20 s; a burst lifts the tool's own rates."""
    totals = {"successful": 4, "errored": 1, "incomplete": 2, "total": 7}
    benchmark = {
        "type_": "generative_benchmark",
        "config": {
            "id_": "a", "run_id": "run-7", "run_index": 0,
            "strategy": {"type_": "concurrent", "max_concurrency": 4, "streams": 4},
        },
        "scheduler_metrics": {
            "start_time": 1772470695.0, "measure_start_time": 1772470696.0,
            "measure_end_time": 1772470716.0, "requests_made": totals,
        },
        "metrics": {
            "request_totals": totals,
            "requests_per_second": _summary(9.5, 3),
            "request_latency": _summary(8.0, 4),
            "prompt_token_count": _summary(100.0, 4),
            "output_token_count": _summary(50.0, 4),
            "time_to_first_token_ms": _summary(500.0, 4),
            "time_per_output_token_ms": _summary(160.0, 200),
            "inter_token_latency_ms": _summary(125.0, 196),
            "output_tokens_per_second": _summary(777.0, 200),
        },
        **({"requests": {"successful": requests, "errored": [], "incomplete": []}} if requests else {}),
        **changes,
    }  # fmt: skip
    return {
        "metadata": {"version": 1, "guidellm_version": "0.5.0"},
        "args": {
            "model": "Qwen/Qwen3-4B", "data": ["prompt_tokens=100,output_tokens=50"],
            "backend_kwargs": {"api_key": "do-not-keep"}, "profile": "concurrent",
        },
        "benchmarks": [benchmark],
    }  # fmt: skip


TRTLLM = """\
[07/11/2025-08:17:30] [TRT-LLM] [I] Loading: 12
[07/11/2025-08:17:39] [TRT-LLM] [I]

===========================================================
= ENGINE DETAILS
===========================================================
Model:\t\t\tmeta-llama/Llama-3.1-70B-Instruct
Engine Directory:\t/models/tp_8_pp_1
TensorRT-LLM Version:\t0.16.0
Dtype:\t\t\tbfloat16
KV Cache Dtype:\t\tFP8
Quantization:\t\tFP8

===========================================================
= WORLD + RUNTIME INFORMATION
===========================================================
TP Size:\t\t8
PP Size:\t\t2
Scheduling Policy:\tGuaranteed No Evict
Issue Rate (req/sec):\t1.6324E+14

===========================================================
= PERFORMANCE OVERVIEW
===========================================================
Number of requests:\t\t200
Average Input Length (tokens):\t1000.0000
Average Output Length (tokens):\t500.0000
Token Throughput (tokens/sec):\t2000.0000
Request Throughput (req/sec):\t4.0000
Total Latency (ms):\t\t50000.0000

===========================================================
[07/11/2025-08:17:39] [TRT-LLM] [I] Benchmark Shutdown called!
"""

TRTLLM_PYTORCH = """\
===========================================================
= PYTORCH BACKEND
===========================================================
Model:			Qwen/Qwen3-30B-A3B
TensorRT LLM Version:	1.2.0
Dtype:			bfloat16
KV Cache Dtype:		None
Quantization:		NVFP4

===========================================================
= REQUEST DETAILS
===========================================================
Number of requests:             100
Number of concurrent requests:  8.5000
Average Input Length (tokens):  1000.0000
Average Output Length (tokens): 200.0000
===========================================================
= WORLD + RUNTIME INFORMATION
===========================================================
TP Size:                4
PP Size:                1
EP Size:                4
Issue Rate (req/sec):   25.0
===========================================================
= PERFORMANCE OVERVIEW
===========================================================
Request Throughput (req/sec):                     2.0000
Total Output Throughput (tokens/sec):             400.0000
Total Token Throughput (tokens/sec):              2400.0000
Total Latency (ms):                               50000.0000
Average request latency (ms):                     4000.0000
Per User Output Throughput [w/ ctx] (tps/user):   50.0000
Average time-to-first-token [TTFT] (ms):          80.0000
Average time-per-output-token [TPOT] (ms):        20.0000

-- Per-Request Time-per-Output-Token [TPOT] Breakdown (ms)

[TPOT] MINIMUM: 10.0000
[TPOT] AVERAGE: 20.0000
[TPOT] P50    : 16.0000
[TPOT] P99    : 40.0000

-- Request Latency Breakdown (ms) -----------------------

[Latency] P90    : 5000.0000
"""

LLMD = """\
version: '0.2.1'
run:
  uid: run-9
  eid: experiment-3
  time: {start: 2025-11-05T18:00:42Z, end: 2025-11-05T18:02:42Z, duration: PT1M40S}
scenario:
  stack:
  - metadata: {label: vllm-svc-0}
    standardized:
      kind: inference_engine
      tool: vllm
      tool_version: 0.11.0
      role: replica
      replicas: 2
      model: {name: Qwen/Qwen3-0.6B}
      accelerator:
        model: NVIDIA-H100-80GB-HBM3
        count: 8
        parallelism: {dp: 1, ep: 1, pp: 1, tp: 4}
  - standardized: {kind: generic, tool: epp}
  load:
    metadata: {cfg_id: a}
    standardized:
      tool: inference-perf
      tool_version: 0.3.0
      input_seq_len: {distribution: fixed, value: 2048}
      output_seq_len: {distribution: fixed, value: 128}
      concurrency: 16
results:
  request_performance:
    aggregate:
      requests:
        total: 500
        failures: 10
        input_length: {units: count, mean: 2048.0, p50: 2048.0}
      throughput:
        request_rate: {units: queries/s, mean: 4.9}
        output_token_rate: {units: tokens/s, mean: 627.2}
      latency:
        time_to_first_token: {units: ms, mean: 250.0, stddev: 0.0, p50: 200.0, p99p9: 900.0}
        time_per_output_token: {units: ms/token, mean: 25.0}
        normalized_time_per_output_token: {units: s/token, p90: 0.05}
        inter_token_latency: {units: s/token, mean: 0.03}
        request_latency: {units: s, mean: 3.5}
  observability:
    components:
    - component_label: vllm-svc-0
      aggregate:
        kv_cache_usage: {units: percent, mean: 42.5, max: 75.0}
"""


def genai_perf(**changes: Any) -> dict[str, Any]:
    def spread(unit: str, mean: float) -> dict[str, Any]:
        ranks = {"p1": 0.5, "p50": 0.8, "p75": 1.2, "p90": 1.6, "p95": 1.8, "p99": 2.0}
        return {
            "unit": unit, "avg": mean, **{name: mean * rank for name, rank in ranks.items()},
            "min": mean / 4, "max": mean * 3, "std": mean / 5,
        }  # fmt: skip

    return {
        "request_throughput": {"unit": "requests/sec", "avg": 2.5},
        "request_latency": spread("ms", 4000.0),
        "request_count": {"unit": "count", "avg": 100.0},
        "time_to_first_token": spread("ms", 250.0),
        "inter_token_latency": spread("ms", 20.0),
        "output_token_throughput": {"unit": "tokens/sec", "avg": 500.0},
        "output_token_throughput_per_user": spread("tokens/sec/user", 55.0),
        "output_sequence_length": spread("tokens", 200.0),
        "input_sequence_length": spread("tokens", 1000.0),
        "input_config": {
            "model_names": ["Qwen/Qwen3-4B"],
            "endpoint": {"service_kind": "openai", "streaming": True},
            "perf_analyzer": {"stimulus": {"concurrency": 10}, "verbose": False},
            "input": {
                "synthetic_tokens": {"mean": 1000, "stddev": 0},
                "output_tokens": {"mean": 200, "stddev": 0, "deterministic": True},
            },
        },
        **changes,
    }


def lm_eval(**changes: Any) -> dict[str, Any]:
    return {
        "results": {
            "gsm8k": {
                "alias": "gsm8k", "exact_match,strict-match": 0.95, "exact_match_stderr,strict-match": 0.006,
                "exact_match,flexible-extract": 0.96, "exact_match_stderr,flexible-extract": "N/A",
            },
            "wikitext": {"alias": "wikitext", "word_perplexity,none": 11.5, "acc,none": 0.5,
                         "acc_stderr,none": None},
        },
        "configs": {"gsm8k": {"task": "gsm8k"}},
        "versions": {"gsm8k": 3},
        "n-samples": {"gsm8k": {"original": 1319, "effective": 1319}},
        "config": {"model": "local-chat", "model_args": "model=zai-org/GLM-5-FP8,num_concurrent=64"},
        "date": 1772470696.25,
        "lm_eval_version": "0.4.9",
        **changes,
    }  # fmt: skip


SWE_BENCH = {
    "total_instances": 300, "submitted_instances": 298, "completed_instances": 290, "resolved_instances": 165,
    "unresolved_instances": 125, "empty_patch_instances": 2, "error_instances": 6, "schema_version": 2,
}  # fmt: skip

NVIDIA = """\
timestamp, index, power.draw [W], temperature.gpu, clocks.current.sm [MHz], utilization.gpu [%]
2026/06/10 21:34:19.342, 0, 76.85 W, 33, 345 MHz, 0 %
2026/06/10 21:34:19.409, 1, 70.15 W, 29, 345 MHz, 0 %
timestamp, index, power.draw [W], temperature.gpu, clocks.current.sm [MHz], utilization.gpu [%]
2026/06/10 21:34:20.342, 0, 690.15 W, 61, 1980 MHz, 100 %
2026/06/10 21:34:20.409, 1, [N/A], 60, 1965 MHz, 99 %
2026/06/10 21:34:21.3
"""

AMD = """\
'CTRL' + 'C' to stop watching output:
timestamp,gpu,socket_power,gfx_activity,hotspot,gfx_0_clk,throttle_status
1785881113,0,238,10,45,2100,UNTHROTTLED
1785881114,0,N/A,90,65,1400,THROTTLED
1785881115,0,262,95,66,2050,N/A
"""

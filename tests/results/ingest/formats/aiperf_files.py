"""A hand-made AIPerf export of one hour at 8 sessions: four answers, one error, one warm-up request."""

import json
from pathlib import Path
from typing import Any

BEGIN = 1_789_999_990_000_000_000
#: start in s, TTFT in ms, latency in ms, input tokens, output tokens; ITL is 20, 20, 40 and 100 ms
ANSWERS = (
    (0, 500, 2500, 1000, 101),
    (1, 1000, 5000, 2000, 201),
    (2, 250, 4250, 3000, 101),
    (3595, 2000, 5000, 4000, 31),
)


def record(start: float, ttft: float, latency: float, isl: int, osl: int, **about: Any) -> dict[str, Any]:
    begin = BEGIN + int(start * 10**9)
    metrics = {
        "time_to_first_token": {"value": ttft, "unit": "ms"},
        "request_latency": {"value": latency, "unit": "ms"},
        "input_sequence_length": {"value": isl, "unit": "tokens"},
        "output_sequence_length": {"value": osl, "unit": "tokens"},
        "inter_chunk_latency": {"value": [1.0, 2.0], "unit": "ms"},
    }
    if osl > 1:
        metrics["inter_token_latency"] = {"value": (latency - ttft) / (osl - 1), "unit": "ms"}
    return {
        "metadata": {
            "session_num": 0, "conversation_id": "t-01", "turn_index": 3, "agent_depth": 0,
            "request_start_ns": begin, "request_end_ns": begin + int(latency * 10**6),
            "benchmark_phase": "profiling", "was_cancelled": False, **about,
        },
        "metrics": metrics,
        "error": None,
    }  # fmt: skip


def records() -> list[dict[str, Any]]:
    warm = record(-60, 40000, 40000, 900, 1, benchmark_phase="warmup")
    broken = record(10, 100, 1000, 500, 2) | {"error": {"code": 503, "type": "Unavailable", "message": "no"}}
    return [warm, *(record(*answer) for answer in ANSWERS), broken]


def jsonl(found: list[dict[str, Any]] | None = None) -> str:
    return "".join(json.dumps(item) + "\n" for item in (records() if found is None else found))


def stats(unit: str, **values: float) -> dict[str, Any]:
    return {"unit": unit, **values}


def summary() -> dict[str, Any]:
    """Schema 1.2; the client's throughput divides by its phase, as some versions do."""
    return {
        "schema_version": "1.2", "aiperf_version": "0.8.0", "benchmark_id": "b-1",
        "request_throughput": stats("requests/sec", avg=0.001),
        "request_latency": stats("ms", avg=4187.5, p50=4625.0, p75=5000.0, p90=5000.0, p95=5000.0, p99=5000.0,
                                 std=1018.2, count=4, sum=16750.0),
        "request_count": stats("requests", avg=4.0),
        "error_request_count": stats("requests", avg=1.0),
        "time_to_first_token": stats("ms", avg=937.5, p50=750.0, p75=1250.0, p90=1700.0, std=664.5),
        "inter_token_latency": stats("ms", avg=45.0, p50=30.0, p75=55.0, p90=82.0, std=32.7),
        "output_sequence_length": stats("tokens", avg=108.5, p50=101.0, sum=434.0, count=4),
        "input_sequence_length": stats("tokens", avg=2500.0, p50=2500.0, sum=10000.0, count=4),
        "benchmark_duration": stats("sec", avg=3600.0),
        "total_isl": stats("tokens", avg=10000.0), "total_osl": stats("tokens", avg=434.0),
        "min_request_timestamp": stats("ns", avg=float(BEGIN)),
        "max_response_timestamp": stats("ns", avg=float(BEGIN + 3600 * 10**9)),
        "input_config": {
            "endpoint": {"model_names": ["amd/Kimi-K2.7-Code-MXFP4"]},
            "loadgen": {"benchmark_duration": 3600.0, "concurrency": 8},
            "scenario": "inferencex-agentx-mvp",
        },
        "was_cancelled": False, "error_summary": [],
        "start_time": "2026-07-09T09:15:47.824596", "end_time": "2026-07-09T10:16:17.827349",
        "theoretical_prefix_cache_hit": {"unit": "%", "avg": 92.5, "count": 1000, "sum": 925},
        "metadata": {
            "dataset": {"loader": "semianalysis_cc_traces_weka_062126_256k"},
            "scenario": "inferencex-agentx-mvp", "submission_valid": True,
        },
    }  # fmt: skip


def newest() -> dict[str, Any]:
    """Schema 1.4: models, datasets and phases instead of the command line; a short, unsafe run."""
    return summary() | {
        "schema_version": "1.4", "aiperf_version": "0.13.0", "is_complete": True,
        "input_config": {
            "models": {"items": [{"name": "northstar-tiny"}]},
            "datasets": [{"name": "main", "type": "file", "path": "/somewhere/cpu-8k",
            "format": "weka_trace"}],
            "phases": [{"name": "profiling", "kind": "profiling", "duration": 600.0, "concurrency": 2,
                        "timing_mode": "agentic_replay"}],
            "scenario": "inferencex-agentx-mvp", "unsafe_override": True,
        },
        "start_time": "2026-07-09T09:00:00", "end_time": "2026-07-09T09:10:05",
        "metadata": {"submission_valid": False, "submission_invalid_reasons": ["unsafe_override"]},
        "total_usage_prompt_tokens": stats("tokens", avg=10000.0),
        "total_usage_prompt_cache_read_tokens": stats("tokens", avg=7500.0),
    }  # fmt: skip


def synthetic() -> dict[str, Any]:
    """Fixed lengths; not a scenario of AgentX."""
    lengths = {"input_tokens": {"mean": 1024, "stddev": 0.0}, "output_tokens": {"mean": 128}}
    config = {"endpoint": {"model_names": ["m"]}, "input": {"prompt": lengths}, "loadgen": {"concurrency": 4}}
    return {**summary(), "input_config": config, "metadata": {}, "schema_version": "1.0"}


TABLE = """Metric,avg,min,max,sum,p1,p5,p10,p25,p50,p75,p90,p95,p99,std
Input Sequence Length (tokens),2500.00,1000.00,4000.00,10000.00,,,,,2500.00,,,,,
Inter Token Latency (ms),45.00,20.00,100.00,180.00,,,,,30.00,55.00,82.00,,,32.79
Output Sequence Length (tokens),108.50,31.00,201.00,434.00,,,,,101.00,,,,,
Time to First Token (ms),937.50,250.00,2000.00,3750.00,,,,,750.00,,,,,

Metric,Value
Benchmark Duration (sec),3600.00
Request Count,4.00
Theoretical Prefix Cache Hit (%),92.50
Total Input Sequence Length (tokens),10000.00
Total Output Sequence Length (tokens),434.00
"""

SERVER_TABLE = """# AIPerf Server Metrics Export (CSV)
# schema_version: 1.0
#
Endpoint,Type,Metric,Unit,avg,min,max,std,p1,p5,p10,p25,p50,p75,p90,p95,p99,engine,Description
localhost:1,gauge,vllm:kv_cache_usage_perc,ratio,0.4,0,0.75,0,0,0,0,0,0,0,0,0,0,0,"KV, usage"
localhost:1,gauge,vllm:num_requests_running,,2.5,0,4,0,0,0,0,0,0,0,0,0,0,0,Running

Endpoint,Type,Metric,Unit,total,rate,rate_avg,rate_min,rate_max,rate_std,engine,source,Description
localhost:1,counter,vllm:generation_tokens,tokens,434.0,1,1,0,2,0,0,,Tokens
localhost:1,counter,vllm:prompt_tokens_by_source,,1000.0,1,1,0,2,0,0,local_compute,By source
localhost:1,counter,vllm:prompt_tokens_by_source,,7000.0,1,1,0,2,0,0,local_cache_hit,By source
localhost:1,counter,vllm:prompt_tokens_by_source,,2000.0,1,1,0,2,0,0,external_kv_transfer,By source

Endpoint,Metric,Key,Value,Description
localhost:1,vllm:cache_config_info,block_size,16,Config
localhost:1,vllm:cache_config_info,engine,0,Config
localhost:1,vllm:cache_config_info,num_gpu_blocks,100,Config
localhost:1,vllm:cache_config_info,block_size,16,Config
localhost:1,vllm:cache_config_info,engine,1,Config
localhost:1,vllm:cache_config_info,num_gpu_blocks,50,Config
"""


def server() -> dict[str, Any]:
    def series(value: float, **labels: str) -> dict[str, Any]:
        return {"labels": labels, "stats": {"total": value}, "timeslices": [{"total": 1}]}

    by_source = [
        series(1000, source="local_compute"),
        series(7000, source="local_cache_hit"),
        series(2000, source="external_kv_transfer"),
    ]
    return {
        "schema_version": "1.0", "aiperf_version": "0.8.0",
        "summary": {"endpoints_configured": ["http://localhost:1/metrics"], "endpoint_info": {}},
        "metrics": {
            "vllm:prompt_tokens_by_source": {"type": "counter", "series": by_source},
            "vllm:kv_cache_usage_perc": {"type": "gauge", "series": [{"stats": {"avg": 0.4, "max": 0.7531}}]},
        },
    }  # fmt: skip


def write(folder: Path, **contents: Any) -> Path:
    """Files by AIPerf's names: summary, records, table, server, server_table, slices."""
    names = {
        "summary": "profile_export_aiperf.json", "records": "profile_export.jsonl",
        "table": "profile_export_aiperf.csv", "server": "server_metrics_export.json",
        "server_table": "server_metrics_export.csv", "slices": "profile_export_aiperf_timeslices.json",
    }  # fmt: skip
    for name, content in contents.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / names[name]).write_text(text, encoding="utf-8")
    return folder

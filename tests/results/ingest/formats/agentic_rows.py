"""Hand-made agentic aggregates, one per generation; the numbers are invented and easy to check by hand."""

from typing import Any


def april() -> dict[str, Any]:
    """April 2026: flat, ``users``, ``offload_mode``, ``ttlt``. 4 GPUs although tp * ep is 16."""
    return {
        "hw": "b200", "users": 8, "image": "vllm/vllm-openai:v0.19.1", "model": "nvidia/DeepSeek-R1-0528-FP4",
        "infmax_model_prefix": "dsr1", "framework": "vllm", "precision": "fp4",
        "scenario_type": "agentic-coding",
        "is_multinode": False, "tp": 4, "ep": 4, "dp_attention": "false", "offload_mode": "on",
        "num_requests_total": 100, "num_requests_successful": 90,
        "mean_qps": 0.05, "median_qps": 0.0, "mean_ttft": 2.0, "median_ttft": 1.0, "p90_ttft": 4.0,
        "p99_ttft": 8.0, "p99.9_ttft": 9.0, "mean_ttlt": 20.0, "median_ttlt": 18.0, "p90_ttlt": 40.0,
        "mean_itl": 0.02, "median_itl": 0.016, "p90_itl": 0.04, "mean_input_tokens": 40000.0,
        "mean_output_tokens_expected": 400.0, "mean_output_tokens_actual": 800.0,
        "theoretical_cache_hit_rate": 0.95, "theoretical_infinite_cache_hit_rate": 0.9,
        "server_gpu_cache_hit_rate": 0.004, "server_cpu_cache_hit_rate": None,
        "kv_offload_bytes_gpu_to_cpu": None, "total_prompt_tokens": 3700000,
        "input_tput_tps": 2000.0, "output_tput_tps": 40.0, "total_tput_tps": 2040.0,
        "duration_seconds": 1800.0,
        "tput_per_gpu": 510.0, "output_tput_per_gpu": 10.0, "input_tput_per_gpu": 500.0,
    }  # fmt: skip


def early_agentx() -> dict[str, Any]:
    """May and June 2026: flat, ``conc``, ``offloading``; ``intvty`` is a statistic of 1 / ITL."""
    row = april()
    for name in ("users", "offload_mode", "theoretical_infinite_cache_hit_rate"):
        del row[name]
    intvty = {"mean_intvty": 70.0, "median_intvty": 62.5, "p90_intvty": 125.0, "std_intvty": 30.0}
    return {
        **row,
        "conc": 8,
        "offloading": "cpu",
        "spec_decoding": "none",
        "num_requests_total": 90,
        **intvty,
    }


def nested() -> dict[str, Any]:
    """July 2026: nested metrics, ``kv_offload_backend`` a name, no pp yet."""
    return {
        "hw": "cluster:mi355x-amds", "conc": 16, "image": "vllm/vllm-openai-rocm:v0.24.0",
        "model": "amd/Kimi-K2.7-Code-MXFP4", "infmax_model_prefix": "kimik2.7", "framework": "vllm",
        "precision": "fp4", "spec_decoding": "none", "disagg": False, "scenario_type": "agentic-coding",
        "is_multinode": False, "tp": 4, "ep": 1, "dp_attention": "false", "kv_offloading": "dram",
        "kv_offload_backend": "lmcache", "allocated_cpu_dram_gb": 1199, "num_requests_total": 110,
        "num_requests_successful": 90,
        "request_accounting": {
            "records_total": 110, "records_profiled": 90, "records_dropped_total": 20,
            "records_warmup_dropped": 12, "records_error_dropped": 9, "error_categories": {"Timeout": 9},
        },
        "dcp_size": 1, "pcp_size": 1,
        "dataset": {"source_type": "public_dataset", "loader": "semianalysis_cc_traces_weka_062126_256k",
                    "num_dataset_entries": 393},
        "request_metrics": {
            "qps": {"window_seconds": 1, "samples": 3600, "mean": 0.025, "p50": 0.0, "std": 0.2},
            "latency": {
                "ttft": {"mean": 3.0, "p50": 2.0, "p90": 6.0, "std": 1.5},
                "e2el": {"mean": 30.0, "p50": 20.0, "p90": 60.0, "std": 15.0},
                "itl": {"mean": 0.02, "p50": 0.01, "p90": 0.03, "std": 0.005},
                "tpot": {"mean": 0.02, "p50": 0.01, "p90": 0.03, "std": 0.005},
                "intvty": {"mean": 50.0, "p50": 100.0, "p90": 33.33333, "std": 6.0},
            },
            "tokens": {"input": {"mean": 40000, "p50": 39000}, "output_actual": {"mean": 800, "p50": 700},
                       "output_expected": {}},
            "throughput": {
                "input": {"tokens_per_second": 1000.0}, "output": {"tokens_per_second": 20.0},
                "total": {"tokens_per_second": 1020.0}, "duration_seconds": 3600.0,
                "per_gpu": {"total_tput_tps": 255.0, "output_tput_tps": 5.0, "input_tput_tps": 250.0},
            },
            "cache": {"theoretical_cache_hit_rate": 0.95},
        },
        "server_metrics": {
            "present": True, "adapter": "vllm", "metric_count": 49,
            "cache": {"gpu_cache_hit_rate": 0.1, "cpu_cache_hit_rate": 0.8, "external_cache_hit_rate": 0.8,
                      "overall_cache_hit_rate": 0.9, "prefix_cache_hits": 10, "prefix_cache_queries": 1000},
            "kv_cache": {"gpu_usage_pct": 0.75, "gpu_total_tokens": 1854891, "cpu_usage_pct": None},
            "tokens": {"prompt_total": 3600000, "generation_total": 72000,
                       "prompt_by_source": {"gpu_cache_hit": 360000, "cpu_or_external_cache_hit": 2880000,
                                            "computed": 360000}},
            "sources": [],
        },
    }  # fmt: skip


def newest() -> dict[str, Any]:
    """August 2026 and later: fingerprint, backend as an object, full-response metrics, power."""
    row = nested()
    latency = row["request_metrics"]["latency"]
    latency["full_response_itl"] = {"mean": 0.025, "p50": 0.02, "p90": 0.04}
    latency["full_response_intvty"] = {"mean": 40.0, "p50": 50.0, "p90": 25.0, "std": 5.0}
    latency["e2e_norm_intvty"] = {"mean": 26.0, "p50": 30.0, "p90": 12.5, "std": 9.0}
    return {
        **row, "hw": "cluster:h100-dgxc", "framework": "sglang", "tp": 8, "pp": 1, "spec_decoding": "mtp",
        "num_gpus": 8, "recipe_fingerprint": "d" * 64, "kv_offload_backend": {"name": "hicache",
        "version": "2"},
        "router": {"name": "sglang-router", "version": "0.3.2"}, "kv_cache_pool_tokens": 4382208,
        "server_metrics": {**row["server_metrics"], "adapter": "sglang"},
        "request_metrics": {**row["request_metrics"], "throughput": {
            **row["request_metrics"]["throughput"],
            "per_gpu": {"total_tput_tps": 127.5, "output_tput_tps": 2.5, "input_tput_tps": 125.0}}},
        "power_metric_schema_version": 2, "power_valid": 1, "avg_power_w": 300.0, "p90_power_w": 350.0,
        "avg_total_gpu_power_w": 2400.0, "total_gpu_energy_j": 8640000.0,
        "joules_per_successful_query": 96000.0,
        "joules_per_input_token": 2.4, "joules_per_output_token": 120.0, "joules_per_total_token": 2.352941,
    }  # fmt: skip


def disaggregated() -> dict[str, Any]:
    """Two prefill workers of 4 GPUs and one decode worker of 8: 16 GPUs, all in every denominator."""
    row = {
        name: value for name, value in newest().items() if not name.startswith(("power_", "joules_", "avg_"))
    }
    for name in ("pp", "dcp_size", "pcp_size", "num_gpus", "total_gpu_energy_j", "p90_power_w"):
        del row[name]
    row["request_metrics"]["throughput"]["per_gpu"] = {
        "total_tput_tps": 63.75, "output_tput_tps": 1.25, "input_tput_tps": 62.5,
    }  # fmt: skip
    return {
        **row, "hw": "cluster:gb300-nv", "disagg": True, "is_multinode": True, "tp": 12, "ep": 8,
        "dp_attention": "true", "prefill_tp": 4, "prefill_pp": 1, "prefill_dcp_size": 1,
        "prefill_pcp_size": 1,
        "prefill_ep": 4, "prefill_num_workers": 2, "prefill_dp_attention": "true", "decode_tp": 8,
        "decode_pp": 1,
        "decode_dcp_size": 1, "decode_pcp_size": 1, "decode_ep": 8, "decode_num_workers": 1,
        "decode_dp_attention": "false", "num_prefill_gpu": 8, "num_decode_gpu": 8, "kv_p2p_transfer": "nixl",
    }  # fmt: skip

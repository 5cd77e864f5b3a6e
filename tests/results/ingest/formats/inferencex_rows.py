"""Rows in the shapes of InferenceX files, with round numbers made up here."""

from typing import Any

#: 8 GPUs, 4,000 tok/s in and 800 tok/s out.
AGGREGATE: dict[str, Any] = {
    "hw": "cluster:b200-dgxc", "conc": 64, "image": "nvcr.io#nvidia/ai-dynamo/runtime:1.0",
    "model": "nvidia/DeepSeek-R1-0528-FP4-V2", "infmax_model_prefix": "dsr1", "framework": "sglang",
    "precision": "fp4", "spec_decoding": "none", "disagg": False, "isl": 8192, "osl": 1024,
    "is_multinode": False, "tp": 8, "ep": 8, "dp_attention": "false", "tput_per_gpu": 600.0,
    "output_tput_per_gpu": 100.0, "input_tput_per_gpu": 500.0, "mean_ttft": 0.5, "p99.9_ttft": 2.0,
    "std_ttft": 0.25, "median_tpot": 0.02, "median_intvty": 50.0, "p90_tpot": 0.025, "p90_intvty": 40.0,
    "std_tpot": 0.001, "std_intvty": 1000.0, "median_itl": 0.018, "p99_e2el": 24.0,
}  # fmt: skip

_ROLE = {"pp": 1, "dcp_size": 1, "pcp_size": 1}
#: 4 prefill workers of 2 GPUs, one decode worker of 4: 2,400 tok/s in and 400 tok/s out on 12 GPUs.
DISAGGREGATED: dict[str, Any] = {
    "hw": "cluster:gb300-nv", "conc": 256, "image": "vllm/vllm-openai:v0.20.0",
    "model": "deepseek-ai/DeepSeek-V4-Pro", "infmax_model_prefix": "dsv4", "framework": "dynamo-vllm",
    "precision": "fp4", "spec_decoding": "mtp", "disagg": True, "recipe_fingerprint": "c" * 64,
    "isl": 8192, "osl": 1024, "router": {"name": "dynamo-router", "version": "1.3.1"},
    "kv_p2p_transfer": "nixl", "is_multinode": True,
    "prefill_tp": 2, **{f"prefill_{name}": size for name, size in _ROLE.items()}, "prefill_ep": 2,
    "prefill_dp_attention": "true", "prefill_num_workers": 4,
    "decode_tp": 4, **{f"decode_{name}": size for name, size in _ROLE.items()}, "decode_ep": 4,
    "decode_dp_attention": "false", "decode_num_workers": 1,
    "num_prefill_gpu": 8, "num_decode_gpu": 4, "tput_per_gpu": 2800 / 12,
    "output_tput_per_gpu": 100.0, "input_tput_per_gpu": 300.0, "median_ttft": 1.5,
}  # fmt: skip

#: A row of the API, one role mirrored into two.
API: dict[str, Any] = {
    "hardware": "b200", "framework": "trt", "model": "dsr1", "precision": "fp8", "spec_method": "mtp",
    "disagg": False, "is_multinode": False, "prefill_tp": 8, "prefill_ep": 8, "prefill_dp_attention": False,
    "prefill_num_workers": 0, "decode_tp": 8, "decode_ep": 8, "decode_dp_attention": False,
    "decode_num_workers": 0, "num_prefill_gpu": 64, "num_decode_gpu": 64, "isl": 1024, "osl": 1024,
    "conc": 8, "image": None, "date": "2026-01-14",
    "metrics": {
        "tput_per_gpu": 200.0, "input_tput_per_gpu": 90.0, "output_tput_per_gpu": 110.0, "median_ttft": 0.2,
        "median_tpot": 0.01, "median_intvty": 100.0, "std_intvty": 800.0,
    },
    "run_url": "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/1/attempts/3",
}  # fmt: skip

#: An evaluation as the collector writes it.
COLLECTED: dict[str, Any] = {
    "is_multinode": False, "model_prefix": "dsr1", "model": "deepseek-ai/DeepSeek-R1-0528",
    "hw": "CLUSTER:GB300-NV", "framework": "sglang", "precision": "fp8", "spec_decoding": "none",
    "isl": 8192, "osl": 1024, "tp": 4, "ep": 4, "prefill_tp": 4, "prefill_ep": 4, "prefill_num_workers": 1,
    "decode_tp": 4, "decode_ep": 4, "decode_num_workers": 1, "conc": 32, "dp_attention": "false",
    "prefill_dp_attention": "false", "decode_dp_attention": "false", "task": "gsm8k",
    "em_strict": 0.95, "em_strict_se": 0.006, "em_flexible": 0.96, "em_flexible_se": 0.005, "n_eff": 1319,
    "source": "eval_results/x/results_2026-01-21T00-34-31.500000.json", "score": 0.95,
    "score_name": "em_strict", "score_se": 0.006,
}  # fmt: skip


def without(row: dict[str, Any], *names: str, **changes: Any) -> dict[str, Any]:
    return {name: value for name, value in {**row, **changes}.items() if name not in names}

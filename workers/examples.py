"""Run documents that this host can execute: the three recipes of the demo, each one flag from the last."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from results.documents.run import RunDocument, check_executable
from workers.engines import llamacpp, vllm
from workers.environments import Progress
from workers.probe import hardware_slugs, has_nvidia_gpu
from workers.tiny_model import NAME, ensure_tiny_model
from workers.traces.corpora import corpus_sha256

CORPUS, CONTEXT = "cpu-8k", 8192
NO_OFFLOAD: dict[str, Any] = {"mode": "none"}
HOST_TIER_MIB = 2048

#: Label -> (engine arguments, KV offload); every step changes one thing.
LLAMACPP: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "no-prefix-cache": ({"cache_prompt": False, "cache_ram_mib": 0}, NO_OFFLOAD),
    "prefix-cache": ({"cache_prompt": True, "cache_ram_mib": 0}, NO_OFFLOAD),
    "prefix-cache-host-tier": (
        {"cache_prompt": True, "cache_ram_mib": HOST_TIER_MIB},
        {"mode": "dram", "backend": "llamacpp-cache-ram", "dram_gb": HOST_TIER_MIB * 2**20 / 1e9},
    ),
}
VLLM: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "no-prefix-cache": ({"enable_prefix_caching": False}, NO_OFFLOAD),
    "prefix-cache": ({"enable_prefix_caching": True}, NO_OFFLOAD),
    "prefix-cache-host-tier": (
        {"enable_prefix_caching": True, "kv_offloading_gib": 8.0},
        {"mode": "dram", "backend": "vllm-native", "dram_gb": 8 * 2**30 / 1e9},
    ),
}


def labels(engine: str) -> list[str]:
    """Recipes this host can run; the CPU build of vLLM has no KV offload."""
    known = {"llamacpp": LLAMACPP, "vllm": VLLM}[engine]
    return [label for label in known if label in _possible(engine)]


def _possible(engine: str) -> Mapping[str, object]:
    if engine == "vllm" and not has_nvidia_gpu():
        return {label: parts for label, parts in VLLM.items() if parts[1] == NO_OFFLOAD}
    return {"llamacpp": LLAMACPP, "vllm": VLLM}[engine]


def example(engine: str, label: str, loads: list[int], window: int, block: int | None, var: Path,
            progress: Progress) -> RunDocument:  # fmt: skip
    """A checked document; the tiny model is made now if this host does not have it."""
    arguments, offload = {"llamacpp": LLAMACPP, "vllm": VLLM}[engine][label]
    common, version = _engine(engine)
    hardware = (
        next((slug for slug in hardware_slugs() if slug != "cpu"), "cpu") if engine == "vllm" else "cpu"
    )
    document = {
        "schema": "northstar.run/1",
        "label": label,
        "block": block,
        "recipe": {
            "roles": {"serve": {"hardware": hardware, "gpus": 1}},
            "engine": {"name": engine, "version": version},
            "model": {"name": NAME, "revision": ensure_tiny_model(var, progress).revision},
            "precision": "fp16",
            "kv_dtype": "fp16",
            "kv_offload": offload,
            "arguments": common | arguments,
        },
        "scenario": {
            "kind": "agentic",
            "corpus": CORPUS,
            "version": corpus_sha256(CORPUS),
            "context_cap": CONTEXT,
        },
        "loads": loads,
        # No shipped corpus is an AgentX data set, so the result is diagnostic whatever the window.
        "client": {"window_seconds": window, "unsafe_override": True},
    }
    return check_executable(RunDocument.model_validate(document))


def _engine(engine: str) -> tuple[dict[str, Any], str]:
    """Arguments shared by the recipes, and the version of the engine on this host."""
    if engine == "vllm":
        if has_nvidia_gpu():
            return {"max_model_len": CONTEXT}, vllm.CUDA_VERSION
        # Compiling the graph takes a CPU longer than a short run.
        return {"max_model_len": CONTEXT, "enforce_eager": True}, vllm.CPU_VERSION
    return {"parallel": 2, "context": CONTEXT}, llamacpp.VERSION

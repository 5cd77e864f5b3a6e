"""Run documents for a GPU host, declared before anything runs: what long sessions do to its KV cache.

Three questions, on random weights in the shape of Qwen3-1.7B: prefix caching off and on; the baseline against
itself (how far apart two equal recipes are); and a KV pool that lies between working sets, with the GPU alone
and with offload to host memory by two connectors of vLLM. Inside a block every arm has the same sessions
and the same seed, and the order of arms is drawn from the plan's seed.
"""

import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results.documents.run import RunDocument, check_executable
from workers.engines import vllm
from workers.environments import Progress
from workers.tiny_model import SHAPE, ensure_tiny_model
from workers.traces.corpora import corpus_sha256

CORPUS, CONTEXT = "recorded-100k", 102_400
#: Room for the chat template and for text that does not tokenize back to what it was made from.
MODEL_CONTEXT = 114_688
#: Fewer sequences at once mean fewer graphs to capture at start; no load comes near.
COMMON = {"max_model_len": MODEL_CONTEXT, "load_format": "dummy", "max_num_seqs": 64}
#: 28 layers x 2 x 8 heads x 128 x 2 bytes = 112 KiB a token, so about 295,000 tokens: four sessions of 70,000
#: tokens fit, eight do not.
CLIFF_POOL_GIB = 31.5
OFFLOAD_GIB = 64.0
OFF, ON, AGAIN = "no-prefix-cache", "prefix-cache", "prefix-cache-again"
GPU_ONLY, OFFLOADED, SIMPLE = "small-pool", "small-pool-host-tier", "small-pool-simple-tier"
_SMALL = {"enable_prefix_caching": True, "kv_cache_memory_gib": CLIFF_POOL_GIB}
_TIERED = _SMALL | {"kv_offloading_gib": OFFLOAD_GIB}

#: Label -> engine arguments, backend of KV offload.
ARMS: dict[str, tuple[dict[str, Any], str | None]] = {
    OFF: ({"enable_prefix_caching": False}, None),
    ON: ({"enable_prefix_caching": True}, None),
    AGAIN: ({"enable_prefix_caching": True}, None),
    GPU_ONLY: (_SMALL, None),
    OFFLOADED: (_TIERED, "vllm-native"),
    # The connector that vLLM pull request 37160 added.
    SIMPLE: (_TIERED, "vllm-simple"),
}


#: Recorded pauses are minutes long, and a window of seconds would hold little but pauses.
IDLE_GAP_CAP_SECONDS, GRACE_SECONDS = 2.0, 15.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Blocks and loads of each part; ``window`` in seconds, ``tier_loads`` of the other connector."""

    hardware: str
    window: int
    seed: int = 1
    blocks: int = 3
    loads: tuple[int, ...] = (2, 4, 8)
    again_loads: tuple[int, ...] = (4,)
    cliff_blocks: int = 1
    cliff_loads: tuple[int, ...] = (1, 2, 4, 8, 16)
    cliff_repeats: tuple[int, ...] = (4, 8)
    tier_loads: tuple[int, ...] = ()


def order(plan: Plan) -> Iterator[tuple[int, str, tuple[int, ...]]]:
    """Block, label and loads in the order of running; the cliff stands after the first caching block.

    A run that is cut short costs the end of the list, so every question has an answer early.
    """
    cliff = {GPU_ONLY: plan.cliff_loads, OFFLOADED: plan.cliff_loads, SIMPLE: plan.tier_loads}
    for block in range(1, max(plan.blocks, plan.cliff_blocks) + 1):
        if block <= plan.blocks:
            yield from _shuffled(plan, block, {OFF: plan.loads, ON: plan.loads, AGAIN: plan.again_loads})
        if block <= plan.cliff_blocks:
            yield from _shuffled(plan, block, cliff)
    # Where the cliff is, a second block.
    repeats = dict.fromkeys((GPU_ONLY, OFFLOADED), plan.cliff_repeats)
    yield from _shuffled(plan, plan.cliff_blocks + 1, repeats)


def _shuffled(
    plan: Plan, block: int, arms: dict[str, tuple[int, ...]]
) -> Iterator[tuple[int, str, tuple[int, ...]]]:
    """Arms that have loads, in an order drawn from the seed."""
    labels = sorted(label for label, loads in arms.items() if loads)
    random.Random(f"{plan.seed}/{block}/{labels[:1]}").shuffle(labels)  # noqa: S311
    for label in labels:
        yield block, label, arms[label]


def client_seed(plan: Plan, block: int) -> int:
    """The same for all arms of a block, another one per block."""
    digest = hashlib.sha256(f"{plan.seed}/{block}".encode()).digest()
    return int.from_bytes(digest[:4]) % 2**31


def documents(plan: Plan, var: Path, progress: Progress) -> Iterator[tuple[str, RunDocument]]:
    """File name and checked document of every run, in order; makes the model if it is missing."""
    revision = ensure_tiny_model(var, progress, SHAPE).revision
    version = corpus_sha256(CORPUS, [var / "corpora"])
    for number, (block, label, loads) in enumerate(order(plan), start=1):
        arguments, backend = ARMS[label]
        recipe = {
            "roles": {"serve": {"hardware": plan.hardware, "gpus": 1}},
            "engine": {"name": "vllm", "version": vllm.CUDA_VERSION},
            "model": {"name": SHAPE, "revision": revision},
            "precision": "bf16",
            "kv_dtype": "bf16",
            "kv_offload": _offload(backend),
            "arguments": COMMON | arguments,
        }
        document = {
            "label": label,
            "block": block,
            "recipe": recipe,
            "scenario": {"kind": "agentic", "corpus": CORPUS, "version": version, "context_cap": CONTEXT},
            "loads": list(loads),
            "client": {
                "window_seconds": plan.window,
                "seed": client_seed(plan, block),
                "unsafe_override": True,
                "idle_gap_cap_seconds": IDLE_GAP_CAP_SECONDS,
                "grace_seconds": GRACE_SECONDS,
            },
            "hard_limit_seconds": 3600,
        }
        yield (
            f"{number:03d}-block{block}-{label}.json",
            check_executable(RunDocument.model_validate(document)),
        )


def _offload(backend: str | None) -> dict[str, Any]:
    if backend is None:
        return {"mode": "none"}
    return {"mode": "dram", "backend": backend, "dram_gb": OFFLOAD_GIB * 2**30 / 1e9}


def write(plan: Plan, var: Path, out: Path, progress: Progress) -> list[Path]:
    """Write every document into the folder ``out``; their paths in the order of running."""
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, document in documents(plan, var, progress):
        paths.append(out / name)
        paths[-1].write_text(json.dumps(document.to_json(), indent=1) + "\n", encoding="utf-8")
    return paths

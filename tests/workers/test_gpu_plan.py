import json
from collections import defaultdict
from pathlib import Path

import pytest

from workers import gpu_plan
from workers.environments import quiet
from workers.gpu_plan import AGAIN, GPU_ONLY, OFF, OFFLOADED, ON, SIMPLE, Plan, client_seed, order
from workers.tiny_model import SHAPE, TinyModel


def test_blocks_are_interleaved_and_drawn_from_the_seed() -> None:
    plan = Plan("h200", 25)
    runs = list(order(plan))
    assert runs == list(order(plan))
    arms = defaultdict(list)
    for block, label, _loads in runs:
        arms[block].append(label)
    assert all(set(arms[block]) >= {OFF, ON, AGAIN} for block in (1, 2, 3))
    assert (
        sum(label == GPU_ONLY for _, label, _ in runs) == sum(label == OFFLOADED for _, label, _ in runs) == 2
    )
    orders = {tuple(label for _, label, _ in order(Plan("h200", 25, seed=seed))) for seed in range(20)}
    assert len(orders) > 5


def test_an_arm_without_loads_is_not_run() -> None:
    plan = Plan("h200", 25, again_loads=(), cliff_repeats=())
    assert AGAIN not in {label for _, label, _ in order(plan)}
    assert {block for block, label, _ in order(plan) if label == GPU_ONLY} == {1}


def test_the_cliff_can_be_planned_alone_with_both_connectors() -> None:
    plan = Plan("h200", 25, blocks=0, cliff_blocks=3, cliff_repeats=(), tier_loads=(4, 8))
    runs = sorted(order(plan))
    each = [(GPU_ONLY, plan.cliff_loads), (OFFLOADED, plan.cliff_loads), (SIMPLE, (4, 8))]
    assert runs == [(block, *arm) for block in (1, 2, 3) for arm in each]


def test_documents_are_executable_and_share_the_seed_of_their_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = TinyModel(tmp_path, "a" * 64)
    monkeypatch.setattr(gpu_plan, "ensure_tiny_model", lambda *_: model)
    corpus = tmp_path / "corpora" / gpu_plan.CORPUS
    corpus.mkdir(parents=True)
    (corpus / "trace_0001.json").write_text("{}")
    plan = Plan("h200", 25, tier_loads=(4, 8))
    paths = gpu_plan.write(plan, tmp_path, tmp_path / "out", quiet)
    assert [path.name for path in paths] == sorted(path.name for path in (tmp_path / "out").iterdir())
    documents = [json.loads(path.read_text()) for path in paths]
    for document in documents:
        assert document["client"]["seed"] == client_seed(plan, document["block"])
        assert document["recipe"]["model"] == {"name": SHAPE, "revision": model.revision}
    same = {json.dumps(item["recipe"]) for item in documents if item["label"] in (ON, AGAIN)}
    assert len(same) == 1
    offloaded = next(item["recipe"] for item in documents if item["label"] == OFFLOADED)
    assert offloaded["kv_offload"]["mode"] == "dram"
    assert offloaded["arguments"]["kv_cache_memory_gib"] == gpu_plan.CLIFF_POOL_GIB
    other = next(item["recipe"] for item in documents if item["label"] == SIMPLE)
    assert other["arguments"] == offloaded["arguments"]
    assert (offloaded["kv_offload"]["backend"], other["kv_offload"]["backend"]) == (
        "vllm-native",
        "vllm-simple",
    )

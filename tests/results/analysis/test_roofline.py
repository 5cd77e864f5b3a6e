"""Shares of the physical limit, against numbers computed by hand."""

import math
from typing import Any

import pytest

from results.analysis.ceilings import ceiling_of, link_shares
from results.analysis.request_columns import request_columns
from results.analysis.requests import parse_records
from results.analysis.roofline import kv_bytes_per_token, shares_of_limit
from results.documents.shapes import ModelShape
from results.queries.shapes import shipped_shapes
from tests.results.analysis.records import line

RECIPE: dict[str, Any] = {
    "roles": {"serve": {"gpus": 1, "workers": 1, "dp_attention": False}},
    "precision": "bf16", "kv_dtype": "bf16", "speculative": None, "arguments": {},
}  # fmt: skip
#: 2 layers, hidden 8, 2 query heads and 1 key-value head of 4, feed-forward 16, vocabulary 10.
SHAPE = ModelShape(
    model="m",
    layers=2,
    hidden=8,
    intermediate=16,
    heads=2,
    kv_heads=1,
    head_size=4,
    vocabulary=10,
    source="s",
)
PROBE = {
    "ceilings": [
        {
            "gpu": gpu,
            "device_copy": {"unit": "B/s", "median": 40_000.0 + gpu},
            "bf16_matrix": {"unit": "FLOP/s", "median": 500_000.0 - gpu},
            "host_to_device_pinned": [
                {"unit": "B/s", "median": 90.0, "bytes": 1},
                {"unit": "B/s", "median": 100.0 - 10 * gpu, "bytes": 2},
            ],
        }
        for gpu in (0, 1)
    ]
}
VALUES = {
    "itl_p50": 0.5, "requests_running_mean": 3.0, "input_tokens_mean": 100.0, "output_tokens_mean": 20.0,
    "duration": 4.0, "kv_offload_bandwidth_in": 45.0,
}  # fmt: skip


def requests(*pairs: tuple[int, int]) -> Any:
    """Prompt and cached tokens of requests."""
    lines = [
        line(metrics={
            "usage_prompt_tokens": {"value": prompt, "unit": "tokens"},
            "usage_prompt_cache_read_tokens": {"value": cached, "unit": "tokens"},
        }).encode()
        for prompt, cached in pairs
    ]  # fmt: skip
    return request_columns(list(parse_records(lines)))


def test_shares_are_those_computed_by_hand() -> None:
    found = {
        one.key: one for one in shares_of_limit(VALUES, RECIPE, requests((100, 60), (10, 0)), PROBE, SHAPE)
    }
    # Link: the slower GPU's best size is 90 B/s.
    assert found["kv_offload_bandwidth_in"].share == 45 / 90
    # Layer: q 8*8, k and v 8*4 each, o 8*8 = 192; feed-forward 3*8*16 = 384; two layers 1,152.
    # Step: 2 bytes * (1,152 + output layer 10*8) = 2,464. KV: 2*2 layers*1 head*4*2 bytes = 32 per token.
    # Three requests of 100 + 20/2 tokens: 3*110*32 = 10,560 bytes. (2,464 + 10,560) / 0.5 s = 26,048 B/s.
    assert (found["decode"].value, found["decode"].ceiling) == (26_048, 40_000)
    # Prefill: 2*1,152*(40 + 10) = 115,200; attention 4*2*2*4 = 64 per position: (100^2 - 60^2)/2 + 10^2/2 =
    # 3,250 positions * 64 = 208,000. 323,200 FLOP / 4 s = 80,800 FLOP/s against the slower GPU.
    assert (found["prefill"].value, found["prefill"].ceiling) == (80_800, 499_999)
    assert {term.name: term.value for term in found["prefill"].terms}["computed"] == 50


def test_nothing_is_guessed() -> None:
    work = requests((100, 60))
    links = {"kv_offload_bandwidth_in"}

    def keys(values: Any = VALUES, recipe: Any = RECIPE, probe: Any = PROBE, shape: Any = SHAPE) -> set[str]:
        return {one.key for one in shares_of_limit(values, recipe, work, probe, shape)}

    assert keys() == links | {"decode", "prefill"}
    assert keys(shape=None) == links
    assert keys(probe={}) == set()
    assert keys(probe={"ceilings": [{"device_copy": {"median": "fast"}}, 3, {"bf16_matrix": None}]}) == set()
    for odd in (
        {"precision": "fp4"},
        {"speculative": {"method": "mtp"}},
        {"roles": {"prefill": {"gpus": 1}, "decode": {"gpus": 1}}},
        {"roles": {"serve": {"gpus": 2, "workers": 2}}},
    ):
        assert keys(recipe=RECIPE | odd) == links
    assert keys(recipe=RECIPE | {"kv_dtype": None}) == links | {"prefill"}
    for name in ("itl_p50", "requests_running_mean", "input_tokens_mean"):
        assert "decode" not in keys({key: value for key, value in VALUES.items() if key != name})
    unknown = requests()
    assert {one.key for one in shares_of_limit(VALUES, RECIPE, unknown, PROBE, SHAPE)} == links | {"decode"}
    assert list(link_shares({}, PROBE, 1)) == []
    assert ceiling_of({"ceilings": [{"device_copy": {"median": math.inf}}]}, "device_copy") is None


def test_kv_bytes_come_from_the_shape_or_from_the_pool_of_the_run() -> None:
    pool = {"kv_cache_memory_gib": 31.5, "tensor_parallel_size": 1}
    values = {"kv_cache_pool_tokens": 294_912.0}
    shape = shipped_shapes()["qwen3-1.7b-random"]
    # 2 * 28 layers * 8 heads * 128 * 2 bytes; the run: 31.5 * 2^30 / 294,912.
    assert kv_bytes_per_token({}, RECIPE, shape) == 114_688
    assert kv_bytes_per_token(values, RECIPE | {"arguments": pool}, None) == 114_688
    assert kv_bytes_per_token(values, RECIPE, None) is None
    # 28 * (2048*128*(32 + 16) + 3*2048*6144) + 151,936*2048, two bytes each.
    assert shape.step_bytes("bf16") == pytest.approx(3_440_902_144)

"""A small session with every field of the format."""

import json
from typing import Any

import pytest

from workers.traces.reading import parse_trace
from workers.traces.weka import Trace


@pytest.fixture
def document() -> dict[str, Any]:
    """Blocks of 4 tokens: root turns before and after a sub-agent, then one that is compacted."""
    return session()


@pytest.fixture
def trace(document: dict[str, Any]) -> Trace:
    return parse_trace(json.dumps(document).encode(), "trace_0001.json")


def session() -> dict[str, Any]:
    return {
        "id": "s-1",
        "models": ["root"],
        "block_size": 4,
        "hash_id_scope": "local",
        "tool_tokens": 3,
        "system_tokens": 2,
        "requests": [
            request(t=0.0, tokens=8, ids=[1, 2], stop="tool_use", output=5),
            {
                "t": 1.5,
                "type": "subagent",
                "agent_id": "agent_001",
                "subagent_type": "Explore",
                "duration_ms": 2000,
                "total_tokens": 14,
                "tool_use_count": 1,
                "status": "completed",
                "requests": [
                    request(t=1.5, tokens=4, ids=[9], stop="tool_use"),
                    request(t=2.5, tokens=10, ids=[9, 10]),
                ],
                "models": ["sub"],
                "tool_tokens": 2,
                "system_tokens": 1,
            },
            request(t=4.0, tokens=15, ids=[1, 2, 3, 4], stop="end_turn", type="s", ttft=0.1),
            request(t=9.0, tokens=12, ids=[1, 2, 7], stop="end_turn"),
        ],
        "totals": {
            "parent_tokens": {"input": 35, "output": 9},
            "subagent_tokens": {"input": 14, "output": 4},
            "combined_tokens": {"input": 49, "output": 13},
            "subagent_count": 1,
        },
    }


def request(*, t: float, tokens: int, ids: list[int], output: int = 2, **more: Any) -> dict[str, Any]:
    return {
        "t": t,
        "type": "n",
        "model": "m",
        "in": tokens,
        "out": output,
        "hash_ids": ids,
        "input_types": ["text"],
        "output_types": ["text"],
        "stop": "",
        "api_time": 0.5,
        "think_time": 0.25,
        **more,
    }

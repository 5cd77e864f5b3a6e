"""Summaries against counts made by hand and by another algorithm."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workers.traces.conftest import request
from workers.traces.summary import all_requests, growth, hit_blocks, prefix_hit_rate, summarize
from workers.traces.weka import Request, Trace


def test_summary_of_the_small_session(trace: Trace) -> None:
    summary = summarize(trace)
    assert (summary.turns, summary.subagents, summary.requests) == (3, 1, 5)
    assert (summary.first_input, summary.last_input, summary.peak_context) == (8, 12, 17)
    assert (summary.input_tokens, summary.output_tokens) == (49, 13)
    # Blocks: [1 2], [9], [9 10], [1 2 3 4], [1 2 7]; seen before: 0, 0, 1, 2, 2.
    assert (summary.blocks, summary.hit_blocks) == (12, 5)
    assert summary.seconds == 9.5
    assert prefix_hit_rate([trace]) == summary.prefix_hit_rate == pytest.approx(5 / 12)


def test_growth_is_between_turns_of_one_conversation(trace: Trace) -> None:
    assert growth(trace.root) == [7, -3]


def test_relative_times_are_counted_from_the_marker(trace: Trace) -> None:
    agent = trace.subagents[0]
    moved = [r.model_copy(update={"t": r.t - agent.t}) for r in agent.requests]
    relative = agent.model_copy(update={"requests": moved})
    assert relative.relative and not agent.relative
    entries = [relative if entry is agent else entry for entry in trace.requests]
    recorded = trace.model_copy(update={"requests": entries})
    assert [r.input_tokens for r in all_requests(recorded)] == [r.input_tokens for r in all_requests(trace)]


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=8))
def test_hit_blocks_agree_with_the_definition(prompts: list[list[int]]) -> None:
    requests = [Request.model_validate(request(t=0.0, tokens=4 * len(ids), ids=ids)) for ids in prompts]
    for index, (ids, hits) in enumerate(zip(prompts, hit_blocks(requests), strict=True)):
        before = {block for earlier in prompts[:index] for block in earlier}
        assert set(ids[:hits]) <= before
        assert hits == len(ids) or ids[hits] not in before


def test_rate_without_blocks_is_absent(trace: Trace) -> None:
    empty = trace.model_copy(update={"requests": [trace.root[0].model_copy(update={"hash_ids": []})]})
    assert prefix_hit_rate([empty]) is None
    assert summarize(empty).prefix_hit_rate is None

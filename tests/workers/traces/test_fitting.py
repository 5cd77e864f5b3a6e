"""Sessions made to fit a context."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workers.traces.conftest import session
from workers.traces.errors import FitError
from workers.traces.fitting import absolute, fit_to_context, scale, truncate
from workers.traces.reading import parse_trace
from workers.traces.shipped import CPU_8K
from workers.traces.summary import prefix_hit_rate, summarize
from workers.traces.synthetic import generate
from workers.traces.weka import Trace

GENERATED = next(iter(generate(CPU_8K)))


def reread(trace: Trace) -> Trace:
    """The trace as the strict reader sees it; raises when a rule is broken."""
    return parse_trace(json.dumps(trace.to_json()).encode(), trace.id)


def test_session_that_fits_is_left_alone(trace: Trace) -> None:
    assert fit_to_context(trace, 17) == trace


def test_truncation_ends_at_the_last_turn_that_fits(trace: Trace) -> None:
    cut = reread(truncate(trace, 16))
    assert [r.input_tokens for r in cut.root] == [8]
    assert [len(agent.requests) for agent in cut.subagents] == [2]
    assert cut.id == "s-1-cut"
    assert cut.totals is not None and cut.totals.parent_tokens is not None
    assert cut.totals.parent_tokens.input == 8


def test_truncation_shortens_a_subagent_that_grows_too_long(trace: Trace) -> None:
    short = trace.model_copy(update={"requests": trace.requests[:2]})
    root = short.root[0].model_copy(update={"input_tokens": 4, "hash_ids": [1], "output_tokens": 1})
    cut = truncate(short.model_copy(update={"requests": [root, short.requests[1]]}), 6)
    (agent,) = cut.subagents
    assert [r.input_tokens for r in agent.requests] == [4]
    assert (agent.duration_ms, agent.total_tokens, agent.tool_use_count) == (500, None, None)


def test_first_turn_over_the_cap_cannot_be_cut_but_scaled(trace: Trace) -> None:
    with pytest.raises(FitError, match="the first turn needs more than 9 tokens"):
        truncate(trace, 9)
    assert fit_to_context(trace, 9).id == "s-1-scaled"


def test_cap_of_less_than_a_block_fits_nothing(trace: Trace) -> None:
    with pytest.raises(FitError, match="cannot hold a block of 4"):
        scale(trace, 5)


@settings(deadline=None, max_examples=30)
@given(st.integers(200, 9_000))
def test_fitted_session_obeys_every_rule_and_the_cap(cap: int) -> None:
    fitted = reread(fit_to_context(GENERATED, cap))
    assert summarize(fitted).peak_context <= cap
    assert summarize(fitted).turns >= 3


@settings(deadline=None, max_examples=30)
@given(st.integers(600, 7_000))
def test_scaling_keeps_turns_and_about_the_hit_rate(cap: int) -> None:
    scaled = scale(GENERATED, cap)
    assert summarize(scaled).requests == summarize(GENERATED).requests
    before, after = prefix_hit_rate([GENERATED]), prefix_hit_rate([scaled])
    assert before is not None and after is not None
    assert after == pytest.approx(before, abs=0.08)


def test_relative_times_become_absolute() -> None:
    document = session()
    for request in document["requests"][1]["requests"]:
        request["t"] -= 1.5
    trace = absolute(parse_trace(json.dumps(document).encode(), "raw"))
    assert [r.t for r in trace.subagents[0].requests] == [1.5, 2.5]
    assert absolute(trace) == trace

"""The generator: every trace obeys the format and its plan, and the same plan gives the same bytes."""

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.traces.plan import Plan, PlanError
from workers.traces.reading import parse_trace
from workers.traces.shipped import CPU_8K, FULL_SIZE, PLANS
from workers.traces.summary import all_requests, growth
from workers.traces.synthetic import generate
from workers.traces.weka import Request, SubAgent, Trace
from workers.traces.writing import encode

plans = st.builds(
    replace,
    st.just(CPU_8K),
    seed=st.integers(0, 2**63 - 1),
    sessions=st.integers(1, 3),
    block_size=st.sampled_from([16, 32, 64]),
    context_cap=st.integers(6_000, 40_000),
    length_scale=st.fractions(Fraction(1, 40), Fraction(1, 16)),
    turn_scale=st.fractions(Fraction(1, 20), Fraction(1, 4)),
    time_scale=st.fractions(Fraction(1, 1_000), Fraction(1, 2)),
    bursts_per_turn=st.fractions(0, Fraction(1, 4)),
)


@settings(deadline=None, max_examples=40)
@given(plans)
def test_traces_obey_the_format_and_the_plan(plan: Plan) -> None:
    traces = list(generate(plan))
    assert len({trace.id for trace in traces}) == plan.sessions
    for trace in traces:
        assert parse_trace(encode(trace), trace.id) == trace
        for request in all_requests(trace):
            assert request.context <= plan.limit
            assert plan.answer[0] <= request.output_tokens <= plan.answer[1]
            assert request.input_tokens == len(request.hash_ids) * plan.block_size
            assert len(set(request.hash_ids)) == len(request.hash_ids)


@settings(deadline=None, max_examples=40)
@given(plans)
def test_times_are_those_of_a_closed_loop(plan: Plan) -> None:
    low = float(plan.idle[0])
    for trace in generate(plan):
        for conversation in (trace.root, *(agent.requests for agent in trace.subagents)):
            for before, after in pairwise(conversation):
                assert after.think_time == pytest.approx(after.t - before.end)
                assert after.think_time is not None and after.think_time >= low
        _parents_wait(trace)


def _parents_wait(trace: Trace) -> None:
    """A sub-agent starts after the answer of its parent, and the next turn of the parent after its end."""
    last: Request | None = None
    open_agents: list[SubAgent] = []
    for entry in trace.requests:
        if isinstance(entry, SubAgent):
            assert last is not None and entry.t >= last.end
            assert entry.requests[0].t == entry.t and not entry.relative
            open_agents.append(entry)
        else:
            assert all(entry.t >= agent.requests[-1].end for agent in open_agents)
            last, open_agents = entry, []


@settings(deadline=None, max_examples=20)
@given(plans)
def test_a_conversation_never_loses_its_fixed_prefix(plan: Plan) -> None:
    for trace in generate(plan):
        fixed = (trace.tool_tokens + trace.system_tokens) // plan.block_size
        assert {tuple(request.hash_ids[:fixed]) for request in trace.root} == {tuple(range(1, fixed + 1))}
        agents = trace.subagents
        shared = {
            tuple(a.requests[0].hash_ids[: (a.tool_tokens + a.system_tokens) // plan.block_size])
            for a in agents
        }
        assert len(shared) <= 1, "sub-agents of a session share their tools"


def test_prompts_shrink_when_the_context_is_full() -> None:
    small = replace(CPU_8K, context_cap=4_096, answer=(8, 30))
    changes = [change for trace in generate(small) for change in growth(trace.root)]
    assert min(changes) < 0
    assert sum(change < 0 for change in changes) > sum(
        change < 0 for trace in generate(replace(small, context_cap=65_536)) for change in growth(trace.root)
    )


def test_same_plan_same_traces_and_another_seed_others() -> None:
    few = replace(CPU_8K, sessions=2)
    assert list(generate(few)) == list(generate(few))
    assert list(generate(few)) != list(generate(replace(few, seed=few.seed + 1)))


def test_bytes_do_not_depend_on_the_process() -> None:
    code = (
        "import sys; from dataclasses import replace; from workers.traces.shipped import CPU_8K;"
        "from workers.traces.synthetic import generate; from workers.traces.writing import encode;"
        "[sys.stdout.buffer.write(encode(t)) for t in generate(replace(CPU_8K, sessions=2))]"
    )
    here = b"".join(encode(trace) for trace in generate(replace(CPU_8K, sessions=2)))
    for seed in ("1", "2"):
        shown = subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        )
        assert shown.stdout == here


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"slug": "../up"}, "slug"),
        ({"slug": ""}, "slug"),
        ({"seed": -1}, "seed"),
        ({"sessions": 0}, "sessions"),
        ({"context_cap": 1}, "context_cap"),
        ({"block_size": 0}, "block_size"),
        ({"length_scale": Fraction(2)}, "length_scale"),
        ({"turn_scale": Fraction(0)}, "turn_scale"),
        ({"time_scale": Fraction(0)}, "time_scale"),
        ({"headroom": Fraction(1)}, "headroom"),
        ({"bursts_per_turn": Fraction(-1)}, "bursts_per_turn"),
        ({"idle": (Fraction(2), Fraction(1))}, "idle"),
        ({"answer": (-1, 1)}, "answer"),
        ({"length_scale": Fraction(1)}, "length_scale"),
    ],
)
def test_plan_that_cannot_be_is_refused(change: dict[str, object], field: str) -> None:
    with pytest.raises(PlanError, match=f"^{field}: "):
        replace(CPU_8K, **change)  # type: ignore[arg-type]


def test_plans_are_plain_json() -> None:
    for plan in (*PLANS.values(), FULL_SIZE):
        assert json.loads(json.dumps(plan.to_json())) == plan.to_json()

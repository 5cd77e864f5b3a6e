"""Recorded sessions of kv-cache-tester, where a copy lies beside the project."""

from pathlib import Path

import pytest

from tests.workers.traces.test_fitting import reread
from workers.traces.fitting import absolute, fit_to_context
from workers.traces.reading import load_traces
from workers.traces.summary import prefix_hit_rate, summarize
from workers.traces.weka import Trace

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "traces" / "kv_cache_tester"


@pytest.fixture(scope="module")
def recorded() -> list[Trace]:
    if not FOLDER.is_dir():
        pytest.skip("no recorded sessions beside the project")
    return load_traces(FOLDER)


def test_every_recorded_session_obeys_every_rule(recorded: list[Trace]) -> None:
    assert len(recorded) >= 20
    assert 0.85 < (prefix_hit_rate(recorded) or 0.0) < 0.99


def test_recorded_subagents_have_relative_times(recorded: list[Trace]) -> None:
    agents = [agent for trace in recorded for agent in trace.subagents]
    assert agents and all(agent.relative for agent in agents)
    for trace in recorded:
        assert not any(agent.relative for agent in absolute(trace).subagents)
        assert summarize(absolute(trace)).hit_blocks == summarize(trace).hit_blocks


@pytest.mark.parametrize("cap", [4_096, 8_192, 32_768, 131_072])
def test_recorded_sessions_fit_a_small_context(recorded: list[Trace], cap: int) -> None:
    fitted = [reread(fit_to_context(trace, cap)) for trace in recorded]
    assert all(summarize(trace).peak_context <= cap for trace in fitted)
    assert all(summarize(trace).turns >= 3 for trace in fitted)
    assert (prefix_hit_rate(fitted) or 0.0) == pytest.approx(prefix_hit_rate(recorded) or 0.0, abs=0.05)

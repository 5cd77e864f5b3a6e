"""Recorded agent sessions, fitted to the tiny model's context, replayed by AIPerf on llama.cpp."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.system.attempts import RunningAttempt, workers
from tests.system.processes import ROOT
from workers.traces.corpora import SHIPPED, folder_sha256
from workers.traces.fitting import fit_to_context
from workers.traces.reading import load_traces
from workers.traces.summary import prefix_hit_rate
from workers.traces.weka import Trace
from workers.traces.writing import write_traces

pytestmark = [pytest.mark.system, pytest.mark.minutes]
CONTEXT = 8192
#: Real sessions, if somebody has put them beside the repository; else the shipped ones, fitted the same way.
RECORDED = ROOT.parent / "shared" / "data" / "traces" / "kv_cache_tester"
SESSIONS = 12


def sessions() -> list[Trace]:
    traces = load_traces(RECORDED if RECORDED.is_dir() else SHIPPED / "cpu-8k")
    return [fit_to_context(trace, CONTEXT) for trace in traces[:SESSIONS]]


def records(attempt: RunningAttempt) -> list[dict[str, Any]]:
    lines = (attempt.bundle / "loads/c0002/profile_export.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_recorded_sessions_are_replayed(tmp_path: Path) -> None:
    var = tmp_path / "var"
    workers("model", var=ROOT / "var")
    var.mkdir()
    (var / "models").symlink_to(ROOT / "var" / "models")
    traces = sessions()
    folder = write_traces(traces, var / "corpora" / "recorded-8k")
    document = json.loads(
        workers("example", "--label", "prefix-cache-host-tier", "--loads", "2", "--window", "8", var=var)
    )
    document["scenario"] = {
        "kind": "agentic", "corpus": "recorded-8k", "version": folder_sha256(folder), "context_cap": CONTEXT,
    }  # fmt: skip
    # The people of these sessions paused for minutes; a short window needs short pauses.
    document["client"]["idle_gap_cap_seconds"] = 1.0
    attempt = RunningAttempt(tmp_path, document, var)
    assert attempt.end() == 0, attempt.events[-1]
    metrics = [record["metrics"] for record in records(attempt) if not record.get("error")]
    assert len(metrics) >= 3
    assert all(metric["usage_prompt_tokens"]["value"] <= CONTEXT for metric in metrics)
    # Sessions reuse their own prefixes, so an engine with a prefix cache must show it.
    assert (prefix_hit_rate(traces) or 0) > 0.3
    assert sum(metric["usage_prompt_cache_read_tokens"]["value"] for metric in metrics) > 0

    summary = json.loads((attempt.bundle / "loads/c0002/profile_export_aiperf.json").read_text())
    # No data set of AgentX and no full window: AIPerf itself says that this is no submission.
    assert summary["metadata"]["submission_valid"] is False
    assert "unsafe_override" in json.dumps(summary["metadata"])

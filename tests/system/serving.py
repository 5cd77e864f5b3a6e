"""A real engine, started as the supervisor starts it, and a client that asks it like anyone would."""

import json
import os
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from results.documents.recipe import Recipe
from tests.factories import run_json
from tests.system.processes import ROOT
from workers import direct
from workers.engines import make_engine
from workers.engines.health import wait_healthy
from workers.environments import quiet
from workers.launchers.process import ManagedProcess, free_port, group_members
from workers.telemetry.prometheus import parse
from workers.tiny_model import ensure_tiny_model

VAR = ROOT / "var"


@dataclass(frozen=True)
class Answer:
    """One streamed completion; ``cached`` is how many prompt tokens came out of a cache."""

    text: str
    prompt: int
    cached: int
    completion: int
    finish: str


@dataclass(frozen=True)
class Server:
    url: str
    model: str
    process: ManagedProcess
    seconds_to_healthy: float

    def get(self, path: str) -> Any:
        return json.loads(direct.get(self.url + path, timeout=60))

    def post(self, path: str, body: dict[str, Any]) -> Any:
        with self._open(path, body) as response:
            return json.loads(response.read())

    def metrics(self) -> dict[str, float]:
        """Samples by name, label sets added up."""
        totals: dict[str, float] = {}
        for name, value in parse(direct.get(f"{self.url}/metrics", timeout=60).decode()).items():
            base = name.partition("{")[0]
            totals[base] = totals.get(base, 0.0) + value
        return totals

    def chat(self, content: str, tokens: int = 16) -> Answer:
        """Streams one answer of exactly ``tokens`` tokens, whatever the model says."""
        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": tokens,
            "ignore_eos": True,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        with self._open("/v1/chat/completions", body) as response:
            lines = [line.decode().strip() for line in response]
        assert lines[-2:] == ["data: [DONE]", ""]
        chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
        return _answer(chunks)

    def _open(self, path: str, body: dict[str, Any]) -> Any:
        request = urllib.request.Request(  # noqa: S310 - our own server
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        return urllib.request.urlopen(request, timeout=120)  # noqa: S310 - our own server


def _answer(chunks: list[dict[str, Any]]) -> Answer:
    choices = [chunk["choices"][0] for chunk in chunks if chunk["choices"]]
    usage = next(chunk["usage"] for chunk in reversed(chunks) if chunk.get("usage"))
    details = usage.get("prompt_tokens_details") or {}
    return Answer(
        text="".join(choice["delta"].get("content") or "" for choice in choices),
        prompt=usage["prompt_tokens"],
        cached=details.get("cached_tokens") or 0,
        completion=usage["completion_tokens"],
        finish=choices[-1]["finish_reason"],
    )


def recipe(engine: str, version: str, **arguments: Any) -> Recipe:
    tier = {"mode": "dram", "backend": "llamacpp-cache-ram"}
    offload = tier if arguments.get("cache_ram_mib") else {"mode": "none"}
    changes = {
        "engine": {"name": engine, "version": version},
        "model": {"name": "northstar-tiny", "revision": ensure_tiny_model(VAR).revision},
        "kv_offload": offload,
        "arguments": arguments,
    }
    return Recipe.model_validate({**run_json()["recipe"], **changes})


@contextmanager
def shared_environments() -> Iterator[None]:
    """Environments are provisioned once for all tests: in NORTHSTAR_TEST_ENVS, or in the repository's var."""
    with pytest.MonkeyPatch.context() as patch:
        chosen = os.environ.get("NORTHSTAR_TEST_ENVS") or os.environ.get("NORTHSTAR_ENVS")
        patch.setenv("NORTHSTAR_ENVS", chosen or str(VAR / "envs"))
        yield


@contextmanager
def serving(folder: Path, recipe: Recipe) -> Iterator[Server]:
    """The engine of ``recipe`` while it serves; afterwards none of its processes is left."""
    engine = make_engine(recipe, VAR)
    engine.prepare(quiet)
    port = free_port()
    launch = engine.launch(port)
    assert launch is not None
    process = ManagedProcess(
        launch.argv, log=folder / "server.log", environment=launch.environment, cwd=folder
    )
    try:
        url = engine.base_url(port)
        seconds = wait_healthy(url + engine.health_path(), process, check=lambda: None, limit=400)
        yield Server(url, engine.served_model, process, seconds)
    finally:
        clean = process.stop()
    assert clean
    assert group_members(process.pid) == []

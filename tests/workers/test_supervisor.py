"""The fault matrix of one attempt, on real processes with stand-ins for engine and client."""

import errno
import json
import shutil
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from results.documents.failures import FailureClass
from results.documents.recipe import Recipe
from results.documents.run import RunDocument
from tests.factories import run_json
from workers import supervisor as supervisor_module
from workers.bundle import Bundle
from workers.cancellation import Stop
from workers.engines.base import Launch
from workers.environments import Environment, Progress
from workers.launchers.process import free_port, group_members
from workers.outcome import Outcome
from workers.supervisor import Supervisor
from workers.traces.corpora import corpus_path

FAKES = Path(__file__).parent / "fakes"


class FakeEngine:
    served_model = "fake"

    def __init__(self, behaviour: str, tokenizer: Path) -> None:
        self._behaviour = behaviour
        self._tokenizer = tokenizer

    def prepare(self, progress: Progress) -> None:
        progress("fake: nothing to install", 1.0)

    def launch(self, port: int) -> Launch:
        argv = [sys.executable, str(FAKES / "server.py"), str(port), self._behaviour]
        return Launch(argv, {"CHOOSES_A_CONNECTOR": "1"})

    def base_url(self, port: int) -> str:
        return f"http://127.0.0.1:{port}"

    def health_path(self) -> str:
        return "/health"

    def tokenizer(self) -> Path:
        return self._tokenizer

    def versions(self) -> dict[str, str]:
        return {"engine": "0"}


class Stage:
    """One attempt with everything it needs; ``events`` collects what it said."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = tmp_path
        self.events: list[Mapping[str, Any]] = []
        self.on_event: Callable[[Mapping[str, Any]], None] = lambda event: None
        self.port = free_port()
        self.document = RunDocument.model_validate(run_json(loads=[1], hard_limit_seconds=60))
        self.stop = Stop(60)
        self.supervisor: Supervisor | None = None
        self._environment = Environment("aiperf", tmp_path / "env")
        monkeypatch.setattr("workers.supervisor.environments.ensure", lambda *_: self._environment)

    def execute(self, engine: str = "works", client: str = "works") -> Outcome:
        self._install_client(client)
        tokenizer = self.path / "tokenizer"
        tokenizer.mkdir()
        (tokenizer / "tokenizer.json").write_text("{}")

        def factory(_recipe: Recipe, _var: Path) -> FakeEngine:
            return FakeEngine(engine, tokenizer)

        self.supervisor = Supervisor(
            document=self.document, bundle=Bundle(self.path / "out"), var=self.path / "var", run_id="r",
            attempt=2, emit=self._collect, stop=self.stop, engine_factory=factory, port=self.port,
        )  # fmt: skip
        return self.supervisor.execute()

    def _collect(self, event: Mapping[str, Any]) -> None:
        self.events.append(event)
        self.on_event(event)

    def _install_client(self, behaviour: str) -> None:
        script = self._environment.script("aiperf")
        script.parent.mkdir(parents=True)
        script.write_text(f"#!{sys.executable}\n" + (FAKES / "client.py").read_text())
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        (script.parent / "behaviour").write_text(behaviour)

    def read(self, name: str) -> Any:
        return json.loads((self.path / "out" / name).read_text())

    @property
    def groups(self) -> list[int]:
        process = self.supervisor._process if self.supervisor else None
        return group_members(process.pid) if process else []


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


def assert_evidence(stage: Stage, outcome: Outcome) -> None:
    """Whatever happened: attempt.json says it, the manifest lists every file, nothing runs."""
    attempt = stage.read("attempt.json")
    assert (attempt["outcome"], attempt["attempt"]) == (outcome.name, 2)
    listed = {entry["path"] for entry in stage.read("MANIFEST.json")["files"]}
    there = {str(path.relative_to(stage.path / "out")) for path in (stage.path / "out").rglob("*.*")}
    assert listed == {name for name in there if (stage.path / "out" / name).is_file()} - {"MANIFEST.json"}
    assert stage.groups == []
    assert stage.events[-1]["event"] == "end"


def test_an_attempt_that_succeeds(stage: Stage) -> None:
    outcome = stage.execute()
    assert outcome == Outcome("succeeded")
    phases = [event["phase"] for event in stage.events if event["event"] == "phase"]
    assert phases == [
        "prepare", "traces", "engine", "healthy", "warmup", "profile", "teardown", "aggregate"
    ]  # fmt: skip
    assert {"event": "load", "load": 1, "path": "loads/c0001"} in stage.events
    assert stage.read("loads/c0001/load.json")["returncode"] == 0
    assert stage.read("attempt.json")["environment"] == {"CHOOSES_A_CONNECTOR": "1"}
    assert (stage.path / "out/loads/c0001/telemetry.jsonl").read_text().startswith('{"at": ')
    assert_evidence(stage, outcome)


@pytest.mark.parametrize(
    ("engine", "client", "failure", "line"),
    [
        ("dies_at_start", "works", FailureClass.SERVER_START, "RuntimeError: failed to load model"),
        ("dies_later", "hangs", FailureClass.ENGINE_DIED, "exit code 9): error: out of memory in slot 1"),
        (
            "works",
            "warmup_fails",
            FailureClass.WARMUP,
            "404 Not Found: no such model (1 of 1 requests); Terminal",
        ),
        ("works", "crashes", FailureClass.CLIENT, "--failed-request-threshold exceeded: 3/10"),
        ("works", "leaves_nothing", FailureClass.RESULT_MISSING, "profile_export.jsonl"),
    ],
)
def test_failures_have_a_class_and_a_causal_line(
    stage: Stage, engine: str, client: str, failure: FailureClass, line: str
) -> None:
    outcome = stage.execute(engine, client)
    assert outcome.name == "failed"
    assert outcome.failure is not None
    assert outcome.failure.failure == failure
    assert line in outcome.failure.line
    assert_evidence(stage, outcome)


def test_a_taken_port_is_named(stage: Stage) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", stage.port))
        other.listen()
        outcome = stage.execute()
    assert outcome.failure is not None
    assert outcome.failure.failure == FailureClass.PORT_IN_USE
    assert outcome.failure.line == f"port {stage.port} is in use"
    assert_evidence(stage, outcome)


def test_a_broken_trace_is_named_by_file_and_field(stage: Stage) -> None:
    folder = stage.path / "var" / "corpora" / "broken"
    shutil.copytree(corpus_path("cpu-8k"), folder)
    trace = sorted(folder.iterdir())[0]
    document = json.loads(trace.read_text())
    document["requests"][0]["in"] = -1
    trace.write_text(json.dumps(document))
    stage.document = RunDocument.model_validate(
        run_json(loads=[1], scenario={"kind": "agentic", "corpus": "broken"})
    )
    outcome = stage.execute()
    assert outcome.failure is not None
    assert outcome.failure.failure == FailureClass.TRACES
    assert trace.name in outcome.failure.line
    assert "/requests/0/in" in outcome.failure.line
    assert_evidence(stage, outcome)


def test_an_unknown_corpus_version_is_refused(stage: Stage) -> None:
    scenario = {"kind": "agentic", "corpus": "cpu-8k", "version": "0" * 64}
    stage.document = RunDocument.model_validate(run_json(loads=[1], scenario=scenario))
    outcome = stage.execute()
    assert outcome.failure is not None
    assert outcome.failure.line.startswith("/scenario: version: this host has version")


@pytest.mark.parametrize("phase", ["prepare", "traces", "engine", "healthy", "warmup", "profile"])
def test_cancel_in_each_phase(stage: Stage, phase: str) -> None:
    def cancel(event: Mapping[str, Any]) -> None:
        if event.get("phase") == phase:
            stage.stop.request()

    stage.on_event = cancel
    outcome = stage.execute(client="hangs")
    assert outcome.name == "cancelled"
    assert outcome.failure is not None
    assert outcome.failure.failure == FailureClass.CANCELLED
    assert_evidence(stage, outcome)


def test_a_lost_worker_is_told_from_a_cancel(stage: Stage) -> None:
    threading.Timer(2.0, stage.stop.request, (FailureClass.WORKER_LOST,)).start()
    outcome = stage.execute(client="hangs")
    assert outcome.failure is not None
    assert outcome.failure.failure == FailureClass.WORKER_LOST
    assert_evidence(stage, outcome)


def test_the_hard_limit_ends_what_hangs(stage: Stage) -> None:
    stage.stop = Stop(2.5)
    began = time.monotonic()
    outcome = stage.execute(client="hangs")
    assert outcome.failure is not None
    assert outcome.failure.failure == FailureClass.TIMEOUT
    assert time.monotonic() - began < 20
    assert_evidence(stage, outcome)


def test_a_full_disk_is_an_infrastructure_failure(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "host.json")

    monkeypatch.setattr(supervisor_module, "host_facts", no_space)
    outcome = stage.execute()
    assert outcome.failure is not None
    assert outcome.failure.failure == FailureClass.DISK_FULL
    assert outcome.failure.line == "No space left on device: host.json"
    assert_evidence(stage, outcome)

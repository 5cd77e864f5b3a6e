"""One attempt from run document to bundle. Knows neither the database nor the broker.

Evidence is written before a failure is returned: whatever happens, the bundle ends with ``attempt.json`` and
``MANIFEST.json``, and no process is left.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from results.documents.failures import FailureClass
from results.documents.run import PUBLIC_CORPORA, AgenticScenario, RunDocument
from workers import environments
from workers.bundle import Bundle
from workers.cancellation import Stop
from workers.clients import aiperf
from workers.corpus import corpus_for
from workers.engines import make_engine
from workers.engines.base import Engine, Launch
from workers.engines.health import wait_healthy
from workers.events import Emit, Phases, utc_now
from workers.failures import ExecutionFailure
from workers.host import host_facts
from workers.launchers.process import ManagedProcess, free_port, port_is_free
from workers.measure import LoadMeasurement
from workers.outcome import Outcome, outcome_of
from workers.tiny_model import hub_cache


@dataclass(slots=True)
class Supervisor:
    """Executes ``document`` once; ``emit`` receives the events, ``stop`` ends it early."""

    document: RunDocument
    bundle: Bundle
    var: Path
    run_id: str
    attempt: int
    emit: Emit
    stop: Stop
    engine_factory: Callable[[Any, Path], Engine] = make_engine
    port: int | None = None
    versions: dict[str, str] = field(default_factory=dict)
    argv: list[str] = field(default_factory=list)
    variables: Mapping[str, str] = field(default_factory=dict)
    phases: Phases = field(init=False)
    _process: ManagedProcess | None = None
    _said: str = ""

    def __post_init__(self) -> None:
        self.phases = Phases(self.emit)

    def execute(self) -> Outcome:
        """Never raises for a failed attempt; the outcome says why."""
        started_at = utc_now()
        outcome = self._tear_down(outcome_of(self._measure, self.bundle.is_full))
        self.phases.begin("aggregate")
        written = outcome_of(lambda: self._write_evidence(started_at, outcome), self.bundle.is_full)
        if outcome.failure is None:
            outcome = written
        self.emit({"event": "end", **outcome.to_json()})
        return outcome

    def _measure(self) -> None:
        self.phases.begin("prepare")
        self.bundle.reserve()
        self.bundle.write("run.json", self.document.to_json())
        self.bundle.write("host.json", host_facts())
        engine = self.engine_factory(self.document.recipe, self.var)
        with self.stop.interrupting():
            engine.prepare(self._log_progress)
            client = environments.ensure("aiperf", self.var, self._log_progress)
        self.versions = {**engine.versions(), "client": f"aiperf {self.document.client.version}"}
        self.phases.begin("traces")
        scenario = self._scenario()
        local = self._is_local(scenario)
        traces = corpus_for(scenario.corpus, scenario.version, self.var) if local else None
        port = self._start_engine(engine)
        target = self._target(engine, port, traces)
        self._measure_loads(client, scenario, target)

    def _scenario(self) -> AgenticScenario:
        if not isinstance(self.document.scenario, AgenticScenario):
            raise ExecutionFailure(FailureClass.BAD_DOCUMENT, "/scenario/kind: only agentic can be executed")
        return self.document.scenario

    @staticmethod
    def _is_local(scenario: AgenticScenario) -> bool:
        return scenario.corpus not in PUBLIC_CORPORA

    def _start_engine(self, engine: Engine) -> int:
        self.phases.begin("engine")
        self.stop.check()
        port = self.port or free_port()
        launch = engine.launch(port)
        if launch is not None:
            self._launch(launch, port)
        self.phases.begin("healthy")
        seconds = wait_healthy(
            engine.base_url(port) + engine.health_path(), self._process, check=self.stop.check
        )
        self.emit({"event": "log", "line": f"engine healthy after {seconds:.1f} s"})
        return port

    def _launch(self, launch: Launch, port: int) -> None:
        if not port_is_free(port):
            raise ExecutionFailure(FailureClass.PORT_IN_USE, f"port {port} is in use")
        self.argv, self.variables = launch.argv, launch.environment
        self.bundle.write("engine/argv.json", launch.argv)
        self._process = ManagedProcess(
            launch.argv, log=self.bundle.server_log, environment=launch.environment, cwd=self.bundle.engine
        )

    def _target(self, engine: Engine, port: int, traces: Path | None) -> aiperf.Target:
        tokenizer = engine.tokenizer()
        if isinstance(tokenizer, Path):
            hub_cache(tokenizer, aiperf.TOKENIZER, self._hf_home())
            tokenizer = aiperf.TOKENIZER
        return aiperf.Target(engine.base_url(port), engine.served_model, tokenizer, traces)

    def _hf_home(self) -> Path:
        return self.var / "cache" / f"hf-{self.run_id}"

    def _measure_loads(
        self, client: environments.Environment, scenario: AgenticScenario, target: aiperf.Target
    ) -> None:
        offline = self._is_local(scenario) and target.tokenizer == aiperf.TOKENIZER
        variables = aiperf.environment(self._hf_home(), self.var / "cache" / "aiperf", offline=offline)
        measurement = LoadMeasurement(
            self.document, self.bundle, self._process, self.stop, self.phases, self.emit
        )
        for load in self.document.loads:
            output = self.bundle.load(load) / "aiperf"
            argv = aiperf.command(
                client.script("aiperf"), load, target, scenario, self.document.client, output
            )
            measurement.run(load, argv, variables, f"{target.url}/metrics")

    def _tear_down(self, outcome: Outcome) -> Outcome:
        self.phases.begin("teardown")
        clean = self._process is None or self._process.stop()
        shutil.rmtree(self._hf_home(), ignore_errors=True)
        if clean or outcome.failure is not None:
            return outcome
        line = "processes of the engine survived SIGKILL"
        return Outcome("failed", ExecutionFailure(FailureClass.ENVIRONMENT, line))

    def _write_evidence(self, started_at: str, outcome: Outcome) -> None:
        self.bundle.release()
        self.phases.end()
        self.bundle.write("attempt.json", {
            "schema": "northstar.attempt/1",
            "run_id": self.run_id,
            "attempt": self.attempt,
            "started_at": started_at,
            "ended_at": utc_now(),
            **outcome.to_json(),
            "phases": self.phases.list,
            "versions": self.versions,
            "argv": {"engine": self.argv},
            "environment": dict(self.variables),
        })  # fmt: skip
        self.bundle.write_manifest()

    def _log_progress(self, text: str, share: float | None) -> None:
        self.stop.check()
        if text != self._said:
            self._said = text
            self.emit({"event": "log", "line": text if share is None else f"{text} ({share:.0%})"})

"""One load: run the client against the engine, follow it, keep its files."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from results.documents.failures import FailureClass
from results.documents.run import RunDocument
from workers.bundle import Bundle
from workers.cancellation import Stop
from workers.clients import aiperf
from workers.clients.aiperf_failure import failure
from workers.clients.aiperf_log import LogFollower
from workers.engines.health import died
from workers.events import Emit, Phases, utc_now
from workers.failures import ExecutionFailure
from workers.launchers.process import ManagedProcess
from workers.telemetry.gpu import GpuSampler
from workers.telemetry.prometheus import Scraper

#: Beyond the window: configuration, warm-up, drain and export of one load.
GRACE_SECONDS = 1800.0
_TICK = 0.5
_PROGRESS_EVERY = 4.0


class LoadMeasurement:
    """Runs the client for one load and watches the engine beside it."""

    def __init__(
        self, document: RunDocument, bundle: Bundle, engine: ManagedProcess | None, stop: Stop,
        phases: Phases, emit: Emit,
    ) -> None:  # fmt: skip
        self._document = document
        self._bundle = bundle
        self._engine = engine
        self._stop = stop
        self._phases = phases
        self._emit = emit

    def run(self, load: int, argv: list[str], environment: dict[str, str], metrics_url: str) -> None:
        """Leaves a complete load folder; raises ExecutionFailure after keeping what there is."""
        folder = self._bundle.load(load)
        self._bundle.write(f"loads/{folder.name}/argv.json", argv)
        self._phases.begin("warmup", load)
        # Short, because the client puts its sockets there and their paths may have 107 bytes.
        with TemporaryDirectory(prefix="northstar-") as scratch:
            code, phase = self._run(load, folder, argv, environment | {"TMPDIR": scratch}, metrics_url)
        if code:
            raise failure(folder, phase, code)
        aiperf.require_records(folder)
        self._emit({"event": "load", "load": load, "path": f"loads/{folder.name}"})

    def _run(
        self, load: int, folder: Path, argv: list[str], environment: dict[str, str], metrics_url: str
    ) -> tuple[int, str]:
        """Exit code of the client and the phase it reached; its files are in place in any case."""
        started_at = utc_now()
        log = LogFollower(folder / "client.log")
        # Around the client's whole life: its window must lie between two samples of power.
        with GpuSampler(folder / "gpu.jsonl") as gpus:
            client = ManagedProcess(argv, log=folder / "client.log", environment=environment, cwd=folder)
            try:
                with Scraper(metrics_url, folder / "telemetry.jsonl") as scraper:
                    return self._follow(load, client, log, (scraper, gpus)), log.phase
            finally:
                client.stop(grace=5)
                aiperf.collect(folder / "aiperf", folder)
                self._write_facts(load, folder, started_at, client.poll())

    def _write_facts(self, load: int, folder: Path, started_at: str, code: int | None) -> None:
        facts = {
            "load": load,
            "started_at": started_at,
            "ended_at": utc_now(),
            "planned_window_seconds": self._document.client.window_seconds,
            "unsafe_override": self._document.client.unsafe_override,
            "returncode": code,
        }
        self._bundle.write(f"loads/{folder.name}/load.json", facts)

    def _follow(
        self, load: int, client: ManagedProcess, log: LogFollower, telemetry: tuple[Scraper, GpuSampler]
    ) -> int:
        scraper, begin = telemetry[0], time.monotonic()
        spoke, profiling_since = begin, 0.0
        while (code := client.poll()) is None:
            self._stop.wait(_TICK)
            self._check(begin, telemetry)
            if "profile" in log.poll():
                self._phases.begin("profile", load)
                profiling_since = time.monotonic()
            if time.monotonic() - spoke >= _PROGRESS_EVERY:
                spoke = time.monotonic()
                self._tell_progress(load, profiling_since, scraper)
        log.poll()
        # First the engine: a client that lost its server fails too, and that is not the cause.
        self._check(begin, telemetry)
        return code

    def _check(self, begin: float, telemetry: tuple[Scraper, GpuSampler]) -> None:
        """Raise when the engine has died, the disk is full or the client hangs."""
        if self._engine is not None and self._engine.poll() is not None:
            raise died(self._engine, FailureClass.ENGINE_DIED, f"in phase {self._phases.current}")
        for source in telemetry:
            if source.error is not None:
                raise source.error
        if time.monotonic() - begin > self._document.client.window_seconds + GRACE_SECONDS:
            raise ExecutionFailure(FailureClass.CLIENT, "client: no end long after its window")

    def _tell_progress(self, load: int, profiling_since: float, scraper: Scraper) -> None:
        """Share of the whole run: loads done before, plus the share of this load's window."""
        loads, window = self._document.loads, self._document.client.window_seconds
        spent = time.monotonic() - profiling_since if profiling_since else 0.0
        share = min(1.0, spent / window)
        done = (loads.index(load) + share) / len(loads)
        self._emit({
            "event": "progress", "phase": self._phases.current, "load": load, "done": round(done, 4),
            "eta_seconds": round((1 - done) * len(loads) * window, 1), "telemetry": scraper.latest,
        })  # fmt: skip

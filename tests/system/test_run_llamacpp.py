"""Real runs: llama.cpp serves the tiny model, AIPerf replays the shipped corpus, faults are real faults."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import psutil
import pytest

from results.analysis.requests import parse_records
from results.analysis.summary import summarize
from tests.system.attempts import Event, RunningAttempt, workers
from tests.system.processes import all_gone

pytestmark = pytest.mark.system

FILES = {"argv.json", "client.log", "load.json", "profile_export.jsonl", "profile_export_aiperf.json",
         "server_metrics_export.json", "telemetry.jsonl"}  # fmt: skip


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("var")
    workers("provision", var=folder)
    return folder


def example(var: Path, loads: str, window: int, label: str = "prefix-cache-host-tier") -> Event:
    text = workers("example", "--label", label, "--loads", loads, "--window", window, var=var)
    document: Event = json.loads(text)
    # Nothing is compared here. One thread does not spin while it waits for another on a busy host, and
    # sessions that start near their beginning need little warm-up.
    document["recipe"]["arguments"]["threads"] = 1
    document["client"]["start_ratio"] = [0.0, 0.1]
    return document


def end_of(attempt: RunningAttempt) -> tuple[str, str | None]:
    """Outcome and failure class; the last event and attempt.json must agree."""
    last, stored = attempt.events[-1], attempt.read("attempt.json")
    assert last["event"] == "end"
    assert (last["outcome"], last["failure"]) == (stored["outcome"], stored["failure"])
    return last["outcome"], last["failure"] and last["failure"]["class"]


def assert_manifest(bundle: Path) -> None:
    """Every file with its digest, and nothing else."""
    listed = {
        entry["path"]: entry["sha256"]
        for entry in json.loads((bundle / "MANIFEST.json").read_text())["files"]
    }
    there = {path.relative_to(bundle).as_posix(): path for path in bundle.rglob("*") if path.is_file()}
    del there["MANIFEST.json"]
    assert listed == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in there.items()}


def test_two_loads_are_measured(var: Path, tmp_path: Path) -> None:
    with RunningAttempt(tmp_path, example(var, "1,2", 8), var) as attempt:
        assert attempt.end() == 0
        assert end_of(attempt) == ("succeeded", None)
        phases = [(event["phase"], event["load"]) for event in attempt.events if event["event"] == "phase"]
        assert phases == [
            ("prepare", None), ("traces", None), ("engine", None), ("healthy", None), ("warmup", 1),
            ("profile", 1), ("warmup", 2), ("profile", 2), ("teardown", None), ("aggregate", None),
        ]  # fmt: skip
        for load in (1, 2):
            folder = attempt.bundle / "loads" / f"c{load:04d}"
            assert {path.name for path in folder.iterdir()} == FILES
            with (folder / "profile_export.jsonl").open("rb") as lines:
                summary = summarize(parse_records(lines), 1)
            assert summary.values["requests_successful"] >= 1
            assert summary.values["ttft_p50"] > 0
            assert json.loads((folder / "load.json").read_text())["returncode"] == 0
        assert_manifest(attempt.bundle)
        assert not list((var / "cache").glob("hf-*"))


def test_sigterm_cancels_and_leaves_nothing(var: Path, tmp_path: Path) -> None:
    with RunningAttempt(tmp_path, example(var, "2", 120), var) as attempt:
        pids = attempt.in_phase("profile")
        attempt.process.send_signal(signal.SIGTERM)
        assert attempt.end(60) == 3
        assert end_of(attempt) == ("cancelled", "cancelled")
        assert all_gone(pids)
        assert_manifest(attempt.bundle)


def test_the_end_of_the_parent_is_told_from_a_cancel(var: Path, tmp_path: Path) -> None:
    with RunningAttempt(tmp_path, example(var, "2", 120), var) as attempt:
        pids = attempt.in_phase("warmup")
        assert attempt.process.stdin is not None
        attempt.process.stdin.close()
        assert attempt.end(60) == 3
        assert end_of(attempt) == ("cancelled", "worker_lost")
        assert all_gone(pids)


def test_sigkill_leaves_nothing(var: Path, tmp_path: Path) -> None:
    with RunningAttempt(tmp_path, example(var, "2", 120), var) as attempt:
        pids = attempt.in_phase("profile")
        assert len(pids) > 6  # guards, server, client and the client's own services
        attempt.process.kill()
        attempt.end(60)
        assert all_gone(pids)


def is_server(argv: list[str]) -> bool:
    """The engine itself; its guard's command line ends with the same program."""
    guarded = any(part.endswith("guard.py") for part in argv)
    return not guarded and any(part.endswith("llamacpp_server.py") for part in argv)


def test_an_engine_killed_under_load(var: Path, tmp_path: Path) -> None:
    with RunningAttempt(tmp_path, example(var, "2", 120), var) as attempt:
        pids = attempt.in_phase("profile")
        (server,) = [pid for pid in pids if is_server(psutil.Process(pid).cmdline())]
        os.kill(server, signal.SIGKILL)
        assert attempt.end(60) == 1
        assert end_of(attempt) == ("failed", "engine_died")
        line = attempt.events[-1]["failure"]["line"]
        assert "in phase profile (signal 9)" in line
        assert all_gone(pids)
        assert (attempt.bundle / "loads/c0002/telemetry.jsonl").stat().st_size > 0
        assert_manifest(attempt.bundle)


class NotFound(BaseHTTPRequestHandler):
    """Healthy, and lists a model that it then does not know."""

    def do_GET(self) -> None:
        self._answer(200, {"object": "list", "data": [{"id": "northstar-tiny", "object": "model"}]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(404, {"error": {"message": "The model `northstar-tiny` does not exist.", "code": 404}})

    def _answer(self, status: int, document: Any) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server_without_model() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), NotFound) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_model_name_that_the_server_does_not_know(
    var: Path, tmp_path: Path, server_without_model: str
) -> None:
    document = example(var, "1", 8)
    document["recipe"] |= {
        "engine": {"name": "endpoint", "version": "1"},
        "kv_offload": {"mode": "none"},
        "arguments": {"url": server_without_model},
    }
    document["client"]["start_ratio"] = [
        0.25,
        0.75,
    ]  # a session that starts at its first turn warms nothing up
    with RunningAttempt(tmp_path, document, var) as attempt:
        assert attempt.end() == 1
        assert end_of(attempt) == ("failed", "warmup")
        # AIPerf may give up before it has written what the server answered; then it has only its own words.
        answered = any(file.stat().st_size for file in tmp_path.rglob("profile_export.jsonl"))
        cause = "404" if answered else "Terminal warmup failure"
        assert cause in attempt.events[-1]["failure"]["line"]


def test_a_disk_that_fills_up_keeps_the_evidence(var: Path, tmp_path: Path) -> None:
    """On a real, tiny file system of its own, which exists only inside a mount namespace."""
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*unshare, "true"], capture_output=True).returncode:
        pytest.skip("this host does not let a test have a mount namespace")
    disk, saved = tmp_path / "bundle", tmp_path / "saved"
    disk.mkdir()
    script = f'mount -t tmpfs -o size=480k none {disk} && "$@"; code=$?; cp -r {disk} {saved}; exit $code'
    with RunningAttempt(
        tmp_path, example(var, "1", 8), var, before=(*unshare, "sh", "-c", script, "sh")
    ) as attempt:
        assert attempt.end() == 1
        attempt.bundle = saved
        assert end_of(attempt) == ("failed", "disk_full")
        assert_manifest(saved)
        assert (saved / "loads/c0001/load.json").exists()

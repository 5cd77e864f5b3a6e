"""Waiting for a server, on real processes."""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from results.documents.failures import FailureClass
from workers.engines.health import exit_text, wait_healthy
from workers.failures import ExecutionFailure
from workers.launchers.process import ManagedProcess, free_port

FAKE_SERVER = Path(__file__).parents[1] / "fakes" / "server.py"


def start(code: str, tmp_path: Path) -> ManagedProcess:
    return ManagedProcess([sys.executable, "-u", "-c", code], log=tmp_path / "log", environment={})


def failure_of(process: ManagedProcess, url: str, **limits: float) -> ExecutionFailure:
    try:
        with pytest.raises(ExecutionFailure) as caught:
            wait_healthy(url, process, check=lambda: None, **limits)
    finally:
        process.stop(grace=2)
    return caught.value


def nowhere() -> str:
    return f"http://127.0.0.1:{free_port()}/health"


def test_a_server_that_comes_up(tmp_path: Path) -> None:
    port = free_port()
    process = ManagedProcess(
        [sys.executable, str(FAKE_SERVER), str(port), "works"], log=tmp_path / "log", environment={}
    )
    try:
        assert wait_healthy(f"http://127.0.0.1:{port}/health", process, check=lambda: None) < 30
    finally:
        assert process.stop(grace=5)


def test_a_server_that_dies_first_is_diagnosed(tmp_path: Path) -> None:
    process = start("raise MemoryError('CUDA out of memory')", tmp_path)
    failure = failure_of(process, nowhere())
    assert failure.failure == FailureClass.SERVER_START
    assert failure.line == (
        "the engine ended before it was healthy (exit code 1): MemoryError: CUDA out of memory"
    )


@pytest.mark.parametrize("words", ["[Errno 98] Address already in use", "couldn't bind HTTP server socket"])
def test_a_port_that_was_taken_meanwhile_is_worth_another_attempt(tmp_path: Path, words: str) -> None:
    failure = failure_of(start(f'raise OSError("{words}")', tmp_path), nowhere())
    assert failure.failure == FailureClass.PORT_IN_USE


def test_a_silent_server_is_given_up_and_a_talking_one_is_not(tmp_path: Path) -> None:
    failure = failure_of(start("import time; time.sleep(60)", tmp_path), nowhere(), stall=0.5)
    assert "did not become healthy" in failure.line
    talking = "import time\nfor i in range(600): print(i); time.sleep(0.1)"
    failure = failure_of(start(talking, tmp_path), nowhere(), stall=1.0, limit=3.0)
    assert failure.line == "the server did not become healthy within 3 s"


def test_a_stranger_on_the_port_is_not_taken_for_the_engine(tmp_path: Path) -> None:
    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Stranger)
    threading.Thread(target=server.serve_forever).start()
    process = start("import time; time.sleep(1); raise OSError('address already in use')", tmp_path)
    try:
        failure = failure_of(process, f"http://127.0.0.1:{server.server_port}/health")
    finally:
        server.shutdown()
        server.server_close()
    assert failure.failure == FailureClass.PORT_IN_USE


def test_a_check_that_raises_ends_the_wait(tmp_path: Path) -> None:
    def cancelled() -> None:
        raise ExecutionFailure(FailureClass.CANCELLED, "cancelled")

    with pytest.raises(ExecutionFailure, match="cancelled"):
        wait_healthy(nowhere(), None, check=cancelled)


def test_exits_in_words() -> None:
    assert [exit_text(code) for code in (None, 3, -9)] == ["still running", "exit code 3", "signal 9"]

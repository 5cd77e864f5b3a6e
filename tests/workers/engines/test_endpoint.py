"""An endpoint on a real HTTP server that answers what a test says."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from results.documents.failures import FailureClass
from results.documents.recipe import Recipe
from tests.factories import run_json
from workers.engines import make_engine
from workers.environments import quiet
from workers.failures import ExecutionFailure
from workers.launchers.process import free_port

Answer = Callable[[int, object], str]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Answer]:
    """Starts a server whose every answer has this status and JSON body; gives its address."""
    # A proxy of the environment must not come between us and a server that is measured.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    servers: list[ThreadingHTTPServer] = []

    def start(status: int, body: object) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode() if self.path == "/v1/models" else b"{}")

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def recipe(url: str, **arguments: str) -> Recipe:
    changes = {
        "engine": {"name": "endpoint", "version": "1"},
        "model": {"name": "org/served"},
        "arguments": {"url": url, **arguments},
    }
    return Recipe.model_validate({**run_json()["recipe"], **changes})


def test_it_is_neither_started_nor_stopped(tmp_path: Path, answer: Answer) -> None:
    url = answer(200, {"data": [{"id": "org/other"}, {"id": "org/served"}]})
    engine = make_engine(recipe(f"{url}/v1", tokenizer="org/name"), tmp_path)
    engine.prepare(quiet)
    assert engine.launch(1) is None
    assert engine.base_url(1) == url
    assert engine.tokenizer() == "org/name"


@pytest.mark.parametrize(
    ("status", "body", "failure", "line"),
    [
        (200, {"data": [{"id": "org/other"}]}, FailureClass.MODEL, "serves org/other"),
        (200, {"data": []}, FailureClass.MODEL, "serves no model"),
        (200, {"models": []}, FailureClass.SERVER_START, "does not list models"),
        (200, [1], FailureClass.SERVER_START, "does not list models"),
        (500, {}, FailureClass.SERVER_START, "does not answer"),
    ],
)
def test_a_server_that_cannot_be_measured_is_refused_at_once(
    tmp_path: Path, answer: Answer, status: int, body: object, failure: FailureClass, line: str
) -> None:
    with pytest.raises(ExecutionFailure) as caught:
        make_engine(recipe(answer(status, body)), tmp_path).prepare(quiet)
    assert caught.value.failure == failure
    assert line in caught.value.line


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(ExecutionFailure, match="does not answer as it should"):
        make_engine(recipe(f"http://127.0.0.1:{free_port()}"), tmp_path).prepare(quiet)

"""The demo's client against a small real server."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from dashboard.demo.api import ApiClient, ApiError


class Recorder(ThreadingHTTPServer):
    """Answers from ``answers`` (path: status, body) and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, tuple[int, Any]] = {}
        self.seen: list[tuple[str, dict[str, str], bytes]] = []

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"


class Handler(BaseHTTPRequestHandler):
    server: Recorder

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append((self.path, dict(self.headers.items()), body))
        status, value = self.server.answers[self.path]
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def log_message(self, format: str, *args: object) -> None:
        return None


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    # A proxy for the outside world must not be asked for our own page.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with Recorder() as recorder:
        thread = threading.Thread(target=recorder.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield recorder
        recorder.shutdown()
        thread.join()


def test_a_run_is_submitted_like_anyone_would(server: Recorder) -> None:
    server.answers["/api/v1/runs/"] = (201, {"id": "7"})
    assert ApiClient(server.base, "ns_s_secret").submit({"label": "x"}, "key-1") == {"id": "7"}
    _path, headers, body = server.seen[0]
    assert headers["Authorization"] == "Bearer ns_s_secret"
    assert headers["Idempotency-Key"] == "key-1"
    assert headers["Content-Type"] == "application/json"
    assert json.loads(body) == {"label": "x"}


def test_reading_sends_no_token_and_follows_the_pages(server: Recorder) -> None:
    second = f"{server.base}api/v1/points/?cursor=b"
    server.answers["/api/v1/points/?run=7"] = (200, {"next": second, "results": [{"load": 1}]})
    server.answers["/api/v1/points/?cursor=b"] = (200, {"next": None, "results": [{"load": 2}]})
    assert list(ApiClient(server.base, "ns_s_secret").pages("points/?run=7")) == [{"load": 1}, {"load": 2}]
    assert all("Authorization" not in headers for _path, headers, _body in server.seen)


def test_a_refusal_is_one_line_with_its_reason(server: Recorder) -> None:
    server.answers["/api/v1/runs/"] = (422, {"errors": [{"pointer": "/loads", "rule": "increasing"}]})
    with pytest.raises(ApiError, match=r"422 from .*/loads") as caught:
        ApiClient(server.base, "t").submit({}, "k")
    assert "\n" not in str(caught.value)


def test_a_server_that_fails_or_is_not_there_is_not_up(server: Recorder) -> None:
    client = ApiClient(server.base)
    server.answers["/healthz"] = (503, {})
    assert not client.is_up()
    server.answers["/healthz"] = (200, {})
    assert client.is_up()
    assert not ApiClient("http://127.0.0.1:9/").is_up()

"""A server on this machine that behaves like GitHub, and misbehaves like it, over real HTTP."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

SHA = "0123456789abcdef0123456789abcdef01234567"
PULL = "/repos/who/toy/pulls/7"
ISSUE = "/repos/who/toy/issues"
Special = Callable[["Handler"], None]


def pull_json(**changes: Any) -> dict[str, Any]:
    """An open pull request as the REST API describes it, with fields that nobody reads."""
    name = changes.pop("full_name", "who/toy")
    ref = changes.pop("ref", "main")
    repository = {"id": 1, "full_name": name, "default_branch": "main", "private": False}
    return {
        "id": 1007, "number": 7, "title": "Be quick", "state": "open", "merged": False, "merged_at": None,
        "merge_commit_sha": "f" * 40, "updated_at": "2026-10-01T10:00:00Z", "body": "text",
        "labels": [{"id": 5, "name": "performance", "color": "ededed"}],
        "head": {"ref": "quick", "sha": SHA, "repo": None},
        "base": {"ref": ref, "sha": "a" * 40, "repo": repository},
    } | changes  # fmt: skip


MERGED = {
    "state": "closed", "merged": True, "merged_at": "2026-10-02T09:00:00Z",
    "merge_commit_sha": "b" * 40, "updated_at": "2026-10-02T09:00:00Z",
}  # fmt: skip


@dataclass
class Fake:
    """``objects`` are served by path with an ETag; ``special`` takes over a path; ``asked`` came in."""

    objects: dict[str, Any] = field(default_factory=dict)
    special: dict[str, Special] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: Fake

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._handle(None)

    def do_POST(self) -> None:
        self._handle(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def do_PATCH(self) -> None:
        self.do_POST()

    def _handle(self, body: Any) -> None:
        path = urlsplit(self.path).path
        self.fake.asked.append((self.command, path))
        self.fake.tokens.append(self.headers.get("Authorization"))
        if path in self.fake.special:
            self.fake.special[path](self)
        elif body is None:
            self._serve(path)
        else:
            self._write(path, body)

    def _serve(self, path: str) -> None:
        if path.endswith("/comments"):
            page = int(parse_qs(urlsplit(self.path).query)["page"][0])
            self.answer(200, self.fake.comments[100 * (page - 1) : 100 * page])
        elif path.endswith("/check-runs"):
            self.answer(200, {"total_count": len(self.fake.checks), "check_runs": self.fake.checks})
        elif path not in self.fake.objects:
            self.answer(404, {"message": "Not Found"})
        else:
            value = self.fake.objects[path]
            etag = f'W/"{hash(json.dumps(value)):x}"'
            unchanged = self.headers.get("If-None-Match") == etag
            self.answer(304 if unchanged else 200, None if unchanged else value, ETag=etag)

    def _write(self, path: str, body: dict[str, Any]) -> None:
        rows = self.fake.checks if "check-runs" in path else self.fake.comments
        if self.command == "POST":
            rows.append({"id": 100 + len(rows), **body})
            self.answer(201, rows[-1])
            return
        found = [row for row in rows if row["id"] == int(path.rpartition("/")[2])]
        for row in found:
            row.update(body)
        self.answer(200 if found else 404, found[0] if found else {"message": "Not Found"})

    def answer(self, status: int, value: Any = None, raw: bytes | None = None, **headers: str) -> None:
        body = raw if raw is not None else b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


@contextmanager
def serving() -> Iterator[Fake]:
    """Listens on a free port of this machine until the block ends."""
    fake = Fake()
    handler = type("Bound", (Handler,), {"fake": fake})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        fake.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield fake
        finally:
            fake.release.set()
            server.shutdown()
            thread.join()


def status(code: int, **headers: str) -> Special:
    return lambda handler: handler.answer(code, {"message": "no"}, None, **headers)


def drip(value: str, header: str) -> Special:
    """The head at once, then a byte now and then, for as long as anybody listens."""

    def slowly(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header(header, value)
        handler.end_headers()
        while not handler.fake.release.wait(0.02):
            try:
                handler.wfile.write(b" ")
            except OSError:
                break
        handler.close_connection = True

    return slowly


def truncated(handler: Handler) -> None:
    handler.answer(200, raw=b'{"id": 1007, "num', Content_Length="4000")
    handler.close_connection = True


def endless(handler: Handler) -> None:
    """More than anybody wants, without a declared length."""
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    try:
        for _part in range(200):
            handler.wfile.write(b" " * 64 * 1024)
    except OSError:
        pass
    handler.close_connection = True

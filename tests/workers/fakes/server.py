"""A server for tests of the supervisor: python server.py PORT BEHAVIOUR. Not an engine, measures nothing."""

import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"llamacpp:prompt_tokens_total 10\nllamacpp:requests_processing 1\n"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body if self.path == "/metrics" else b"ok")

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    port, behaviour = int(sys.argv[1]), sys.argv[2]
    if behaviour == "dies_at_start":
        sys.exit("RuntimeError: failed to load model: no such tensor")
    if behaviour == "dies_later":
        sys.stderr.write("error: out of memory in slot 1\n")
        threading.Timer(3.0, os._exit, (9,)).start()
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    main()

"""The site's WSGI application, which says in headers of each answer what it cost the server.

``X-Queries`` is the number of SQL statements, ``X-Seconds`` the time from the request's arrival until the
body stands complete, ``X-Processor`` the seconds of processor time that its thread used meanwhile, without
those of the database. Streamed bodies are counted up to their beginning.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from django.db import connection

from dashboard.wsgi import application as site


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    queries = 0

    def count(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal queries
        queries += 1
        return execute(*arguments)

    def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
        cost = [
            ("X-Queries", str(queries)),
            ("X-Seconds", f"{time.perf_counter() - began:.6f}"),
            ("X-Processor", f"{time.thread_time() - used:.6f}"),
        ]
        return start_response(status, [*headers, *cost], *rest)

    began, used = time.perf_counter(), time.thread_time()
    with connection.execute_wrapper(count):
        return site(environ, start)

"""Is the service able to answer? The broker is reported, but pages do not need it."""

import time
from collections.abc import Callable

from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from results.broker import app

_TIMEOUT = 1


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001
    """200 when the database answers, 503 when not, whatever the broker does."""
    database = _timed(_ask_database)
    broker = _timed(_ask_broker)
    status = "ok" if database["ok"] else "failing"
    body = {"status": status, "database": database, "broker": broker}
    return JsonResponse(body, status=200 if database["ok"] else 503)


def _timed(ask: Callable[[], None]) -> dict[str, object]:
    """Only the kind of an error goes out: its text may hold addresses or credentials."""
    began = time.perf_counter()
    try:
        ask()
    except (Error, OSError, OperationalError) as error:
        return {"ok": False, "error": type(error).__name__}
    return {"ok": True, "seconds": round(time.perf_counter() - began, 6)}


def _ask_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _ask_broker() -> None:
    with app.connection_for_write(connect_timeout=_TIMEOUT) as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=_TIMEOUT)

"""Sends hints to hosts. A hint may be lost, so a broker that is down costs a log line and no more."""

import logging
import time

from results.broker import app, host_queue

logger = logging.getLogger(__name__)

#: Seconds that one socket operation may take; a submission waits for its hints.
PATIENCE = 0.5
#: Seconds for which a broker that failed is left alone, so that many hosts cost one wait.
REST = 5.0
# The transport's own retries would multiply the wait; the sweep is the retry.
_OPTIONS = {
    "socket_connect_timeout": PATIENCE,
    "socket_timeout": PATIENCE,
    "retry_on_timeout": False,
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0,
}


class _Breaker:
    """When the broker may be asked again."""

    closed_at = 0.0


def send_hint(host_name: str) -> bool:
    """Wake ``host_name``: it looks for work. False, after a log line, when the broker cannot be reached."""
    if time.monotonic() < _Breaker.closed_at:
        return False
    try:
        _publish(host_name)
    except Exception as error:  # noqa: BLE001 - each transport raises its own; a hint never fails its caller
        _Breaker.closed_at = time.monotonic() + REST
        logger.warning("broker: no hint for host %s: %s", host_name, error)
        return False
    return True


def _publish(host_name: str) -> None:
    with app.connection_for_write(connect_timeout=PATIENCE, transport_options=_OPTIONS) as connection:
        app.send_task(
            "workers.execute_next",
            args=[host_name],
            queue=host_queue(host_name),
            connection=connection,
            retry=False,
            ignore_result=True,
        )

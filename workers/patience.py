"""Waiting for a database that is being restarted."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, close_old_connections, connections

T = TypeVar("T")
logger = logging.getLogger(__name__)

#: Seconds after which a database that stays away is given up.
PATIENCE = 600.0
UNREACHABLE = (OperationalError, InterfaceError)
_LONGEST_PAUSE = 5.0


def reconnecting(action: Callable[[], T]) -> T:
    """Call once on a connection that works as far as we know; afterwards a broken one is closed."""
    close_old_connections()
    try:
        return action()
    except UNREACHABLE:
        connections.close_all()
        raise


def persistently(action: Callable[[], T], *, patience: float = PATIENCE) -> T:
    """Call again while the database cannot be reached, up to ``patience`` seconds."""
    until, pause = time.monotonic() + patience, 0.2
    while True:
        try:
            return reconnecting(action)
        except UNREACHABLE as error:
            if time.monotonic() + pause > until:
                raise
            logger.warning("database: %s; again in %.1f s", str(error).strip(), pause)
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)

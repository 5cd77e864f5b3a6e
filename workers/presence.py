"""A worker on its host: what it says when it starts, and that it is still there."""

import logging
import threading

from django.conf import settings
from django.db import connection

from results.broker import host_queue
from results.services.dispatch import send_hint
from results.services.hosts import register_host, see_host
from workers.engines import ENGINES
from workers.host import host_facts
from workers.patience import UNREACHABLE, persistently, reconnecting
from workers.salvage import salvage

logger = logging.getLogger(__name__)
#: Well under the time after which the sweep takes a host for absent.
SEEN_EVERY_SECONDS = 60.0


def host_of(queues: list[str]) -> str:
    """The host whose queue this worker consumes; ValueError unless there is exactly one."""
    prefix = host_queue("")
    hosts = [name.removeprefix(prefix) for name in queues if name.startswith(prefix)]
    if len(hosts) != 1 or len(queues) != 1:
        raise ValueError(f"a worker consumes one queue, {prefix}NAME, and not {', '.join(queues) or 'none'}")
    return hosts[0]


def arrive(host: str) -> None:
    """Before the first message: register, then clear away what an earlier worker left."""
    facts = host_facts()
    persistently(
        lambda: register_host(
            name=host, hardware_slugs=facts["hardware"], engines=sorted(ENGINES), facts=facts
        )
    )
    persistently(lambda: salvage(work=settings.VAR / "work", host=host))
    connection.close()


def stay(host: str, leaving: threading.Event) -> None:
    """Wake ourselves once, for what was queued while nobody was here; then show that we are here."""
    send_hint(host)
    while not leaving.wait(SEEN_EVERY_SECONDS):
        try:
            reconnecting(lambda: see_host(name=host))
        except UNREACHABLE as error:
            logger.warning("host %s: %s", host, str(error).strip())
        finally:
            connection.close()

"""Celery's side of a worker: ``celery -A workers.tasks worker --queues host.NAME``.

One thread executes one attempt (settings CELERY_WORKER_POOL, CELERY_WORKER_CONCURRENCY). Django is not
ready when this module is imported, so whatever needs models is imported where it is used.
"""

import threading
from typing import Any

from celery.signals import worker_init, worker_ready, worker_shutting_down

from results.broker import app

#: Set by the first signal that ends this worker.
LEAVING = threading.Event()


@app.task(name="workers.execute_next", acks_late=False, ignore_result=True)
def execute_next(host: str) -> None:
    """Execute one attempt that fits ``host``, if any, then look for the next."""
    from results.services.dispatch import send_hint
    from workers.execution import execute_one

    if not LEAVING.is_set() and execute_one(host, stopping=LEAVING) and not LEAVING.is_set():
        send_hint(host)


@worker_init.connect
def arrive(sender: Any, **_: object) -> None:
    from workers import presence

    presence.arrive(presence.host_of(list(sender.app.amqp.queues.consume_from)))


@worker_ready.connect
def stay(sender: Any, **_: object) -> None:
    from workers import presence

    host = presence.host_of(list(sender.app.amqp.queues.consume_from))
    threading.Thread(target=presence.stay, args=(host, LEAVING), name="presence", daemon=True).start()


@worker_shutting_down.connect
def leave(**_: object) -> None:
    LEAVING.set()

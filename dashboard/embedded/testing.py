"""Services for one test run: own folder, no care for durability."""

import os
from collections.abc import Callable
from pathlib import Path

from dashboard.embedded.paths import broker_url, postgres_url
from dashboard.embedded.services import EmbeddedServices

_NAMES = ("DATABASE_URL", "CELERY_BROKER_URL")


def start_test_services(folder: Path) -> Callable[[], None]:
    """Start both in ``folder`` and put their URLs into the environment; returns what undoes it.

    URLs that are already set are respected: then those servers are tested against.
    """
    urls = {"DATABASE_URL": postgres_url(folder), "CELERY_BROKER_URL": broker_url(folder)}
    missing = [name for name in _NAMES if not os.environ.get(name)]
    services = EmbeddedServices(folder, durable=False)
    services.acquire()
    services.start()
    os.environ.update({name: urls[name] for name in missing})

    def stop() -> None:
        services.stop()
        for name in missing:
            os.environ.pop(name, None)

    return stop

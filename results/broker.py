"""The Celery application. A message only wakes a host: the database owns the work."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
app = Celery("northstar")
app.config_from_object("django.conf:settings", namespace="CELERY")


def host_queue(host: str) -> str:
    """Name of the queue that only ``host`` consumes."""
    return f"host.{host}"

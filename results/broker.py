"""The Celery application. A message only wakes a host: the database owns the work."""

from celery import Celery

app = Celery("northstar")
app.config_from_object("django.conf:settings", namespace="CELERY")


def host_queue(host: str) -> str:
    """Name of the queue that only ``host`` consumes."""
    return f"host.{host}"

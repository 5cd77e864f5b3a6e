"""The one source of time for services; tests replace ``now``."""

from datetime import datetime

from django.utils import timezone


def now() -> datetime:
    """Aware UTC time."""
    return timezone.now()

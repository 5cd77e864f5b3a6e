"""The house's recurring duties: who takes the next round, and what the last one did."""

from datetime import datetime, timedelta

from django.db.models import Q

from results import clock
from results.models import Duty


def take_duty(*, name: Duty.Name, every: timedelta) -> bool:
    """Take the next round if it is due; of several processes exactly one gets it."""
    now = clock.now()
    _row, first = Duty.objects.get_or_create(name=name, defaults={"began_at": now})
    due = Duty.objects.filter(Q(began_at__lte=now - every), name=name)
    return first or due.update(began_at=now, ended_at=None) == 1


def end_duty(*, name: Duty.Name, began_at: datetime, outcome: str, trouble: str = "") -> None:
    """Keep what a round did; ``trouble`` says what kept it from doing more."""
    values = {"began_at": began_at, "ended_at": clock.now()}
    Duty.objects.update_or_create(
        name=name, defaults={**values, "outcome": outcome[:512], "trouble": trouble[:512]}
    )

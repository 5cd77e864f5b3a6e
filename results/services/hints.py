"""Waking hosts. A hint may be lost: the sweep repeats it as long as something is queued."""

from collections.abc import Iterable
from itertools import takewhile

from django.db import transaction

from results.models import HELD, Host, Run
from results.services.claims import waiting_for
from results.services.dispatch import send_hint


def hint_later(*, run: Run) -> None:
    """After commit, wake each ready host that may execute ``run``."""
    transaction.on_commit(lambda: wake(run=run))


def wake(*, run: Run) -> list[str]:
    """Send one hint to each ready, free host that the queued attempt of ``run`` fits; returns their names."""
    hosts = [host for host in idle_hosts() if waiting_for(host).filter(run=run).exists()]
    return send_hints(hosts)


def send_hints(hosts: Iterable[Host]) -> list[str]:
    """Hint one host after the other until the broker refuses one; returns the names of those reached."""
    return [host.name for host in takewhile(lambda host: send_hint(host.name), hosts)]


def idle_hosts() -> list[Host]:
    """Ready hosts that hold no attempt."""
    busy = Host.objects.filter(attempts__state__in=HELD)
    return list(Host.objects.filter(state=Host.State.READY).exclude(id__in=busy))

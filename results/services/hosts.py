"""Verbs on hosts: they register themselves; an operator cleans or retires them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from results import clock
from results.models import AuditEvent, Host


class UnknownHostError(LookupError):
    """No host has this name."""


@transaction.atomic
def register_host(
    *, name: str, hardware_slugs: Sequence[str], engines: Sequence[str], facts: Mapping[str, Any]
) -> Host:
    """Insert or refresh a host; a dirty or retired host stays so until an operator says otherwise."""
    now = clock.now()
    reported = {
        "hardware_slugs": list(hardware_slugs),
        "engines": list(engines),
        "facts": dict(facts),
        "last_seen_at": now,
    }
    host, _created = Host.objects.update_or_create(
        name=name, defaults=reported, create_defaults={**reported, "first_seen_at": now}
    )
    return host


def see_host(*, name: str) -> None:
    """The host's worker is alive, whether it has work or not."""
    Host.objects.filter(name=name).update(last_seen_at=clock.now())


def mark_dirty(*, name: str, reason: str) -> None:
    """Something of an attempt could not be cleared away: measure nothing here until it is."""
    _change(name=name, to=Host.State.DIRTY, sources=[Host.State.READY], actor=f"host:{name}", reason=reason)


def clean_host(*, name: str, actor: str) -> None:
    """Let a dirty or retired host claim again."""
    _change(name=name, to=Host.State.READY, sources=[Host.State.DIRTY, Host.State.RETIRED], actor=actor)


def retire_host(*, name: str, actor: str) -> None:
    """The host claims nothing more; what it holds now is finished."""
    _change(name=name, to=Host.State.RETIRED, sources=[Host.State.READY, Host.State.DIRTY], actor=actor)


@transaction.atomic
def _change(
    *, name: str, to: Host.State, sources: Sequence[Host.State], actor: str, reason: str = ""
) -> None:
    if Host.objects.filter(name=name, state__in=sources).update(state=to) == 1:
        AuditEvent.objects.create(
            at=clock.now(),
            actor=actor[:80],
            verb=f"host_{to}",
            object_type="host",
            object_id=name,
            details={"reason": reason} if reason else {},
        )
    elif not Host.objects.filter(name=name).exists():
        raise UnknownHostError(name)

import pytest

from results.models import AuditEvent, Host
from results.services.hosts import (
    UnknownHostError,
    clean_host,
    mark_dirty,
    register_host,
    retire_host,
    see_host,
)
from tests.conftest import Clock

pytestmark = pytest.mark.django_db


def registered(**facts: int) -> Host:
    return register_host(name="h1", hardware_slugs=["cpu"], engines=["llamacpp"], facts=facts)


def test_first_registration_dates_the_host(clock: Clock) -> None:
    host = registered(cores=2)
    assert (host.state, host.first_seen_at, host.facts) == ("ready", clock.now(), {"cores": 2})


def test_later_registration_refreshes_facts_and_keeps_the_first_date(clock: Clock) -> None:
    first = registered(cores=2).first_seen_at
    clock.advance(60)
    host = registered(cores=4)
    assert (host.first_seen_at, host.last_seen_at, host.facts) == (first, clock.now(), {"cores": 4})
    assert Host.objects.count() == 1


def test_seeing_a_host_dates_it(clock: Clock) -> None:
    registered()
    clock.advance(30)
    see_host(name="h1")
    assert Host.objects.get().last_seen_at == clock.now()


def test_states_change_with_an_audit_trail(clock: Clock) -> None:
    registered()
    mark_dirty(name="h1", reason="process 12 survived")
    clean_host(name="h1", actor="operator")
    retire_host(name="h1", actor="operator")
    assert Host.objects.get().state == "retired"
    trail = AuditEvent.objects.order_by("id").values_list("verb", "actor", "details")
    assert list(trail) == [
        ("host_dirty", "host:h1", {"reason": "process 12 survived"}),
        ("host_ready", "operator", {}),
        ("host_retired", "operator", {}),
    ]


def test_retired_host_does_not_become_dirty(clock: Clock) -> None:
    registered()
    retire_host(name="h1", actor="operator")
    mark_dirty(name="h1", reason="left over")
    assert Host.objects.get().state == "retired"


def test_cleaning_a_ready_host_leaves_no_trail(clock: Clock) -> None:
    registered()
    clean_host(name="h1", actor="operator")
    assert not AuditEvent.objects.exists()


def test_unknown_host_is_an_error(clock: Clock) -> None:
    with pytest.raises(UnknownHostError):
        clean_host(name="nobody", actor="operator")

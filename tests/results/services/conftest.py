"""Hosts and queued runs for the protocol tests."""

from collections.abc import Iterator

import pytest

from results.services import dispatch, hints, hosts
from tests.conftest import Clock
from tests.results.services.stage import Stage


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the hosts that were hinted; the broker itself is tested on its own."""
    names: list[str] = []

    def send(name: str) -> bool:
        names.append(name)
        return True

    assert callable(dispatch.send_hint)
    monkeypatch.setattr(hints, "send_hint", send)
    return names


@pytest.fixture
def stage(clock: Clock, sent: list[str], db: None) -> Iterator[Stage]:
    """One ready CPU host named ``h1``."""
    hosts.register_host(name="h1", hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    yield Stage(clock)

"""Hosts and queued runs for the protocol tests."""

from collections.abc import Iterator

import pytest

from results.services import hosts
from tests.conftest import Clock
from tests.results.services.stage import Stage


@pytest.fixture
def stage(clock: Clock, hinted: list[str], db: None) -> Iterator[Stage]:
    """One ready CPU host named ``h1``."""
    hosts.register_host(name="h1", hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    yield Stage(clock)

"""The broker's stand-in for everything above it."""

import pytest

from results.services import dispatch, hints


@pytest.fixture
def hinted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the hosts that were hinted; the broker itself is tested on its own."""
    names: list[str] = []

    def send(name: str) -> bool:
        names.append(name)
        return True

    assert callable(dispatch.send_hint)
    monkeypatch.setattr(hints, "send_hint", send)
    return names

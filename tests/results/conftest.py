"""The broker's stand-in for everything above it, and the desk at which tests hand in files."""

import pytest

from results.ingest import formats
from results.services import dispatch, hints
from tests.results.ingest.listed import Desk, desk


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


@pytest.fixture
def listed(db: None, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The shipped catalogue, and a format that reads what the test lists."""
    made = desk()
    monkeypatch.setattr(formats, "FORMATS", (made.format,))
    return made

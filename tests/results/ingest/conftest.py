"""The desk at which tests of the store hand in files."""

import pytest

from results.ingest import formats
from tests.results.ingest.listed import Desk, desk


@pytest.fixture
def listed(db: None, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The shipped catalogue, and a format that reads what the test lists."""
    made = desk()
    monkeypatch.setattr(formats, "FORMATS", (made.format,))
    return made

"""Fixtures every test may use."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as examples

from results import clock as results_clock

# A machine that does other work is slow, and that is no fault of a test. ``--hypothesis-profile=thorough``
# looks longer.
_PATIENT = examples(deadline=None, suppress_health_check=[HealthCheck.too_slow])
examples.register_profile("everyday", _PATIENT, max_examples=30)
examples.register_profile("thorough", _PATIENT, max_examples=1000)
examples.load_profile("everyday")


@dataclass
class Clock:
    """A clock that moves only when a test says so."""

    time: datetime

    def now(self) -> datetime:
        return self.time

    def advance(self, seconds: float) -> datetime:
        self.time += timedelta(seconds=seconds)
        return self.time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake = Clock(datetime(2026, 11, 1, 12, 0, tzinfo=UTC))
    monkeypatch.setattr(results_clock, "now", fake.now)
    return fake


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """A request in Chinese leaves its language active for whatever its thread does next."""
    with translation.override("en"):
        yield


@pytest.fixture(autouse=True)
def artifact_folder(tmp_path: Path) -> Iterator[Path]:
    """Each test has an empty artifact store and data folder of its own."""
    from django.test import override_settings

    folder = tmp_path / "artifacts"
    options = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(folder)}}
    stores = {**settings.STORAGES, "artifacts": options}
    with override_settings(STORAGES=stores, VAR=tmp_path / "var"):
        yield folder

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from results.github.client import GitHub
from results.github.exchange import Limits
from results.github.server import read_server
from results.models import PullRequest
from results.services.load_projects import load_projects
from tests.conftest import Clock
from tests.results.github.server import PULL, Fake, pull_json, serving
from tests.results.services.test_load_projects import toy


@pytest.fixture(autouse=True)
def plain_static(settings: Settings, tmp_path: Path) -> None:
    """Pages with plain static names: no collectstatic before a test."""
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    settings.STATIC_ROOT = tmp_path


@pytest.fixture
def fake() -> Iterator[Fake]:
    with serving() as made:
        made.objects[PULL] = pull_json()
        yield made


@pytest.fixture
def github(fake: Fake, settings: Settings) -> GitHub:
    """A client with a token, little time and little room."""
    settings.GITHUB_API_URL, settings.GITHUB_TOKEN = fake.url, "secret"
    return GitHub(read_server(fake.url, "secret"), Limits(seconds=5.0, size=200_000))


@pytest.fixture
def pull(db: None, clock: Clock, tmp_path: Path) -> PullRequest:
    """who/toy#7, which the catalogue calls open as of 2026-09-01."""
    load_projects(folder=toy(tmp_path))
    return PullRequest.objects.get()

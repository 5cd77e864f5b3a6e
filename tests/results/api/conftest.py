"""Three actors, a small catalogue and runs for the API tests."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from rest_framework.test import APIClient

from results.models import (
    Alias,
    ApiToken,
    Artifact,
    AttemptArtifact,
    Engine,
    Hardware,
    LanguageModel,
    Point,
    Run,
)
from results.services.submit_run import read_run_document, submit_run
from results.services.tokens import create_token
from results.storage import put_bytes
from tests.conftest import Clock
from tests.results.documents.test_run_document import DOCUMENT


@dataclass(frozen=True)
class Actor:
    """A client that sends one token, or none."""

    token: ApiToken | None
    client: APIClient


def actor(scope: str | None) -> Actor:
    client = APIClient(raise_request_exception=True)
    if scope is None:
        return Actor(None, client)
    token, secret = create_token(name=f"a {scope} token", scope=scope)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return Actor(token, client)


@pytest.fixture
def catalogue(db: None, hinted: list[str]) -> None:
    """The few rows that DOCUMENT names, and some that it does not."""
    for slug, kind in (("cpu", "cpu"), ("h100", "gpu")):
        Hardware.objects.create(slug=slug, name=slug.upper(), vendor="v", kind=kind)
    for slug in ("llamacpp", "vllm", "sglang"):
        Engine.objects.create(slug=slug, name=slug, executable=slug != "sglang")
    LanguageModel.objects.create(slug="northstar-tiny", name="Northstar tiny")
    Alias.objects.create(kind="hardware", spelling="h100-dgxc", canonical="h100", source="a test")


@pytest.fixture
def owner(catalogue: None) -> Actor:
    return actor("submit")


@pytest.fixture
def other(catalogue: None) -> Actor:
    return actor("submit")


@pytest.fixture
def anonymous(catalogue: None) -> Actor:
    return actor(None)


@pytest.fixture
def document() -> dict[str, Any]:
    return copy.deepcopy(DOCUMENT)


@pytest.fixture
def submit(catalogue: None, clock: Clock) -> Callable[..., Run]:
    """Submits a run; each is a second younger than the one before."""

    def submitted(token: ApiToken | None = None, **changes: Any) -> Run:
        clock.advance(1)
        value = read_run_document(copy.deepcopy(DOCUMENT) | changes)
        return submit_run(document=value, token=token)

    return submitted


def add_point(run: Run, load: int = 1, **values: Any) -> Point:
    """A diagnostic point of the run's newest attempt."""
    attempt = run.attempts.order_by("-number")[0]
    columns = {"validity": "diagnostic", "reasons": ["short_window"], "rules_version": "1"}
    return Point.objects.create(
        run=run, attempt=attempt, load=load, parser_version="1", created_at=run.created_at, **columns | values
    )


def add_file(run: Run, artifact: Artifact, path: str) -> None:
    """A file of the run's only attempt."""
    AttemptArtifact.objects.create(attempt=run.attempts.get(), artifact=artifact, path=path)


@pytest.fixture
def artifact(db: None) -> str:
    """sha256 of a stored file."""
    return put_bytes(b"{}", "application/json").sha256


@pytest.fixture
def plain_static(settings: Any) -> None:
    """Static addresses without the manifest that only ``collectstatic`` writes."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}

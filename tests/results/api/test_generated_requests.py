"""Requests generated from the schema, good and bad, are answered as the schema says."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from results.services.tokens import create_token
from tests.results.api.test_schema import DESCRIPTION

Operation = APIOperation[Any, Any, Any, Any]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
EXAMPLES = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def kept_connection() -> Iterator[None]:
    """A request through WSGI must not close the connection that holds the test's transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


#: Addresses that take nothing, or any text: no request to them is bad.
UNBREAKABLE = {"/api/v1/metrics/", "/api/v1/status/", "/api/v1/hosts/", "/api/v1/hosts/{name}/"}


def cases() -> Iterator[Any]:
    """Each operation with good and with bad data; archives and forms of files have tests of their own."""
    for found in schemathesis.openapi.from_dict(DESCRIPTION).get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        if operation.path in ("/api/v1/bundles/", "/api/v1/results/"):
            continue
        yield pytest.param(operation, GenerationMode.POSITIVE, id=f"{operation.label} good")
        if operation.path not in UNBREAKABLE:
            yield pytest.param(operation, GenerationMode.NEGATIVE, id=f"{operation.label} bad")


@pytest.mark.parametrize(("operation", "mode"), list(cases()))
@pytest.mark.usefixtures("catalogue", "kept_connection")
def test_generated_requests_are_answered_as_described(operation: Operation, mode: GenerationMode) -> None:
    application = operation.schema.app = get_wsgi_application()
    secret = create_token(name="generated", scope="submit")[1]
    # Nothing between this client and the application would undo a compression.
    headers = {"Authorization": f"Bearer {secret}", "Accept-Encoding": "identity"}

    @EXAMPLES
    @given(case=operation.as_strategy(generation_mode=mode))
    def probe(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate(app=application, headers=headers, checks=CHECKS)

    probe()

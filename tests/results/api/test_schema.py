"""The committed schema is the served one, it is valid, and the API keeps to it."""

import io
import os
import re
from pathlib import Path
from typing import Any

import yaml
from django.core.management import call_command

from results.api.urls import urlpatterns
from tests.results.api.conftest import Actor

COMMITTED = Path(__file__).resolve().parents[3] / "docs" / "openapi.yaml"
REWRITE = "NORTHSTAR_REWRITE"
DESCRIPTION: dict[str, Any] = yaml.safe_load(COMMITTED.read_text(encoding="utf-8"))


def generated() -> str:
    out = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    return out.getvalue()


def test_the_committed_schema_is_current() -> None:
    """``NORTHSTAR_REWRITE=1 pytest tests/results/api/test_schema.py`` writes it anew."""
    current = generated()
    if os.environ.get(REWRITE):
        COMMITTED.write_text(current, encoding="utf-8")
    assert COMMITTED.read_text(encoding="utf-8") == current


def test_the_served_schema_is_the_committed_one(anonymous: Actor) -> None:
    served = yaml.safe_load(anonymous.client.get("/api/v1/schema/").content)
    assert served == yaml.safe_load(COMMITTED.read_text(encoding="utf-8"))


def test_every_route_is_described() -> None:
    described = {path.removeprefix("/api/v1/") for path in DESCRIPTION["paths"]}
    routes = {str(route.pattern) for route in urlpatterns if route.name not in ("schema", "docs", "unknown")}
    plain = {re.sub(r"<[a-z]+:([a-z0-9_]+)>", r"{\1}", route) for route in routes}
    assert plain == described


def test_writing_is_described_with_its_scope_and_reading_as_open() -> None:
    for item in DESCRIPTION["paths"].values():
        for method, operation in item.items():
            assert ({} in operation["security"]) == (method == "get")


def test_run_documents_are_described_as_they_may_be_written() -> None:
    schema = DESCRIPTION["components"]["schemas"]["RunDocument"]
    assert set(schema["required"]) == {"label", "recipe", "scenario", "loads"}
    assert schema["additionalProperties"] is False

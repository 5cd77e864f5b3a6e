"""The workflow of docs/github.md, its script run by bash against a real server."""

import os
import re
import shutil
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest
import yaml
from pytest_django.live_server_helper import LiveServer

from results.api.views import comparisons
from results.models import Comparison
from results.queries.comparisons import ComparisonRow, comparison_row
from results.services.conclude_comparison import conclude_ready
from results.services.load_projects import load_projects
from results.services.tokens import create_token
from tests.factories import catalogue
from tests.results.services.test_conclude_comparison import finish
from tests.results.services.test_load_projects import toy
from tests.results.services.test_start_comparison import host

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "github.md"
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="needs jq and curl"),
]


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    assert found
    return found[1]


def run(server: LiveServer, folder: Path) -> subprocess.CompletedProcess[str]:
    """The job's script with the variables that GitHub and the workflow set."""
    (folder / "plan.json").write_text(block("json"), encoding="utf-8")
    script = yaml.safe_load(block("yaml"))["jobs"]["measure"]["steps"][1]["run"]
    variables = {
        "NORTHSTAR": server.url, "NORTHSTAR_TOKEN": create_token(name="ci", scope="submit")[1], "NUMBER": "7",
        "PLAN": str(folder / "plan.json"), "POLL_SECONDS": "0", "GITHUB_RUN_ID": "42",
        "GITHUB_REPOSITORY": "who/toy", "GITHUB_STEP_SUMMARY": str(folder / "summary"),
    }  # fmt: skip
    return subprocess.run(
        ["bash", "-c", script], env=os.environ | variables, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(("factor", "code", "headline"), [(1.3, 0, "strong_gain"), (0.7, 1, "regression")])
@pytest.mark.usefixtures("hinted")
def test_the_workflow_submits_a_plan_and_waits_for_the_verdict(
    live_server: LiveServer, tmp_path: Path, monkeypatch: Any, factor: float, code: int, headline: str
) -> None:
    asked = []

    def ending_at_the_third_question(identifier: uuid.UUID, *, exploratory: bool) -> ComparisonRow | None:
        asked.append(identifier)
        if len(asked) == 3:
            finish(Comparison.objects.get(), factor)
            conclude_ready()
        return comparison_row(identifier, exploratory=exploratory)

    monkeypatch.setattr(comparisons, "comparison_row", ending_at_the_third_question)
    catalogue()
    host()
    load_projects(folder=toy(tmp_path))
    done = run(live_server, tmp_path)
    assert (done.returncode, len(asked)) == (code, 3), done.stdout + done.stderr
    assert done.stdout.endswith(f"{headline}: {live_server.url}/pulls/who/toy/7/\n")
    assert f"request_throughput\t1\t{headline}\t" in done.stdout
    assert (tmp_path / "summary").read_text(encoding="utf-8").startswith(headline)

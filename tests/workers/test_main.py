"""The command line: bad input is exit code 2 and exactly one line that names field and rule."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.factories import run_json
from workers.__main__ import parser

ROOT = Path(__file__).resolve().parents[2]


def workers(*arguments: object) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "workers", *map(str, arguments)]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60)


def refused(result: subprocess.CompletedProcess[str]) -> str:
    """The one line on standard error."""
    assert result.returncode == 2, result
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line


def without(document: dict[str, Any], *path: str) -> dict[str, Any]:
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return document


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("\udcff", "not JSON"),
        (json.dumps(run_json(loads=[2, 1])), "loads must be strictly increasing"),
        (json.dumps(run_json(loads=[])), "/loads: "),
        (json.dumps(run_json(surprise=1)), "/surprise: Extra inputs are not permitted"),
        (json.dumps(without(run_json(), "recipe", "engine")), "/recipe/engine: Field required"),
        (
            json.dumps(run_json(scenario={"kind": "fixed", "isl": 8, "osl": 8})),
            "/scenario/kind: only agentic",
        ),
        (json.dumps(run_json(client={"window_seconds": 40})), "needs unsafe_override"),
        (json.dumps(run_json(hard_limit_seconds=float("nan"))), "/hard_limit_seconds: "),
    ],
    ids=["cut", "deep", "bytes", "order", "empty", "extra", "missing", "fixed", "window", "nan"],
)
def test_a_bad_document_is_refused_in_one_line(tmp_path: Path, text: str, line: str) -> None:
    document = tmp_path / "run.json"
    document.write_text(text, encoding="utf-8", errors="surrogateescape")
    said = refused(workers("run", document, "--bundle", tmp_path / "out"))
    assert said.startswith(f"{document}: ")
    assert line in said
    assert not (tmp_path / "out").exists()


def test_bad_paths_are_named(tmp_path: Path) -> None:
    document = tmp_path / "run.json"
    assert refused(workers("run", document, "--bundle", tmp_path / "o")) == (
        f"{document}: No such file or directory"
    )
    document.write_text(json.dumps(run_json()))
    assert refused(workers("run", document, "--bundle", tmp_path)) == f"--bundle: {tmp_path} is not empty"
    below_a_file = document / "out"
    assert refused(workers("run", document, "--bundle", below_a_file)).startswith(
        f"--bundle: {below_a_file}: "
    )


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["run", "r.json"], "the following arguments are required: --bundle"),
        (["run", "r.json", "--bundle", "o", "--attempt", "-1"], "argument --attempt: "),
        (["run", "r.json", "--bundle", "o", "--run-id", "seven"], "argument --run-id: "),
        (["example", "--label", "x", "--loads", "1,two"], "--loads: '1,two' is not a list of numbers"),
        (["example", "--label", "faster"], "--label: one of no-prefix-cache, prefix-cache, "),
        (["provision", "everything"], "argument NAME: 'everything' is not one of llamacpp, "),
        ([], "the following arguments are required: COMMAND"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused_in_one_line(arguments: list[str], line: str) -> None:
    assert line in refused(workers(*arguments))


def test_provision_without_names_installs_the_default_engine_and_the_client() -> None:
    assert parser().parse_args(["provision"]).environments == ["llamacpp", "aiperf"]


@pytest.mark.parametrize(("gpu", "name"), [(True, "vllm-cuda"), (False, "vllm-cpu")])
def test_vllm_has_one_environment_per_kind_of_host(
    gpu: bool, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.__main__.has_nvidia_gpu", lambda: gpu)
    assert parser().parse_args(["provision", "vllm", "aiperf"]).environments == [name, "aiperf"]

"""Rows for tests, each valid by itself and named by what varies."""

from datetime import UTC, datetime
from typing import Any

from results import clock
from results.documents.identity import identity_digest
from results.documents.run import RunDocument, check_executable
from results.models import (
    Attempt,
    Engine,
    Hardware,
    Host,
    LanguageModel,
    Point,
    Quarantine,
    Recipe,
    ResultFile,
    Run,
    Scenario,
    State,
    Upload,
    UploadedFile,
)
from results.storage import put_bytes

START = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


def run_json(**changes: Any) -> dict[str, Any]:
    """A run document that the API accepts once the catalogue is there."""
    document: dict[str, Any] = {
        "schema": "northstar.run/1",
        "label": "prefix-cache",
        "recipe": {
            "roles": {"serve": {"hardware": "cpu", "gpus": 1}},
            "engine": {"name": "llamacpp", "version": "2026.10.11549"},
            "model": {"name": "northstar-tiny", "revision": "sha256:00"},
            "precision": "fp16",
            "kv_dtype": "fp16",
            "arguments": {"parallel": 2},
        },
        "scenario": {"kind": "agentic", "corpus": "cpu-8k", "context_cap": 8192},
        "loads": [1, 2],
        "client": {"window_seconds": 40, "unsafe_override": True},
    }
    return document | changes


def catalogue() -> None:
    """The three catalogue rows that ``run_json`` names."""
    Hardware.objects.get_or_create(slug="cpu", defaults={"name": "CPU", "vendor": "host", "kind": "cpu"})
    Engine.objects.get_or_create(slug="llamacpp", defaults={"name": "llama.cpp", "executable": True})
    LanguageModel.objects.get_or_create(slug="northstar-tiny", defaults={"name": "Northstar tiny"})


def make_recipe(**arguments: Any) -> Recipe:
    catalogue()
    document = run_json()
    document["recipe"] = {**document["recipe"], "arguments": {"parallel": 2} | arguments}
    recipe = check_executable(RunDocument.model_validate(document)).recipe
    row, _made = Recipe.objects.get_or_create(
        fingerprint=recipe.fingerprint,
        defaults={
            "document": recipe.model_dump(mode="json"),
            "hardware": Hardware.objects.get(slug="cpu"),
            "gpu_count": recipe.total_gpus,
            "engine": Engine.objects.get(slug="llamacpp"),
            "engine_version": "2026.10.11549",
            "language_model": LanguageModel.objects.get(slug="northstar-tiny"),
            "precision": recipe.precision,
            "kv_offload": recipe.kv_offload.mode,
            "disaggregated": False,
            "created_at": clock.now(),
        },
    )
    return row


def make_host(name: str = "alpha", **fields: Any) -> Host:
    seen = clock.now()
    values = {"hardware_slugs": ["cpu"], "engines": ["llamacpp"], "first_seen_at": seen, "last_seen_at": seen}
    return Host.objects.create(name=name, **(values | fields))


def make_run(*, state: State = State.QUEUED, recipe: Recipe | None = None, **fields: Any) -> Run:
    """A run in ``state``, without attempts."""
    scenario, _made = Scenario.objects.get_or_create(kind="agentic", corpus="cpu-8k", context_cap=8192)
    now = clock.now()
    final = state in (State.SUCCEEDED, State.FAILED, State.CANCELLED)
    values: dict[str, Any] = {
        "label": "prefix-cache",
        "recipe": recipe or make_recipe(),
        "scenario": scenario,
        "loads": [1, 2],
        "document": run_json(),
        "hard_limit_seconds": 3600,
        "state": state,
        "failure_class": "client" if state == State.FAILED else "",
        "created_at": now,
        "ended_at": now if final else None,
    }
    return Run.objects.create(**(values | fields))


def make_attempt(run: Run, number: int = 0, *, state: State = State.QUEUED, **fields: Any) -> Attempt:
    now = clock.now()
    final = state in (State.SUCCEEDED, State.FAILED, State.CANCELLED)
    values: dict[str, Any] = {"created_at": now, "state": state, "ended_at": now if final else None}
    return Attempt.objects.create(run=run, number=number, **(values | fields))


def make_point(run: Run | None = None, load: int = 1, **metrics: float) -> Point:
    """A diagnostic point of a succeeded run."""
    run = run or make_run(state=State.SUCCEEDED)
    attempt = run.attempts.first() or make_attempt(run, state=State.SUCCEEDED)
    values: dict[str, Any] = {
        "validity": "diagnostic",
        "reasons": ["unsafe_override"],
        "rules_version": "agentx-1",
        "parser_version": "aiperf-1",
        "created_at": clock.now(),
    }
    return Point.objects.create(run=run, attempt=attempt, load=load, **(values | metrics))


def make_upload(files: int = 1, **facts: Any) -> Upload:
    """A delivery whose files each wait for an identity; their contents are numbers."""
    totals = {"files": files, "created": 0, "unchanged": 0, "superseded": 0, "quarantined": files}
    report: dict[str, Any] = {"files": [], "totals": totals}
    now = clock.now()
    values = {"handle": "command", "name": "results", "received_at": now, "report": report}
    upload = Upload.objects.create(**(values | facts))
    for number in range(files):
        file = make_result_file(b"%d" % number, path=f"results/{number}.json")
        UploadedFile.objects.create(upload=upload, file=file, path=file.path)
    return upload


def make_result_file(content: bytes, **facts: Any) -> ResultFile:
    """A stored file of a known format in which one place waits for an identity."""
    now = clock.now()
    columns = {"path": "a.json", "format": "vllm-bench-serve", "parser_version": "p/1", "received_at": now}
    file, made = ResultFile.objects.get_or_create(
        artifact=put_bytes(content),
        identity_digest=identity_digest({}),
        defaults=columns | {"read_at": now} | facts,
    )
    if made:
        Quarantine.objects.create(
            file=file,
            pointer="/0",
            missing=["/recipe/precision"],
            reason="nobody states /recipe/precision",
            parser_version="p/1",
            created_at=now,
        )
    return file

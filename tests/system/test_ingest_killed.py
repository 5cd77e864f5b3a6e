"""Reading files is interrupted at random moments: nothing is half there, nothing twice, nothing lost."""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from dashboard.embedded.paths import postgres_url, socket_folder
from dashboard.embedded.postgres import PostgresServer
from tests.system.processes import ROOT, all_gone, descendants, outside

pytestmark = pytest.mark.system
FILES, ROWS = 50, 12
#: Every file is interrupted once: most readers are killed, some lose their connection, two the server.
MEANS = ["kill"] * 38 + ["disconnect"] * 10 + ["crash"] * 2
STATE = (
    "SELECT run.id, recipe.fingerprint, run.loads, run.measured_at, point.load, point.digest, point.current,"
    " point.ttft_p50 FROM results_run run JOIN results_recipe recipe ON recipe.id = run.recipe_id"
    " LEFT JOIN results_point point ON point.run_id = run.id ORDER BY run.id, point.load, point.digest",
    "SELECT file.artifact_id, source.pointer, point.digest FROM results_pointsource source"
    " JOIN results_resultfile file ON file.id = source.file_id"
    " JOIN results_point point ON point.id = source.point_id ORDER BY 1, 2",
    "SELECT recipe.fingerprint, curve.run_id FROM results_curve curve"
    " JOIN results_recipe recipe ON recipe.id = curve.recipe_id ORDER BY 1, 2",
    "SELECT file.artifact_id, place.pointer, place.reason FROM results_quarantine place"
    " JOIN results_resultfile file ON file.id = place.file_id ORDER BY 1, 2",
)
#: Files that were read and lack rows, or were not read and have some.
HALF = (
    "SELECT file.path, file.read_at IS NULL, count(source.id) FROM results_resultfile file"
    " LEFT JOIN results_pointsource source ON source.file_id = file.id GROUP BY file.id"
    " HAVING count(source.id) <> CASE WHEN file.read_at IS NULL THEN 0 ELSE %s END"
)
#: Columns of our export that a reader needs.
HEADER = (
    "run", "label", "load", "validity", "reasons", "rules_version", "scenario", "measured_at",
    "recipe_document", "extra", "ttft_p50", "output_throughput_per_gpu",
)  # fmt: skip


def write_file(folder: Path, number: int) -> Path:
    """Points of a few runs; neighbouring files share runs and measure other numbers there."""
    chance = random.Random(number)  # noqa: S311
    path = folder / f"points-{number}.csv"
    with path.open("w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(HEADER)
        for row in range(ROWS):
            run = number // 2 * 4 + row % 4
            writer.writerow([UUID(int=run + 1), "a", row // 4 + 1, "valid", "", "fixed-1", "1024/1024",
                             f"2026-05-{run % 28 + 1:02}T00:00:{number:02}+00:00", recipe(run % 3), "{}",
                             chance.random(), chance.random()])  # fmt: skip
        # One row that is refused.
        writer.writerow(["no", "a", 1, "valid", "", "fixed-1", "1024/1024", "", recipe(0), "{}", 1.0, 1.0])
    return path


def recipe(variant: int) -> str:
    return json.dumps({
        "roles": {"serve": {"hardware": "h100", "gpus": 1}},
        "engine": {"name": "vllm"},
        "model": {"name": "gpt-oss-120b"},
        "precision": "fp4",
        "arguments": {"variant": variant},
    })  # fmt: skip


class Readers:
    """Starts readers of files in one database."""

    def __init__(self, var: Path, url: str) -> None:
        environment = outside(
            DATABASE_URL=url, NORTHSTAR_VAR=str(var), SECRET_KEY="k" * 50,
            DJANGO_SETTINGS_MODULE="dashboard.settings",
        )  # fmt: skip
        argv = [sys.executable, "-m", "tests.system.ingest_children"]
        self.process = subprocess.Popen(
            argv, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, *paths: Path) -> int:
        assert self.process.stdin is not None
        self.process.stdin.write("\t".join(map(str, paths)) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def ended(self) -> int:
        """Exit status of the reader, negative for a signal."""
        return self._answer()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()

    def _answer(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    server = PostgresServer(tmp_path_factory.mktemp("db"), durable=True)
    server.start()
    yield server
    server.stop()
    socket_folder(server.var).rmdir()


def url_of(server: PostgresServer, database: str) -> str:
    return postgres_url(server.var).replace("/northstar?", f"/{database}?")


def rows(url: str, query: str, *values: object) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(query, values).fetchall()


def state(url: str) -> list[list[tuple[Any, ...]]]:
    return [rows(url, query) for query in STATE]


def prepare(server: PostgresServer) -> tuple[str, str]:
    """Two databases with the schema and the catalogue."""
    first, second = url_of(server, "northstar"), url_of(server, "undisturbed")
    environment = outside(DATABASE_URL=first, NORTHSTAR_VAR=str(server.var), SECRET_KEY="k" * 50)
    for command in ("migrate", "load_catalogue"):
        argv = [sys.executable, "manage.py", command]
        subprocess.run(argv, cwd=ROOT, env=environment, check=True, capture_output=True)
    with psycopg.connect(url_of(server, "postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE undisturbed TEMPLATE northstar")
    return first, second


def interrupt(server: PostgresServer, means: str, reader: int) -> None:
    if means == "kill":
        with suppress(ProcessLookupError):
            os.kill(reader, signal.SIGKILL)
    elif means == "disconnect":
        rows(
            url_of(server, "postgres"),
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'northstar'",
        )
    else:
        assert server.pid is not None
        processes = [server.pid, *descendants(server.pid)]
        os.kill(server.pid, signal.SIGKILL)
        assert all_gone(processes)
        server.start()


def test_fifty_interruptions_leave_whole_files_only(server: PostgresServer, tmp_path: Path) -> None:
    disturbed, undisturbed = prepare(server)
    files = [write_file(tmp_path, number) for number in range(FILES)]
    calm = Readers(tmp_path / "calm", undisturbed)
    started = time.monotonic()
    calm.start(*files)
    assert calm.ended() == 0
    usual = (time.monotonic() - started) / FILES
    calm.close()

    chance = random.Random(50)  # noqa: S311
    means = chance.sample(MEANS, len(MEANS))
    readers = Readers(tmp_path / "var", disturbed)
    unfinished = 0
    for path, how in zip(files, means, strict=True):
        reader = readers.start(path)
        time.sleep(chance.uniform(0, 1.5 * usual))
        interrupt(server, how, reader)
        unfinished += readers.ended() != 0
        assert rows(disturbed, HALF, ROWS) == []
    assert unfinished > FILES / 3, "the interruptions came too late to mean anything"

    readers.start(*reversed(files))
    assert readers.ended() == 0
    assert rows(disturbed, HALF, ROWS) == []
    assert state(disturbed) == state(undisturbed)
    assert len(rows(disturbed, "SELECT 1 FROM results_point")) == FILES * ROWS
    readers.close()

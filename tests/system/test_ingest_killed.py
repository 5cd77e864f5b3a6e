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
from django.db import connections
from psycopg.conninfo import make_conninfo

from dashboard.embedded.paths import postgres_url, socket_folder
from dashboard.embedded.postgres import PostgresServer, programs
from tests.system.ingest_children import CATALOGUE
from tests.system.processes import ROOT, all_gone, descendants, outside

#: Of the database for tests only the schema is used; the mark makes sure that it is there.
pytestmark = [pytest.mark.system, pytest.mark.django_db]
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
    """Starts readers of files in one database, which need not be there yet."""

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
        return self._ask("\t".join(map(str, paths)))

    def load_catalogue(self) -> None:
        self._ask(CATALOGUE)
        assert self.ended() == 0

    def ended(self) -> int:
        """Exit status of the reader, negative for a signal."""
        return self._answer()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()

    def _ask(self, line: str) -> int:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self._answer()

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


@pytest.fixture
def readers(
    server: PostgresServer, tmp_path: Path, django_db_setup: None
) -> Iterator[tuple[Readers, Readers]]:
    """Readers of two databases with the schema and the catalogue: of ``northstar`` and ``undisturbed``."""
    both = (
        Readers(tmp_path / "var", url_of(server, "northstar")),
        Readers(tmp_path / "calm", url_of(server, "undisturbed")),
    )
    try:
        copy_schema(url_of(server, "northstar"))
        both[0].load_catalogue()
        with psycopg.connect(url_of(server, "postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE undisturbed TEMPLATE northstar")
        yield both
    finally:
        for one in both:
            one.close()


def copy_schema(url: str) -> None:
    """That of the database for tests, which has been migrated already."""
    known = connections["default"].get_connection_params()
    names = ("dbname", "host", "port", "user", "password")
    source = make_conninfo(**{name: known[name] for name in names if known.get(name)})
    dump = subprocess.run(
        [programs() / "pg_dump", "--no-owner", "--dbname", source], check=True, capture_output=True
    )
    restore = [
        str(programs() / "psql"),
        "--quiet",
        "--single-transaction",
        "-v",
        "ON_ERROR_STOP=1",
        "-d",
        url,
    ]
    subprocess.run(restore, input=dump.stdout, check=True, capture_output=True)


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


def test_fifty_interruptions_leave_whole_files_only(
    server: PostgresServer, tmp_path: Path, readers: tuple[Readers, Readers]
) -> None:
    victims, calm = readers
    disturbed, undisturbed = url_of(server, "northstar"), url_of(server, "undisturbed")
    files = [write_file(tmp_path, number) for number in range(FILES)]
    started = time.monotonic()
    calm.start(*files)
    assert calm.ended() == 0
    usual = (time.monotonic() - started) / FILES

    chance = random.Random(50)  # noqa: S311
    means = chance.sample(MEANS, len(MEANS))
    unfinished = 0
    for path, how in zip(files, means, strict=True):
        reader = victims.start(path)
        time.sleep(chance.uniform(0, 1.5 * usual))
        interrupt(server, how, reader)
        unfinished += victims.ended() != 0
        assert rows(disturbed, HALF, ROWS) == []
    assert unfinished > FILES / 3, "the interruptions came too late to mean anything"

    victims.start(*reversed(files))
    assert victims.ended() == 0
    assert rows(disturbed, HALF, ROWS) == []
    assert state(disturbed) == state(undisturbed)
    assert len(rows(disturbed, "SELECT 1 FROM results_point")) == FILES * ROWS

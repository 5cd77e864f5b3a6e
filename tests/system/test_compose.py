"""docker-compose.yml without Docker: each of our services is started as a plain process from its own command
and environment, against the embedded PostgreSQL and Valkey in place of the database and broker images."""

import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import yaml

from dashboard.embedded.paths import broker_url, postgres_url
from dashboard.embedded.postgres import PostgresServer
from dashboard.embedded.valkey import ValkeyServer
from tests.system.processes import ROOT, eventually, outside
from workers.launchers.process import free_port

pytestmark = [pytest.mark.system, pytest.mark.xdist_group("compose")]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "northstar"}
GIVEN = {"SECRET_KEY": "0123456789abcdef" * 4, "POSTGRES_PASSWORD": "one", "BROKER_PASSWORD": "two"}
SUBSTITUTION = re.compile(r"\$\{(?P<name>[A-Z_]+)(?::(?P<kind>[-?])(?P<word>[^}]*))?\}")


def resolved(text: str, given: dict[str, str]) -> str:
    """Compose's substitution: a value, a default, or an error for what is required."""

    def value(found: re.Match[str]) -> str:
        if given.get(found["name"]):
            return given[found["name"]]
        if found["kind"] == "?":
            raise KeyError(found["word"])
        return found["word"] or ""

    return SUBSTITUTION.sub(value, text)


def environment(name: str) -> dict[str, str]:
    return {key: resolved(str(value), GIVEN) for key, value in OURS[name]["environment"].items()}


def start(name: str, place: Path, port: int = 0) -> subprocess.Popen[bytes]:
    """The service's command; what stands for another container or for /data is replaced, and nothing else."""
    ours = environment(name) | {
        "DATABASE_URL": postgres_url(place),
        "CELERY_BROKER_URL": broker_url(place),
        "NORTHSTAR_VAR": str(place),
        "ARTIFACT_STORAGE_URL": f"file://{place}/artifacts",
    }
    python, *arguments = [resolved(word, GIVEN) for word in OURS[name]["command"]]
    assert python == "python"
    arguments = [word.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for word in arguments]
    with (place / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, env=outside(**ours), stdout=log, stderr=subprocess.STDOUT
        )


@contextmanager
def running(name: str, place: Path, port: int = 0) -> Iterator[subprocess.Popen[bytes]]:
    """TERM must be enough to end a service well."""
    with start(name, place, port) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
        process.terminate()
        assert process.wait(60) == 0, (place / f"{name}.log").read_text()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in place of /data, the two servers of the other images, and a finished ``prepare``."""
    folder = tmp_path_factory.mktemp("compose")
    servers: list[PostgresServer | ValkeyServer] = [
        PostgresServer(folder, durable=False),
        ValkeyServer(folder, durable=False),
    ]
    try:
        for server in servers:
            server.start()
        with start("prepare", folder) as process:
            assert process.wait(120) == 0, (folder / "prepare.log").read_text()
        yield folder
    finally:
        for server in servers:
            server.stop()


def rows(place: Path, sql: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(postgres_url(place), autocommit=True) as connection:
        return connection.execute(sql).fetchall()


def status(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=10) as response:  # noqa: S310 - our own port
            return int(response.status)
    except OSError:
        return 0


def test_services_of_other_images_are_what_the_addresses_say() -> None:
    others = {name: service["image"] for name, service in SERVICES.items() if name not in OURS}
    assert others == {"database": "postgres:18", "broker": "rabbitmq:4"}
    ours = environment("web")
    database, broker = urlsplit(ours["DATABASE_URL"]), urlsplit(ours["CELERY_BROKER_URL"])
    assert (database.scheme, database.hostname, database.port) == ("postgres", "database", 5432)
    assert (broker.scheme, broker.hostname, broker.port) == ("amqp", "broker", 5672)
    theirs = {
        name: {key: resolved(str(value), GIVEN) for key, value in SERVICES[name]["environment"].items()}
        for name in others
    }
    assert (database.username, database.password) == (
        theirs["database"]["POSTGRES_USER"], theirs["database"]["POSTGRES_PASSWORD"],
    )  # fmt: skip
    assert database.path == f"/{theirs['database']['POSTGRES_DB']}"
    assert (broker.username, broker.password) == (
        theirs["broker"]["RABBITMQ_DEFAULT_USER"], theirs["broker"]["RABBITMQ_DEFAULT_PASS"],
    )  # fmt: skip


@pytest.mark.parametrize("missing", sorted(GIVEN))
def test_secrets_have_no_default(missing: str) -> None:
    given = {name: value for name, value in GIVEN.items() if name != missing}
    with pytest.raises(KeyError, match=f"set {missing}"):
        resolved((ROOT / "docker-compose.yml").read_text(encoding="utf-8"), given)


def test_all_of_ours_share_one_environment_and_one_volume() -> None:
    assert set(OURS) == {"prepare", "web", "worker", "sweeper"}
    shared = OURS["worker"]["environment"]
    assert OURS["prepare"]["environment"] == shared
    # A GPU host needs no token of GitHub.
    assert not any(name.startswith("GITHUB") for name in shared)
    assert OURS["web"]["environment"] == OURS["sweeper"]["environment"]
    assert shared.items() < OURS["web"]["environment"].items()
    assert all(service["volumes"] == ["data:/data"] for service in OURS.values())
    named = {entry.partition(":")[0] for service in SERVICES.values() for entry in service["volumes"]}
    assert named == set(COMPOSE["volumes"])


def test_order_of_the_start() -> None:
    for name in ("web", "worker", "sweeper"):
        assert OURS[name]["depends_on"]["prepare"] == {"condition": "service_completed_successfully"}
        assert OURS[name]["depends_on"]["broker"] == {"condition": "service_healthy"}
    assert OURS["prepare"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert all("healthcheck" in SERVICES[name] for name in ("database", "broker", "web"))


def test_prepare_leaves_a_schema_and_a_catalogue(place: Path) -> None:
    assert rows(place, "select count(*) from results_hardware")[0][0] > 10
    with start("prepare", place) as again:
        assert again.wait(120) == 0, "it must be safe to repeat"


def test_web_serves_the_page_and_its_own_health_check(place: Path) -> None:
    port = free_port()
    with running("web", place, port):
        assert eventually(lambda: status(f"http://127.0.0.1:{port}/healthz") == 200, 60)
        assert status(f"http://127.0.0.1:{port}/") == 200
        kind, python, *arguments = OURS["web"]["healthcheck"]["test"]
        assert (kind, python) == ("CMD", "python")
        arguments = [word.replace(":8000/", f":{port}/") for word in arguments]
        assert subprocess.run([sys.executable, *arguments], check=False).returncode == 0


def test_worker_registers_its_host(place: Path) -> None:
    with running("worker", place):
        found = "select name from results_host where state = 'ready'"
        assert eventually(lambda: rows(place, found) == [("local",)], 90)
        assert eventually(lambda: " ready." in (place / "worker.log").read_text(), 90)


def test_sweeper_runs_until_it_is_told_to_stop(place: Path) -> None:
    others = "select count(*) from pg_stat_activity where datname = 'northstar' and pid <> pg_backend_pid()"
    assert eventually(lambda: rows(place, others) == [(0,)], 30)
    with running("sweeper", place) as process:
        assert eventually(lambda: rows(place, others) == [(1,)], 60), "its first round asks the database"
        assert process.poll() is None
    assert "Traceback" not in (place / "sweeper.log").read_text()


def test_image_has_what_the_services_start() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = {line.split()[1] for line in text.splitlines() if line.startswith("COPY")}
    assert {"manage.py", "dashboard", "results", "workers", "templates", "static", "locale"} <= copied
    assert all((ROOT / name).exists() for name in copied)
    assert "--require-hashes" in text
    assert re.search(r"^USER northstar$", text, re.M)

"""The embedded database on real processes: crashes, killed owners, stale files, root."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from dashboard.embedded.errors import EmbeddedError
from dashboard.embedded.lock import InstanceLock
from dashboard.embedded.paths import postgres_url, socket_folder
from dashboard.embedded.postgres import PostgresServer
from dashboard.embedded.process import is_alive
from tests.system.processes import ROOT, all_gone, descendants, outside

pytestmark = pytest.mark.system
OWNER = """
import sys, time
from pathlib import Path
from dashboard.embedded.services import EmbeddedServices
services = EmbeddedServices(Path(sys.argv[1]), durable=False)
services.acquire()
services.start()
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PostgresServer]:
    server = PostgresServer(tmp_path, durable=False)
    yield server
    server.stop()
    socket_folder(tmp_path).rmdir()


def query(var: Path, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(postgres_url(var), autocommit=True) as connection:
        cursor = connection.execute(sql)
        return cursor.fetchall() if cursor.description else []


def owner(var: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(var)], cwd=ROOT, env=outside(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_committed_rows_survive_a_killed_server(tmp_path: Path) -> None:
    server = PostgresServer(tmp_path, durable=True)
    server.start()
    assert server.pid is not None
    query(tmp_path, "create table numbers as select generate_series(1, 50000) as n")
    unfinished = psycopg.connect(postgres_url(tmp_path))
    unfinished.execute("insert into numbers values (-1)")
    processes = [server.pid, *descendants(server.pid)]
    os.kill(server.pid, signal.SIGKILL)
    assert all_gone(processes)
    unfinished.close()
    assert (tmp_path / "pg" / "postmaster.pid").exists()
    server.start()
    try:
        assert query(tmp_path, "select count(*), min(n) from numbers") == [(50000, 1)]
    finally:
        server.stop()


def test_services_end_with_a_killed_owner_and_start_again(tmp_path: Path) -> None:
    first = owner(tmp_path)
    processes = descendants(first.pid)
    assert len(processes) > 2
    query(tmp_path, "create table kept (n int)")
    first.kill()
    assert all_gone(processes)
    with first:
        pass
    second = owner(tmp_path)
    try:
        assert query(tmp_path, "select count(*) from kept") == [(0,)]
    finally:
        with second:
            second.kill()


def test_second_owner_is_told_who_the_first_is(tmp_path: Path) -> None:
    first = owner(tmp_path)
    try:
        with pytest.raises(EmbeddedError, match=f"in use by process {first.pid};"):
            InstanceLock(tmp_path).acquire()
    finally:
        with first:
            first.kill()


def test_recorded_pid_of_an_unrelated_process_is_ignored(server: PostgresServer) -> None:
    server.start()
    server.stop()
    with subprocess.Popen(["/bin/sleep", "600"]) as unrelated:
        lines = [str(unrelated.pid), str(server.data), "0", "5432", "", "", "", ""]
        (server.data / "postmaster.pid").write_text("\n".join(lines), encoding="utf-8")
        (socket_folder(server.var) / ".s.PGSQL.5432.lock").write_text("\n".join(lines), encoding="utf-8")
        try:
            server.start()
            assert query(server.var, "select 1") == [(1,)]
            assert is_alive(unrelated.pid)
        finally:
            unrelated.kill()


def test_orphan_of_this_folder_is_ended(server: PostgresServer) -> None:
    orphan = PostgresServer(server.var, durable=False)
    orphan.start()
    assert orphan.pid is not None
    query(server.var, "create table kept (n int)")
    server.start()
    assert orphan.poll() == 0
    assert query(server.var, "select count(*) from kept") == [(0,)]


def test_interrupted_initdb_is_done_again(server: PostgresServer) -> None:
    half = server.var / "pg.new"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n", encoding="ascii")
    server.start()
    assert query(server.var, "select 1") == [(1,)]
    assert not half.exists()


def test_foreign_settings_in_the_shell_do_not_move_it(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PGPORT": "1", "PGDATA": "/nowhere", "PGHOST": "nowhere.invalid"}.items():
        monkeypatch.setenv(name, value)
    server.start()
    assert query(server.var, "show port") == [("5432",)]


def test_no_port_is_opened(server: PostgresServer) -> None:
    server.start()
    assert query(server.var, "show listen_addresses") == [("",)]
    assert socket_folder(server.var).stat().st_mode & 0o777 == 0o700


def test_reason_of_a_failed_start_is_one_line(server: PostgresServer) -> None:
    server.start()
    server.stop()
    (server.data / "PG_VERSION").write_text("9.6\n", encoding="ascii")
    try:
        with pytest.raises(EmbeddedError, match=r"did not start: .*(9\.6|incompatible)") as caught:
            server.start()
        assert "\n" not in str(caught.value)
    finally:
        (server.data / "PG_VERSION").write_text("18\n", encoding="ascii")


@pytest.mark.skipif(os.getuid() != 0, reason="only root has another identity to take")
def test_root_keeps_its_data_when_the_way_to_give_up_root_changes(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    for number, name in enumerate(["unprivileged", "namespace", "unprivileged"]):
        server = PostgresServer(private, durable=False, identities=(name,))
        try:
            server.start()
        except EmbeddedError as error:
            pytest.skip(f"{name}: {error}")
        try:
            query(private, f"create table t{number} (n int)")
            tables = query(private, "select count(*) from pg_tables where schemaname = 'public'")
        finally:
            server.stop()
        assert tables == [(number + 1,)]
        assert server.data.stat().st_uid == (65534 if name == "unprivileged" else 0)
    assert private.stat().st_mode & 0o777 == 0o700

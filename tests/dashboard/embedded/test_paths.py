"""Where the sockets are: the same answer everywhere, and short enough for the system."""

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

import environ
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kombu.utils.url import url_to_parts

from dashboard.embedded.paths import broker_url, postgres_url, socket_folder

FOLDERS = st.text(st.characters(codec="utf-8", exclude_characters="/\0", exclude_categories=["Cs", "Cc"]),
                  min_size=1, max_size=90).filter(lambda name: name not in (".", ".."))  # fmt: skip


@given(st.lists(FOLDERS, min_size=1, max_size=4))
def test_every_socket_path_fits_its_107_bytes(names: list[str]) -> None:
    folder = socket_folder(Path("/", *names))
    assert len(os.fsencode(folder / ".s.PGSQL.5432.lock")) <= 107


@given(st.lists(FOLDERS, min_size=1, max_size=2))
def test_django_reads_the_folder_back_from_the_url(names: list[str]) -> None:
    var = Path("/", *names)
    config = environ.Env.db_url_config(postgres_url(var))
    assert config["OPTIONS"] == {"host": str(socket_folder(var))}
    assert (config["NAME"], config["USER"], config["PORT"]) == ("northstar", "app", 5432)


@given(st.lists(FOLDERS, min_size=1, max_size=2))
def test_celery_reads_the_socket_back_from_the_url(names: list[str]) -> None:
    var = Path("/", *names)
    url = broker_url(var)
    assert url_to_parts(url).scheme == "redis+socket"
    assert unquote(urlsplit(url).path) == str(socket_folder(var) / "valkey.sock")


def test_normal_users_keep_sockets_with_their_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    assert socket_folder(Path("/home/someone/northstar/var")) == Path("/home/someone/northstar/var/run")
    assert socket_folder(Path("/home", "x" * 100, "var")).parent != Path("/home", "x" * 100, "var")


def test_two_folders_never_share_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    assert socket_folder(Path("/a/var")) != socket_folder(Path("/b/var"))
    assert socket_folder(Path("/a/var")) == socket_folder(Path("/a/var"))

"""As whom PostgreSQL runs."""

import os
from pathlib import Path

import pytest

from dashboard.embedded import identity
from dashboard.embedded.errors import EmbeddedError
from dashboard.embedded.identity import Identity, choose, give


def test_a_normal_user_stays_who_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1234)
    assert choose(Path("/")) == Identity("same", 1234)


def test_root_takes_the_first_identity_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(identity, "_works", lambda name, _places: name == "unprivileged")
    assert choose(Path("/")) == Identity("unprivileged", 65534)


def test_root_without_any_way_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(identity, "_works", lambda _name, _places: False)
    with pytest.raises(EmbeddedError, match="run as a normal user"):
        choose(Path("/"))


def test_a_folder_of_another_person_is_not_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    with pytest.raises(EmbeddedError, match=f"belongs to user {me}; run as that user, or set NORTHSTAR_VAR"):
        give(tmp_path, Identity("same", me + 1))
    assert tmp_path.stat().st_uid == me


def test_a_folder_that_is_already_right_is_left_alone(tmp_path: Path) -> None:
    give(tmp_path, Identity("same", os.getuid()))
    assert tmp_path.stat().st_uid == os.getuid()

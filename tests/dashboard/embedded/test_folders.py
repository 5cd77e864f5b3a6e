"""The sockets' folder is private or not used."""

from pathlib import Path

import pytest

from dashboard.embedded import folders
from dashboard.embedded.errors import EmbeddedError


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "sockets"
    monkeypatch.setattr(folders, "socket_folder", lambda _var: folder)
    return folder


def test_it_is_made_private_whatever_it_was(place: Path) -> None:
    place.mkdir(mode=0o755)
    assert folders.make_socket_folder(Path("/var")) == place
    assert place.stat().st_mode & 0o777 == 0o700


def test_a_link_that_somebody_left_is_refused(place: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EmbeddedError, match="would not be private"):
        folders.make_socket_folder(Path("/var"))


def test_a_file_in_its_place_is_refused(place: Path) -> None:
    place.write_text("")
    with pytest.raises(EmbeddedError, match="is no folder"):
        folders.make_socket_folder(Path("/var"))


def test_only_an_empty_folder_is_removed(place: Path) -> None:
    place.mkdir()
    (place / "in-use.sock").touch()
    folders.remove_socket_folder(Path("/var"))
    assert place.exists()
    (place / "in-use.sock").unlink()
    folders.remove_socket_folder(Path("/var"))
    assert not place.exists()
    folders.remove_socket_folder(Path("/var"))

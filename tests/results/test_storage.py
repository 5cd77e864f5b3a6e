import errno
import hashlib
import os
import stat
from io import BytesIO
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage, storages
from hypothesis import given
from hypothesis import strategies as st

from results.models import Artifact
from results.storage import (
    ArtifactCorruptError,
    ArtifactMissingError,
    StorageFullError,
    open_artifact,
    put_bytes,
    put_file,
    put_stream,
    read_artifact,
)
from tests.conftest import Clock

pytestmark = pytest.mark.django_db


def stored(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_content_is_found_under_its_digest(artifact_folder: Path, clock: Clock, tmp_path: Path) -> None:
    content = os.urandom(3 * 1024 * 1024 + 17)
    source = tmp_path / "log"
    source.write_bytes(content)
    row = put_file(source, "text/plain")
    assert row.sha256 == hashlib.sha256(content).hexdigest()
    assert (row.size, row.media_type, row.stored_at) == (len(content), "text/plain", clock.now())
    assert read_artifact(row.sha256) == content
    with open_artifact(row.sha256) as stream:
        assert stream.read(10) == content[:10]
    (file,) = stored(artifact_folder)
    assert file.relative_to(artifact_folder).parts == (row.sha256[:2], row.sha256[2:4], row.sha256)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


def test_the_same_bytes_are_written_once(artifact_folder: Path, clock: Clock) -> None:
    first = put_bytes(b"evidence", "text/plain")
    (file,) = stored(artifact_folder)
    inode = file.stat().st_ino
    clock.advance(60)
    second = put_bytes(b"evidence", "application/json")
    assert second == first
    assert (second.media_type, second.stored_at) == (first.media_type, first.stored_at)
    assert [path.stat().st_ino for path in stored(artifact_folder)] == [inode]
    assert Artifact.objects.count() == 1


def test_nothing_is_an_artifact_too() -> None:
    assert read_artifact(put_bytes(b"").sha256) == b""


def test_a_broken_promise_stores_nothing(artifact_folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "file"
    source.write_bytes(b"other bytes")
    with pytest.raises(ArtifactCorruptError, match="expected 0000"):
        put_file(source, sha256="0" * 64)
    assert stored(artifact_folder) == []
    assert not Artifact.objects.exists()


@pytest.mark.parametrize(
    "name", ["", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 65, "a" * 64 + "\n", "/" + "a" * 63]
)
def test_only_a_digest_is_a_name(name: str) -> None:
    for read in (open_artifact, read_artifact):
        with pytest.raises(ValueError, match="64 lower-case hexadecimal digits"):
            read(name)


@given(st.text(max_size=80))
def test_no_name_leaves_the_store(name: str) -> None:
    with pytest.raises((ValueError, ArtifactMissingError)):
        open_artifact(name)


def test_missing_and_changed_content_is_noticed(artifact_folder: Path) -> None:
    with pytest.raises(ArtifactMissingError):
        read_artifact("0" * 64)
    row = put_bytes(b"evidence")
    (file,) = stored(artifact_folder)
    file.write_bytes(b"Evidence")
    with pytest.raises(ArtifactCorruptError, match="has changed"):
        read_artifact(row.sha256)


def test_a_truncated_file_is_replaced_by_the_good_bytes(artifact_folder: Path) -> None:
    row = put_bytes(b"evidence")
    (file,) = stored(artifact_folder)
    file.write_bytes(b"evi")
    put_bytes(b"evidence")
    assert read_artifact(row.sha256) == b"evidence"
    assert len(stored(artifact_folder)) == 1


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_a_typed_error_and_leaves_nothing(
    artifact_folder: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageFullError, match="no space left"):
        put_bytes(b"evidence")
    assert stored(artifact_folder) == []
    assert not Artifact.objects.exists()
    monkeypatch.undo()


def test_a_really_full_device_is_the_same_error() -> None:
    class Full(BytesIO):
        """Reading it writes to a device that is always full."""

        def read(self, size: int | None = -1) -> bytes:
            with Path("/dev/full").open("wb", buffering=0) as device:
                device.write(b"x")
            return b""

    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(StorageFullError):
        put_stream(Full())


def test_another_error_stays_what_it_is() -> None:
    class Broken(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(errno.EIO, "input/output error")

    with pytest.raises(OSError, match="input/output error"):
        put_stream(Broken())


def test_a_second_writer_of_the_same_bytes_leaves_one_file(
    artifact_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage, row = storages["artifacts"], put_bytes(b"evidence")
    looks: list[str] = []

    def exists_after_the_first_look(self: FileSystemStorage, name: str) -> bool:
        looks.append(name)
        return len(looks) > 1 and Path(self.path(name)).exists()

    # The other process finishes between our look and our write.
    monkeypatch.setattr(type(storage), "exists", exists_after_the_first_look)
    assert put_bytes(b"evidence") == row
    assert len(looks) > 1
    assert len(stored(artifact_folder)) == 1
    assert read_artifact(row.sha256) == b"evidence"

import errno
import hashlib
import json
import os
from pathlib import Path

import pytest

from workers.bundle import RESERVE_BYTES, Bundle


def full_until_room_is_made(monkeypatch: pytest.MonkeyPatch, reserve: Path) -> None:
    """The disk is full as long as the reserve takes its room."""
    real = os.fsync

    def fsync(descriptor: int) -> None:
        if reserve.exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr("workers.bundle.os.fsync", fsync)


def test_the_manifest_lists_every_file_but_itself(tmp_path: Path) -> None:
    bundle = Bundle(tmp_path)
    (bundle.load(4) / "client.log").write_bytes(b"line\n")
    bundle.write("host.json", {"cpu": "\u00b5"})
    bundle.write_manifest()
    entries = json.loads((tmp_path / "MANIFEST.json").read_text())["files"]
    assert [entry["path"] for entry in entries] == ["host.json", "loads/c0004/client.log"]
    assert entries[1] == {
        "path": "loads/c0004/client.log", "size": 5, "sha256": hashlib.sha256(b"line\n").hexdigest()
    }  # fmt: skip


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_lacks_is_refused_and_nothing_is_left(tmp_path: Path, value: float) -> None:
    bundle = Bundle(tmp_path)
    with pytest.raises(ValueError, match="Out of range float"):
        bundle.write("host.json", {"memory": value})
    assert [path.name for path in tmp_path.iterdir()] == ["engine"]


def test_on_a_full_disk_the_reserve_holds_the_document_and_the_error_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = Bundle(tmp_path)
    bundle.reserve()
    reserve = tmp_path / ".reserve"
    assert reserve.stat().st_blocks * 512 >= RESERVE_BYTES
    full_until_room_is_made(monkeypatch, reserve)
    assert bundle.is_full()
    with pytest.raises(OSError, match="No space left"):
        bundle.write("host.json", {"cpu": "x"})
    assert json.loads((tmp_path / "host.json").read_text()) == {"cpu": "x"}
    assert not bundle.is_full()
    assert not list(tmp_path.glob("*.partial"))


def test_another_error_does_not_cost_the_reserve(tmp_path: Path) -> None:
    bundle = Bundle(tmp_path)
    bundle.reserve()
    with pytest.raises(FileNotFoundError):
        bundle.write("nowhere/host.json", {})
    assert (tmp_path / ".reserve").exists()

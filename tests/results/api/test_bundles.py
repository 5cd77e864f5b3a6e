"""Uploading a bundle from a host without database."""

import io
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from results.api import parsers
from results.ingest import tarball
from results.ingest.manifest import BundleError
from results.models import AuditEvent, Point, Run
from tests.results.api.conftest import Actor, actor
from tests.results.ingest.bundles import RUN, change_json, seal, write_bundle

BUNDLES = "/api/v1/bundles/"


@pytest.fixture
def worker(catalogue: None) -> Actor:
    return actor("worker")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "OUT")


def tar_of(bundle: Path, prefix: str = "OUT") -> bytes:
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w") as archive:
        archive.add(bundle, arcname=prefix)
    return body.getvalue()


def upload(who: Actor, body: bytes) -> Any:
    return who.client.post(BUNDLES, body, content_type="application/x-tar")


@pytest.mark.parametrize("prefix", ["OUT", ".", "./deep"])
def test_an_uploaded_bundle_becomes_points(worker: Actor, bundle: Path, prefix: str) -> None:
    answer = upload(worker, tar_of(bundle, prefix))
    assert answer.status_code == 201
    body = answer.json()
    assert (body["run"], body["attempt"], body["points"], body["quarantined"]) == (RUN, 0, [1, 2], [])
    assert sorted(Point.objects.values_list("load", flat=True)) == [1, 2]
    assert Run.objects.get().submitted_by == worker.token
    event = AuditEvent.objects.get(verb="upload")
    assert worker.token is not None
    assert (event.actor, event.object_id) == (f"token:{worker.token.prefix}", f"{RUN}/0")
    assert not list(Path(settings.VAR, "work").iterdir())


def test_the_same_bundle_again_changes_nothing(worker: Actor, bundle: Path) -> None:
    body = tar_of(bundle)
    assert upload(worker, body).status_code == 201
    again = upload(worker, body)
    assert (again.status_code, again.json()["new_files"]) == (200, 0)
    assert Point.objects.count() == 2


def test_another_token_cannot_add_to_the_run(worker: Actor, bundle: Path) -> None:
    upload(worker, tar_of(bundle))
    change_json(bundle / "attempt.json", attempt=1)
    seal(bundle)
    answer = upload(actor("worker"), tar_of(bundle))
    assert answer.status_code == 422
    assert "did not bring that run" in answer.json()["error"]["problems"][0]["message"]
    assert Run.objects.get().attempts.count() == 1


def test_a_submitted_run_is_out_of_an_uploads_reach(
    worker: Actor, bundle: Path, submit: Callable[..., Run]
) -> None:
    run = submit()
    change_json(bundle / "attempt.json", run_id=str(run.id))
    seal(bundle)
    assert upload(worker, tar_of(bundle)).status_code == 422
    assert not Point.objects.exists()


def member(name: str, **facts: Any) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    for key, value in facts.items():
        setattr(info, key, value)
    return info


@pytest.mark.parametrize(
    "hostile",
    [
        member("/etc/passwd"),
        member("../outside"),
        member("OUT/../../outside"),
        member("OUT/a\\b"),
        member("OUT/new\nline"),
        member("OUT/" + "a" * 600),
        member("OUT/link", type=tarfile.SYMTYPE, linkname="/etc/passwd"),
        member("OUT/hard", type=tarfile.LNKTYPE, linkname="OUT/run.json"),
        member("OUT/device", type=tarfile.CHRTYPE, devmajor=1, devminor=3),
        member("OUT/pipe", type=tarfile.FIFOTYPE),
        member("OUT/run.json"),
        member("OUT/run.json/below"),
        member("OUT/engine"),
    ],
    ids=lambda info: repr(info.name)[:24],
)
def test_hostile_members_are_refused(worker: Actor, bundle: Path, hostile: tarfile.TarInfo) -> None:
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.add(bundle, arcname="OUT")
        archive.addfile(hostile)
    answer = upload(worker, body.getvalue())
    assert answer.status_code == 422
    assert answer.json()["error"]["problems"][0]["message"].startswith("archive: ")
    assert not Run.objects.exists()
    assert not list(Path(settings.VAR, "work").iterdir())
    assert not Path(settings.VAR, "outside").exists()


def test_a_sparse_file_cannot_swell(tmp_path: Path) -> None:
    header = member("OUT/big", size=512, type=tarfile.GNUTYPE_SPARSE).tobuf(tarfile.GNU_FORMAT)
    block = bytearray(header)
    block[386:410] = b"00000000000\0" + b"00000001000\0"
    block[483:495] = b"77777777777\0"
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    archive = io.BytesIO(bytes(block) + bytes(512) + bytes(1024))
    with pytest.raises(BundleError, match="neither a file nor a folder"):
        tarball.unpack_bundle(archive, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("body", [b"", b"no tar", b"\0" * 10240, b"\x1f\x8b" + b"a" * 600])
def test_what_is_no_bundle_is_refused(worker: Actor, body: bytes) -> None:
    assert upload(worker, body).status_code == 422


def test_a_cut_archive_is_refused(worker: Actor, bundle: Path) -> None:
    whole = tar_of(bundle)
    for length in (300, len(whole) // 2, len(whole) - 12_000):
        assert upload(worker, whole[:length]).status_code == 422
    assert not Run.objects.exists()


def test_too_many_members_are_refused(worker: Actor, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarball, "MAX_MEMBERS", 3)
    assert "more than 3" in upload(worker, tar_of(bundle)).json()["error"]["problems"][0]["message"]


def test_too_large_an_archive_is_refused_unread(
    worker: Actor, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsers, "MAX_BUNDLE", 1000)
    assert upload(worker, tar_of(bundle)).status_code == 413


def test_a_bad_document_names_its_file(worker: Actor, bundle: Path) -> None:
    change_json(bundle / "attempt.json", outcome="great")
    seal(bundle)
    problem = upload(worker, tar_of(bundle)).json()["error"]["problems"][0]
    assert problem["rule"] == "bundle"
    assert problem["message"].startswith("attempt.json: /outcome")

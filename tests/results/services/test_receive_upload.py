"""Deliveries of result files: what is kept, what is read, what the report says."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import models

from results.ingest.reports import FileReport
from results.models import (
    Artifact,
    AuditEvent,
    Point,
    Quarantine,
    ResultFile,
    Run,
    Upload,
    UploadedFile,
)
from results.services import keep_file, receive_upload
from results.services.load_catalogue import load_catalogue
from results.services.tokens import create_token
from results.storage import StorageFullError, read_artifact
from tests.results.ingest.bundles import seal, write_bundle
from tests.results.services.deliveries import IDENTITY, bench, deliver, tarred, without, zipped

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def catalogue() -> None:
    load_catalogue()


def files_of(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {file["path"]: file for file in report["files"]}


def state() -> dict[str, list[Any]]:
    """Every row that a delivery may leave, and the stored bytes."""
    tables: tuple[type[models.Model], ...] = (
        Artifact, ResultFile, UploadedFile, Upload, Point, Run, Quarantine, AuditEvent,
    )  # fmt: skip
    rows = {table.__name__: list(table._default_manager.order_by("pk").values()) for table in tables}
    stores: Any = settings.STORAGES
    folder = Path(stores["artifacts"]["OPTIONS"]["location"])
    return rows | {"bytes": sorted(path.name for path in folder.rglob("*") if path.is_file())}


def work_is_empty() -> bool:
    return not list(Path(settings.VAR).rglob("work/*"))


def test_a_file_with_its_identity_becomes_a_point(tmp_path: Path) -> None:
    done = deliver(tmp_path, {"results/a.json": bench(16)}, identity=IDENTITY)
    report = files_of(done.report)["results/a.json"]
    assert (report["format"], report["version"]) == ("vllm-bench-serve", "bench-serve")
    assert (report["created"], report["unchanged"], report["quarantined"]) == (1, 0, [])
    assert done.report["totals"] == {
        "files": 1, "created": 1, "unchanged": 0, "superseded": 0, "quarantined": 0,
    }  # fmt: skip
    point = Point.objects.get()
    assert (point.load, point.value("output_throughput_per_gpu")) == (16, 128.0)
    assert point.run.recipe.language_model.slug == "gpt-oss-120b"
    upload = Upload.objects.get()
    assert (upload.id, upload.report, upload.identity) == (done.upload, done.report, IDENTITY)
    assert read_artifact(report["sha256"]) == bench(16)
    event = AuditEvent.objects.get(verb="upload")
    assert (event.actor, event.object_id) == ("operator", str(upload.id))
    assert work_is_empty()


def test_the_same_again_and_in_an_archive_changes_nothing(tmp_path: Path) -> None:
    deliver(tmp_path, {"a.json": bench(16)}, identity=IDENTITY)
    before = list(Point.objects.values())
    for files in ({"a.json": bench(16)}, {"x.zip": zipped({"deep/b.json": bench(16)})}):
        totals = deliver(tmp_path, files, identity=IDENTITY).report["totals"]
        assert (totals["created"], totals["unchanged"], totals["quarantined"]) == (0, 1, 0)
    assert list(Point.objects.values()) == before
    assert ResultFile.objects.exclude(format="archive").count() == 1


def test_without_identity_it_waits_and_says_what_is_missing(tmp_path: Path) -> None:
    done = deliver(tmp_path, {"a.json": bench(16)})
    (refused,) = done.report["files"][0]["quarantined"]
    assert {"/recipe/engine/name", "/recipe/precision", "/recipe/roles/serve/hardware"} <= set(
        refused["missing"]
    )
    assert done.report["totals"]["quarantined"] == 1
    row = Quarantine.objects.get()
    assert (row.missing, row.reason, row.resolved_at) == (refused["missing"], refused["reason"], None)
    assert not Point.objects.exists()


def test_less_identity_than_known_is_the_known_file(tmp_path: Path) -> None:
    deliver(tmp_path, {"a.json": bench(16)}, identity=IDENTITY)
    less = deliver(tmp_path, {"a.json": bench(16)}, identity=without(IDENTITY, "recipe", "precision"))
    assert less.report["totals"]["unchanged"] == 1
    other = {**IDENTITY, "scenario": {"kind": "fixed", "isl": 8192, "osl": 512}}
    assert deliver(tmp_path, {"a.json": bench(16)}, identity=other).report["totals"]["created"] == 1
    assert ResultFile.objects.count() == 2


def test_an_identity_file_holds_for_what_lies_beside_and_below_it(tmp_path: Path) -> None:
    near = json.dumps({"recipe": {"roles": {"serve": {"hardware": "b200"}}}}).encode()
    body = zipped(
        {
            "identity.json": json.dumps(IDENTITY).encode(),
            "a.json": bench(1),
            "b200/identity.json": near,
            "b200/deep/b.json": bench(2),
        }
    )
    done = deliver(tmp_path, {"r.zip": body})
    assert done.report["totals"]["created"] == 2
    found = Point.objects.order_by("load").values_list("load", "run__recipe__hardware__slug")
    assert list(found) == [(1, "h200"), (2, "b200")]


@pytest.mark.parametrize(
    ("body", "pointer"), [(b"{", ""), (b'{"gpus": 8}', "/gpus"), (b" " * 2**20 + b"{}", "")]
)
def test_a_broken_identity_file_states_nothing(tmp_path: Path, body: bytes, pointer: str) -> None:
    done = deliver(tmp_path, {"x/identity.json": body, "x/a.json": bench(1)})
    report = files_of(done.report)["x/identity.json"]
    assert [row["pointer"] for row in report["quarantined"]] == [pointer]
    assert Quarantine.objects.filter(file__path="x/identity.json").count() == 1
    assert done.report["totals"]["quarantined"] == 2


def test_archives_in_archives_are_opened_and_each_is_kept(tmp_path: Path) -> None:
    inner = zipped({"a.json": bench(1)})
    done = deliver(tmp_path, {"o.zip": zipped({"i.zip": inner, "b.json": bench(2)})}, identity=IDENTITY)
    assert {path: (file["format"], file["created"]) for path, file in files_of(done.report).items()} == {
        "o.zip": ("archive", 0),
        "o.zip/i.zip": ("archive", 0),
        "o.zip/i.zip/a.json": ("vllm-bench-serve", 1),
        "o.zip/b.json": ("vllm-bench-serve", 1),
    }
    upload = Upload.objects.get()
    assert upload.artifact_id == files_of(done.report)["o.zip"]["sha256"]
    assert set(upload.files.values_list("path", flat=True)) == set(files_of(done.report))
    assert read_artifact(files_of(done.report)["o.zip/i.zip"]["sha256"]) == inner


def test_too_deep_a_nest_stops(tmp_path: Path) -> None:
    body = bench(1)
    for number in range(5):
        body = zipped({f"{number}.zip": body})
    done = deliver(tmp_path, {"n.zip": body}, identity=IDENTITY)
    assert [row["reason"] for file in done.report["files"] for row in file["quarantined"]] == [
        "stands in more than 2 other archives"
    ]


def test_a_damaged_archive_waits_whole_and_its_bytes_are_kept(tmp_path: Path) -> None:
    body = zipped({"a.json": bench(1)})[:-30]
    done = deliver(tmp_path, {"cut.zip": body}, identity=IDENTITY)
    (file,) = done.report["files"]
    assert file["quarantined"][0]["reason"].startswith("the archive is damaged or cut off: ")
    assert read_artifact(file["sha256"]) == body
    assert Quarantine.objects.get().file == ResultFile.objects.get()
    deliver(tmp_path, {"cut.zip": body})
    assert Quarantine.objects.count() == 1


def test_a_refused_member_waits_and_the_others_go_in(tmp_path: Path) -> None:
    done = deliver(tmp_path, {"r.zip": zipped({"../a.json": b"{}", "b.json": bench(1)})}, identity=IDENTITY)
    assert done.report["totals"] == {
        "files": 2, "created": 1, "unchanged": 0, "superseded": 0, "quarantined": 1,
    }  # fmt: skip
    row = Quarantine.objects.get()
    assert (row.pointer, row.reason) == ("../a.json", "has a path that leaves the archive")


@pytest.mark.parametrize("body", [b"", b"\xff\xfe{\x00", b"\x00" * 99, b"{", b"\x1f\x8b\x08junk"])
def test_what_no_reader_knows_is_kept_and_waits(tmp_path: Path, body: bytes) -> None:
    done = deliver(tmp_path, {"what.json": body})
    assert done.report["totals"]["quarantined"] == 1
    assert read_artifact(done.report["files"][0]["sha256"]) == body
    assert Quarantine.objects.get().reason


def test_two_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    done = deliver(tmp_path, {"a.json": bench(1), "./a.json": bench(2)}, identity=IDENTITY)
    assert list(files_of(done.report)) == ["a.json", "a.json (2)"]
    assert done.report["totals"]["created"] == 2


@pytest.mark.parametrize("known", [False, True])
def test_validation_answers_the_same_and_leaves_nothing(tmp_path: Path, known: bool) -> None:
    bundle = write_bundle(tmp_path / "OUT")
    files = {
        "a.json": bench(16),
        "b.json": b"{}",
        "c.zip": zipped({"d.json": bench(2), "/e": b""}),
        "bundle.tar.gz": tarred(bundle),
    }
    if known:
        deliver(tmp_path, {name: files[name] for name in ("a.json", "bundle.tar.gz")}, identity=IDENTITY)
    before = state()
    checked = deliver(tmp_path, files, identity=IDENTITY, validate_only=True)
    assert state() == before
    assert checked.upload is None
    assert checked.report == deliver(tmp_path, files, identity=IDENTITY).report
    assert checked.report["totals"]["quarantined"] == 2


def test_a_bundle_takes_the_way_of_bundles(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "OUT")
    done = deliver(tmp_path, {"x.tar.gz": tarred(bundle)})
    report = files_of(done.report)["x.tar.gz/OUT/MANIFEST.json"]
    assert (report["format"], report["created"], report["quarantined"]) == ("northstar-bundle", 2, [])
    assert len(done.report["files"]) == 2
    assert sorted(Point.objects.values_list("load", "attempt__number")) == [(1, 0), (2, 0)]
    again = deliver(tmp_path, {"x.tar.gz": tarred(bundle)}).report["totals"]
    assert (again["created"], again["unchanged"]) == (0, 2)


def test_a_bundle_of_someone_elses_run_is_refused(tmp_path: Path) -> None:
    body = tarred(write_bundle(tmp_path / "OUT"))
    token, other = (create_token(name=name, scope="worker")[0] for name in "ab")
    assert deliver(tmp_path, {"x.tar.gz": body}, token=token).report["totals"]["created"] == 2
    for validate_only in (True, False):
        done = deliver(tmp_path, {"x.tar.gz": body}, token=other, validate_only=validate_only)
        (refused,) = files_of(done.report)["x.tar.gz/OUT/MANIFEST.json"]["quarantined"]
        assert "did not bring that run" in refused["reason"]
    assert Run.objects.get().submitted_by == token


def test_an_unreadable_load_of_a_bundle_is_reported_with_its_place(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "OUT")
    (bundle / "loads/c0002/load.json").write_text("{", encoding="utf-8")
    seal(bundle)
    for validate_only in (True, False):
        done = deliver(tmp_path, {"x.tar.gz": tarred(bundle)}, validate_only=validate_only)
        report = files_of(done.report)["x.tar.gz/OUT/MANIFEST.json"]
        assert (report["created"], [row["pointer"] for row in report["quarantined"]]) == (1, ["loads/c0002"])


def test_a_changed_bundle_is_refused_as_a_whole(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "OUT")
    (bundle / "run.json").write_text("{}", encoding="utf-8")
    done = deliver(tmp_path, {"x.tar.gz": tarred(bundle)})
    assert "run.json" in files_of(done.report)["x.tar.gz/OUT/MANIFEST.json"]["quarantined"][0]["reason"]
    assert Quarantine.objects.get().file is not None
    assert not Run.objects.exists()


def test_a_full_store_leaves_no_upload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> Artifact:
        raise StorageFullError("no space left in the artifact store")

    monkeypatch.setattr(keep_file, "put_file", full)
    with pytest.raises(StorageFullError):
        deliver(tmp_path, {"a.json": bench(1)})
    assert not Upload.objects.exists()


def test_an_interrupted_delivery_keeps_its_bytes_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, seen = receive_upload.ingest_file, []

    def dies(**facts: Any) -> FileReport:
        seen.append(facts)
        if len(seen) == 2:
            raise SystemExit
        return real(**facts)

    monkeypatch.setattr(receive_upload, "ingest_file", dies)
    files = {f"{load}.json": bench(load) for load in (1, 2, 4)}
    with pytest.raises(SystemExit):
        deliver(tmp_path, files, identity=IDENTITY)
    upload = Upload.objects.get()
    assert (upload.report, upload.files.count(), Point.objects.count()) == (None, 3, 1)
    monkeypatch.undo()
    totals = deliver(tmp_path, files, identity=IDENTITY).report["totals"]
    assert (totals["created"], totals["unchanged"]) == (2, 1)
    assert work_is_empty()

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from results.documents.failures import FailureClass
from results.ingest import store
from results.ingest.bundle import ingest_bundle, ingest_load, keep_evidence
from results.ingest.column_store import DERIVED
from results.ingest.manifest import BundleError
from results.models import Artifact, Attempt, AttemptArtifact, AuditEvent, Point, Quarantine, Run, State
from results.storage import StorageFullError, put_file, read_artifact
from tests.conftest import Clock
from tests.factories import catalogue, make_attempt, make_run
from tests.results.ingest.bundles import RUN, change_json, seal, write_bundle, write_json, write_load

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def known_names() -> None:
    catalogue()


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "out")


def everything() -> dict[str, list[Any]]:
    """All rows that ingestion may write."""
    tables = (Run, Attempt, Point, Quarantine, Artifact, AttemptArtifact, AuditEvent)
    return {table.__name__: list(table.objects.order_by("pk").values()) for table in tables}


def test_an_unknown_run_is_created_as_it_ended(bundle: Path, clock: Clock) -> None:
    done = ingest_bundle(bundle)
    run = Run.objects.get(id=RUN)
    assert (run.state, run.label, run.loads) == (State.SUCCEEDED, "prefix-cache", [1, 2])
    assert run.ended_at is not None
    assert run.ended_at.isoformat() == "2026-09-21T14:15:00+00:00"
    attempt = run.attempts.get()
    assert (attempt.state, attempt.number, attempt.phases[0]["name"]) == (State.SUCCEEDED, 0, "profile")
    assert (done.points, done.quarantined, done.number) == ((1, 2), (), 0)
    point = Point.objects.get(attempt=attempt, load=2)
    assert (point.validity, point.rules_version, point.parser_version) == (
        "diagnostic",
        "agentx-1",
        "aiperf-1",
    )
    assert point.value("requests_successful") == 9
    assert point.value("allocated_host_dram_gb") == 0
    assert point.value("full_response_itl_p50") is None
    assert point.extra["errors"] == {"ServerDisconnectedError": 1}


def test_every_file_is_stored_with_its_bytes(bundle: Path) -> None:
    done = ingest_bundle(bundle)
    on_disk = {path.relative_to(bundle).as_posix(): path for path in bundle.rglob("*") if path.is_file()}
    uses = {use.path: use for use in AttemptArtifact.objects.filter(attempt_id=done.attempt)}
    assert set(uses) == {*on_disk, "derived/c0001/columns.npz", "derived/c0002/columns.npz"}
    assert all(read_artifact(uses[path].artifact_id) == file.read_bytes() for path, file in on_disk.items())
    assert uses["loads/c0002/profile_export.jsonl"].load == 2
    assert uses["engine/server.log"].load is None
    assert uses["MANIFEST.json"].artifact_id == done.manifest_sha256


def test_the_same_bundle_twice_changes_nothing(bundle: Path, clock: Clock) -> None:
    ingest_bundle(bundle)
    before = everything()
    clock.advance(3600)
    again = ingest_bundle(bundle)
    assert again.new_files == 0
    assert again.points == (1, 2)
    assert everything() == before


def test_an_unreadable_load_is_quarantined_and_the_others_are_read(bundle: Path) -> None:
    records = bundle / "loads/c0001/profile_export.jsonl"
    records.write_bytes(records.read_bytes()[:-40])
    done = ingest_bundle(seal(bundle))
    assert (done.points, done.quarantined) == ((2,), (1,))
    kept = Quarantine.objects.get()
    assert (kept.load, kept.path, kept.resolved_at) == (1, "loads/c0001", None)
    assert kept.reason.startswith("profile_export.jsonl: line 13: not JSON")
    assert AttemptArtifact.objects.filter(path="loads/c0001/profile_export.jsonl").exists()
    before = everything()
    ingest_bundle(bundle)
    assert everything() == before


def test_a_repaired_load_leaves_quarantine(bundle: Path, tmp_path: Path) -> None:
    records = bundle / "loads/c0001/profile_export.jsonl"
    good = records.read_bytes()
    records.write_bytes(good[:-40])
    ingest_bundle(seal(bundle))
    records.write_bytes(good)
    done = ingest_bundle(seal(bundle))
    assert (done.points, done.quarantined) == ((1, 2), ())
    assert Quarantine.objects.get().resolved_at is not None


def test_a_load_of_another_run_is_quarantined(bundle: Path) -> None:
    write_load(bundle, 3)
    change_json(bundle / "loads/c0002/load.json", load=1)
    done = ingest_bundle(seal(bundle))
    assert (done.points, done.quarantined) == ((1,), (2, 3))


def test_a_failed_attempt_keeps_its_finished_loads(tmp_path: Path) -> None:
    failure = {"class": "engine_died", "line": "out of memory", "detail": "exit code 137"}
    root = write_bundle(tmp_path / "out", attempt={"outcome": "failed", "failure": failure})
    (root / "loads/c0002/profile_export.jsonl").unlink()
    done = ingest_bundle(seal(root))
    assert (done.points, done.quarantined) == ((1,), ())
    run = Run.objects.get()
    assert (run.state, run.failure_class, run.failure_line) == ("failed", "engine_died", "out of memory")


def test_a_later_attempt_decides_how_an_imported_run_ended(tmp_path: Path) -> None:
    failure = {"class": FailureClass.WORKER_LOST.value, "line": "", "detail": "host vanished"}
    first = write_bundle(tmp_path / "a", loads=(1,), attempt={"outcome": "failed", "failure": failure})
    second = write_bundle(tmp_path / "b", attempt={"attempt": 1})
    ingest_bundle(second)
    ingest_bundle(first)
    run = Run.objects.get()
    assert (run.state, run.failure_class) == (State.SUCCEEDED, "")
    assert list(run.attempts.order_by("number").values_list("state", flat=True)) == ["failed", "succeeded"]


def test_the_state_of_a_known_attempt_is_never_touched(bundle: Path) -> None:
    run = make_run(id=RUN)
    attempt = make_attempt(run)
    ingest_bundle(bundle)
    attempt.refresh_from_db()
    run.refresh_from_db()
    assert (run.state, attempt.state, attempt.ended_at) == (State.QUEUED, State.QUEUED, None)
    assert Point.objects.filter(attempt=attempt).count() == 2


def edit(name: str, **changes: Any) -> Callable[[Path], None]:
    """Change fields of a document and list the file anew, as a dishonest or broken writer would."""

    def change(root: Path) -> None:
        change_json(root / name, **changes)
        if name != "MANIFEST.json":
            seal(root)

    return change


def write(name: str, text: str) -> Callable[[Path], None]:
    """Change a file behind the manifest's back."""

    def change(root: Path) -> None:
        (root / name).write_text(text, encoding="utf-8")

    return change


def without(name: str, *, listed: bool = True) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        (root / name).unlink()
        if not listed:
            seal(root)

    return change


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (shutil.rmtree, "out: is no folder"),
        (without("MANIFEST.json"), "MANIFEST.json: is missing"),
        (write("MANIFEST.json", "{"), "MANIFEST.json: "),
        (edit("MANIFEST.json", x=1), "MANIFEST.json: /x: Extra"),
        (write("engine/server.log", "Listening\n"), "engine/server.log: sha256 differs"),
        (write("engine/server.log", "x"), "engine/server.log: has 1 bytes"),
        (without("engine/server.log"), "engine/server.log: is listed in MANIFEST.json"),
        (without("host.json", listed=False), "MANIFEST.json: host.json is not listed"),
        (edit("run.json", loads=[2, 1]), "run.json: /loads: Value error, loads must be"),
        (edit("run.json", extra=1), "run.json: /extra: Extra"),
        (edit("run.json", label=float("nan")), "run.json: /label: not a finite number"),
        (edit("attempt.json", run_id="7"), "attempt.json: /run_id: "),
        (edit("attempt.json", outcome="ok"), "attempt.json: /outcome: "),
        (edit("attempt.json", outcome="failed"), "a failed attempt names its failure"),
        (edit("attempt.json", started_at="2026-09-21T14:12:00"), "attempt.json: /started_at: "),
        (edit("attempt.json", ended_at="2026-09-21T14:11:00Z"), "ended_at is before started_at"),
    ],
)
def test_a_bad_bundle_is_refused_in_one_line_and_leaves_nothing(
    bundle: Path, change: Callable[[Path], Any], complaint: str
) -> None:
    change(bundle)
    with pytest.raises(CommandError) as caught:
        call_command("ingest_bundle", bundle)
    assert caught.value.returncode == 2
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not any(everything().values())


@pytest.mark.parametrize(
    "path", ["../secret", "/etc/passwd", "a/../../secret", "loads//x", "a\\..\\b", "./run.json"]
)
def test_a_manifest_cannot_reach_outside_its_bundle(bundle: Path, path: str) -> None:
    (bundle.parent / "secret").write_text("secret", encoding="utf-8")
    manifest = json.loads((bundle / "MANIFEST.json").read_text(encoding="utf-8"))
    manifest["files"].append({"path": path, "sha256": "0" * 64, "size": 6})
    write_json(bundle / "MANIFEST.json", manifest)
    with pytest.raises(BundleError, match="must be relative and stay inside the bundle"):
        ingest_bundle(bundle)


@pytest.mark.parametrize("folder", [False, True])
def test_links_are_no_files_of_a_bundle(bundle: Path, folder: bool) -> None:
    outside = bundle.parent / "outside"
    outside.mkdir()
    (outside / "server.log").write_text("listening\n", encoding="utf-8")
    place, target = (
        (bundle / "engine", outside) if folder else (bundle / "engine/server.log", outside / "server.log")
    )
    if folder:
        shutil.rmtree(place)
    else:
        place.unlink()
    place.symlink_to(target)
    with pytest.raises(BundleError, match=r"engine/server\.log: is a link"):
        ingest_bundle(bundle)


def test_a_recipe_that_the_catalogue_lacks_is_named(tmp_path: Path) -> None:
    root = write_bundle(tmp_path / "out")
    document = json.loads((root / "run.json").read_text(encoding="utf-8"))
    document["recipe"]["roles"]["serve"]["hardware"] = "abacus"
    write_json(root / "run.json", document)
    with pytest.raises(BundleError, match=r"run\.json: /recipe/roles/serve/hardware: .*abacus"):
        ingest_bundle(seal(root))
    assert not Run.objects.exists()


def test_another_recipe_under_a_known_run_is_a_conflict(bundle: Path, tmp_path: Path) -> None:
    ingest_bundle(bundle)
    document = json.loads((bundle / "run.json").read_text(encoding="utf-8"))
    document["recipe"]["arguments"]["cache_prompt"] = False
    write_json(bundle / "run.json", document)
    with pytest.raises(BundleError, match=r"run\.json: /recipe: run .* has recipe"):
        ingest_bundle(seal(bundle))


def test_a_full_disk_leaves_no_row_of_the_files(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored: list[Path] = []

    def fills_up(path: Path, media_type: str, *, sha256: str | None) -> Artifact:
        if len(stored) == 3:
            raise StorageFullError("no space left in the artifact store")
        stored.append(path)
        return put_file(path, media_type, sha256=sha256)

    monkeypatch.setattr(store, "put_file", fills_up)
    with pytest.raises(CommandError, match="no space left"):
        call_command("ingest_bundle", bundle)
    assert not AttemptArtifact.objects.exists()
    assert not Point.objects.exists()
    monkeypatch.undo()
    assert ingest_bundle(bundle).points == (1, 2)


def test_a_load_is_read_while_its_run_goes_on(tmp_path: Path) -> None:
    attempt = make_attempt(make_run(id=RUN))
    folder = write_load(tmp_path / "out", 2)
    point = ingest_load(attempt, folder)
    assert point is not None
    assert point.value("ttft_p50") == pytest.approx(0.20575)
    assert ingest_load(attempt, folder) == point
    (folder / "load.json").write_text("{", encoding="utf-8")
    other = make_attempt(make_run())
    assert ingest_load(other, folder) is None
    assert Quarantine.objects.get().path == "loads/c0002"


def test_the_finished_bundle_adds_only_what_the_loads_did_not_bring(bundle: Path) -> None:
    attempt = make_attempt(make_run(id=RUN))
    first = ingest_load(attempt, bundle / "loads/c0001")
    done = ingest_bundle(bundle)
    assert done.attempt == attempt.id
    assert done.new_files == len([path for path in bundle.rglob("*") if path.is_file()]) - 6
    assert Point.objects.get(attempt=attempt, load=1) == first


@pytest.mark.django_db(transaction=True)
def test_two_readers_of_one_bundle_leave_it_read_once(bundle: Path) -> None:
    def read(_index: int) -> tuple[int, ...]:
        try:
            return ingest_bundle(bundle).points
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, range(4))) == [(1, 2)] * 4
    assert (Run.objects.count(), Attempt.objects.count(), Point.objects.count()) == (1, 1, 2)
    sent = AttemptArtifact.objects.exclude(path__startswith=DERIVED)
    assert sent.count() == len([path for path in bundle.rglob("*") if path.is_file()])


def test_evidence_of_an_interrupted_attempt_is_kept_unread(bundle: Path) -> None:
    (bundle / "MANIFEST.json").unlink()
    (bundle / "loads/c0002/load.json").unlink()
    (bundle / "engine/link").symlink_to("/etc/hostname")
    attempt = make_attempt(make_run(id=RUN))
    files = len([path for path in bundle.rglob("*") if path.is_file() and not path.is_symlink()])
    assert keep_evidence(attempt, bundle) == files
    assert keep_evidence(attempt, bundle) == 0
    assert AttemptArtifact.objects.filter(attempt=attempt).count() == files
    assert not Point.objects.exists()


def test_a_newer_parser_replaces_the_values_in_place(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest_bundle(bundle)
    before = Point.objects.get(load=1)
    Point.objects.filter(load=1).update(parser_version="aiperf-0", ttft_p50=99.0)
    ingest_bundle(bundle)
    after = Point.objects.get(load=1)
    assert (after.id, after.created_at, after.parser_version) == (before.id, before.created_at, "aiperf-1")
    assert after.value("ttft_p50") == before.value("ttft_p50")


def test_the_command_says_what_it_did(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ingest_bundle", bundle)
    assert capsys.readouterr().out == f"run {RUN} attempt 0: 17 new files, 2 points, 0 in quarantine\n"

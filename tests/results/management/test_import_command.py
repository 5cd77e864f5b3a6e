"""``manage.py import``: files, folders, archives; exit status; one line for each mistake."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from results.models import Point, Upload
from results.services.load_catalogue import load_catalogue
from tests.results.services.deliveries import IDENTITY, bench, zipped

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two results, an archive, and what belongs to nobody."""
    load_catalogue()
    folder = tmp_path / "results"
    (folder / "deep").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "a.json").write_bytes(bench(1))
    (folder / "deep/b.json").write_bytes(bench(2))
    (folder / "c.zip").write_bytes(zipped({"c.json": bench(4)}))
    (folder / ".git/d.json").write_bytes(bench(8))
    (folder / "broken").symlink_to("nowhere")
    return folder


@pytest.fixture
def identity(tmp_path: Path) -> Path:
    path = tmp_path / "who.json"
    path.write_text(json.dumps(IDENTITY), encoding="utf-8")
    return path


def run(*arguments: str | Path) -> tuple[int, str]:
    """Exit status and standard output."""
    out = io.StringIO()
    try:
        call_command("import", *map(str, arguments), stdout=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    return 0, out.getvalue()


def test_a_folder_goes_in_with_everything_below_it(folder: Path, identity: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    status, out = run(folder, "--identity", identity, "--report", report)
    assert status == 0
    upload = Upload.objects.get()
    assert out == (f"4 files: 3 created, 0 unchanged, 0 superseded, 0 quarantined\nupload {upload.id}\n")
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    assert [file["path"] for file in found["files"]] == [
        "results/a.json", "results/deep/b.json", "results/c.zip", "results/c.zip/c.json",
    ]  # fmt: skip
    assert upload.report == found
    assert (upload.handle, upload.name, upload.uploaded_by) == ("command", "results", None)
    assert sorted(Point.objects.values_list("load", flat=True)) == [1, 2, 4]
    assert run(folder, "--identity", identity)[1].startswith("4 files: 0 created, 3 unchanged")
    assert Point.objects.count() == 3


def test_what_waits_is_said_and_exits_3(folder: Path) -> None:
    status, out = run(folder / "a.json")
    assert status == 3
    first, totals, _upload = out.splitlines()
    assert first.startswith("a.json\tvllm-bench-serve bench-serve\t0 created, 0 unchanged\t1 quarantined: ")
    assert totals == "1 files: 0 created, 0 unchanged, 0 superseded, 1 quarantined"


def test_every_file_is_listed_on_request(folder: Path, identity: Path) -> None:
    _status, out = run(folder, "--identity", identity, "-v", "2")
    assert [line.split("\t")[0] for line in out.splitlines()[:2]] == ["results/a.json", "results/deep/b.json"]


def test_validation_says_so_and_changes_nothing(folder: Path, identity: Path) -> None:
    status, out = run(folder, "--validate-only", "--identity", identity)
    assert (status, out.splitlines()[-1]) == (0, "nothing was changed")
    assert out.startswith("4 files: 3 created")
    assert run(folder, "--validate-only")[0] == 3
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing"], "PATH: missing is neither a file nor a folder"),
        (["empty"], "PATH: holds no file"),
        (["a.json", "--identity", "missing"], "--identity: missing: No such file or directory"),
        (["a.json", "--identity", "bad.json"], "--identity: bad.json: is not JSON: "),
        (["a.json", "--identity", "odd.json"], "--identity: /gpus: Extra inputs are not permitted"),
        (["a.json", "--report", "."], "--report: .*: Is a directory"),
    ],
)
def test_mistakes_are_one_line(
    folder: Path, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "empty").mkdir()
    (folder / "bad.json").write_text("{", encoding="utf-8")
    (folder / "odd.json").write_text('{"gpus": 8}', encoding="utf-8")
    with pytest.raises(CommandError, match=message) as caught:
        call_command("import", *arguments)
    assert caught.value.returncode == 2
    assert "\n" not in str(caught.value)

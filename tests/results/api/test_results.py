"""Receiving result files by API: the form, the report, identity and aliases."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from results.api import parsers
from results.models import Alias, AuditEvent, Point, Quarantine, ResultFile, Upload
from results.services.load_catalogue import load_catalogue
from tests.results.api.conftest import Actor, actor
from tests.results.services.deliveries import IDENTITY, bench, without, zipped

RESULTS = "/api/v1/results/"
Send = Callable[..., Any]


@pytest.fixture
def worker(db: None) -> Actor:
    load_catalogue()
    return actor("worker")


@pytest.fixture
def send(worker: Actor) -> Send:
    """Posts a form of files by name; other parts and headers by keyword."""

    def sent(
        files: dict[str, bytes], query: str = "", headers: dict[str, str] | None = None, **parts: Any
    ) -> Any:
        form = {"files": [SimpleUploadedFile(name, body) for name, body in files.items()], **parts}
        return worker.client.post(RESULTS + query, form, format="multipart", headers=headers)

    return sent


def problems(answer: Any) -> list[tuple[str, str]]:
    assert answer.status_code == 422, answer.content
    return [(item["pointer"], item["rule"]) for item in answer.json()["error"]["problems"]]


def test_files_and_identity_become_points_and_a_report(send: Send, worker: Actor) -> None:
    answer = send({"a.json": bench(1), "b.zip": zipped({"c.json": bench(2)})}, identity=json.dumps(IDENTITY))
    assert answer.status_code == 201
    body = answer.json()
    assert answer.headers["Location"] == body["url"]
    assert body["totals"] == {"files": 3, "created": 2, "unchanged": 0, "superseded": 0, "quarantined": 0}
    assert [file["path"] for file in body["files"]] == ["a.json", "b.zip", "b.zip/c.json"]
    upload = Upload.objects.get()
    assert (upload.uploaded_by, upload.handle, upload.name) == (worker.token, "api", "a.json, b.zip")
    shown = worker.client.get(body["url"]).json()
    assert shown["report"] == {"files": body["files"], "totals": body["totals"]}
    assert shown["identity"] == IDENTITY
    assert {file["path"] for file in shown["files"]} == {"a.json", "b.zip", "b.zip/c.json"}
    listed = worker.client.get("/api/v1/uploads/").json()["results"]
    assert [(row["id"], row["complete"], row["uploaded_by"]) for row in listed] == [
        (body["id"], True, "a worker token")
    ]


def test_identity_may_be_a_file_and_large_files_go_over_the_disk(send: Send, settings: Any) -> None:
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    identity = SimpleUploadedFile("i.json", json.dumps(IDENTITY).encode())
    assert send({"a.json": bench(1)}, identity=identity).json()["totals"]["created"] == 1


@pytest.mark.parametrize("how", ["query", "form"])
def test_validation_changes_nothing(send: Send, how: str, artifact_folder: Path) -> None:
    query, parts = ("?validate_only=1", {}) if how == "query" else ("", {"validate_only": "1"})
    answer = send({"a.json": bench(1)}, query, identity=json.dumps(IDENTITY), **parts)
    assert answer.status_code == 200
    assert (answer.json()["id"], answer.json()["totals"]["created"]) == (None, 1)
    assert "Location" not in answer.headers
    assert not Upload.objects.exists()
    assert not Point.objects.exists()
    assert not AuditEvent.objects.filter(verb="upload").exists()
    assert not [path for path in artifact_folder.rglob("*") if path.is_file()]


def test_the_same_key_answers_the_same_and_other_bytes_conflict(send: Send) -> None:
    key = {"Idempotency-Key": "one"}
    first = send({"a.json": bench(1)}, headers=key)
    again = send({"a.json": bench(1)}, headers=key)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.content == first.content
    assert again.headers["Location"] == first.headers["Location"]
    assert Upload.objects.count() == 1
    for files, parts in (
        ({"a.json": bench(2)}, {}),
        ({"b.json": bench(1)}, {}),
        ({"a.json": bench(1)}, {"identity": "{}", "accept": "1"}),
    ):
        assert send(files, headers=key, **parts).status_code == 409


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"identity": "{"}, ("/identity", "json")),
        ({"identity": "[]"}, ("/identity", "model_type")),
        ({"identity": '{"gpus": 8}'}, ("/identity/gpus", "extra_forbidden")),
        ({"identity": '{"recipe": {"engine": 7}}'}, ("/identity/recipe/engine", "model_type")),
        ({"identity": '{"load": 1, "load": 2}'}, ("/identity/load", "duplicate_key")),
        ({"identity": ["{}", "{}"]}, ("/identity", "repeated")),
        ({"hardware": "h100"}, ("?hardware", "unknown_parameter")),
        ({"validate_only": "perhaps"}, ("?validate_only", "invalid")),
    ],
)
def test_bad_parts_are_named(send: Send, parts: dict[str, Any], problem: tuple[str, str]) -> None:
    assert problems(send({"a.json": b"{}"}, **parts)) == [problem]
    assert not Upload.objects.exists()


def test_a_form_without_files_is_refused(send: Send, worker: Actor) -> None:
    assert problems(send({}, identity="{}")) == [("/files", "missing")]
    assert problems(worker.client.post(RESULTS)) == [("/files", "missing")]
    assert problems(send({"a": b"{}"}, "?color=1")) == [("?color", "unknown_parameter")]


def test_other_media_types_large_and_many_parts_are_refused(
    send: Send, worker: Actor, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    assert worker.client.post(RESULTS, {}, format="json").status_code == 415
    assert send({"a": b"x"}, headers={"Content-Encoding": "gzip"}).status_code == 415
    assert worker.client.post(RESULTS, b"x", content_type="multipart/form-data").status_code == 400
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 2
    assert send(dict.fromkeys("abc", b"{}")).status_code == 413
    monkeypatch.setattr(parsers, "MAX_UPLOAD", 10)
    assert send({"a": b"{}" * 9}).status_code == 413
    assert not Upload.objects.exists()


def test_quarantine_says_what_is_missing_and_identity_releases_it(send: Send, worker: Actor) -> None:
    partial = without(IDENTITY, "recipe", "precision")
    send({"a.json": bench(1)}, identity=json.dumps(partial))
    client = worker.client
    (row,) = client.get("/api/v1/quarantine/?cause=missing").json()["results"]
    assert (row["missing"], row["path"], row["cause"]) == (["/recipe/precision"], "a.json", "missing")
    address = f"/api/v1/result-files/{row['file']}/"
    assert client.get(address).json()["waiting"] == 1
    answer = client.post(f"{address}identity/", {"recipe": {"precision": "fp4"}}, format="json")
    assert answer.status_code == 200
    body = answer.json()
    assert (body["report"]["created"], body["report"]["quarantined"]) == (1, [])
    assert (body["file"]["identity"], body["file"]["points"]) == (IDENTITY, 1)
    assert client.get("/api/v1/quarantine/").json()["results"] == []
    (resolved,) = client.get("/api/v1/quarantine/?resolved=1").json()["results"]
    assert resolved["id"] == row["id"]
    event = AuditEvent.objects.get(verb="identity")
    assert event.details == {"stated": {"recipe": {"precision": "fp4"}}, "file": row["file"]}


def test_the_file_sent_again_after_its_completion_is_known(send: Send, worker: Actor) -> None:
    partial = json.dumps(without(IDENTITY, "recipe", "precision"))
    send({"a.json": bench(1)}, identity=partial)
    file = ResultFile.objects.get()
    address = f"/api/v1/result-files/{file.id}/identity/"
    worker.client.post(address, {"recipe": {"precision": "fp4"}}, format="json")
    totals = send({"a.json": bench(1)}, identity=partial).json()["totals"]
    assert (totals["unchanged"], totals["quarantined"]) == (1, 0)
    assert ResultFile.objects.count() == 1


def test_a_correction_moves_the_points(send: Send, worker: Actor) -> None:
    send({"a.json": bench(1)}, identity=json.dumps(IDENTITY))
    file = ResultFile.objects.get()
    other = {"recipe": {"roles": {"serve": {"gpus": 4, "tp": 4}}}}
    worker.client.post(f"/api/v1/result-files/{file.id}/identity/", other, format="json")
    point = Point.objects.get()
    assert (point.run.recipe.gpu_count, point.value("output_throughput_per_gpu")) == (4, 256.0)


def test_an_identity_that_another_copy_has_hands_over_to_it(send: Send, worker: Actor) -> None:
    partial = without(IDENTITY, "recipe", "precision")
    send({"a.json": bench(1)}, identity=json.dumps(partial))
    first = ResultFile.objects.get()
    send({"a.json": bench(1)}, identity=json.dumps(IDENTITY))
    address = f"/api/v1/result-files/{first.id}/identity/"
    body = worker.client.post(address, {"recipe": {"precision": "fp4"}}, format="json").json()
    assert body["file"]["id"] != first.id
    assert not Quarantine.objects.filter(resolved_at=None).exists()
    assert Point.objects.count() == 1


def test_bad_identities_and_files_without_one_are_refused(send: Send, worker: Actor) -> None:
    send({"a.zip": zipped({"b.json": bench(1)})})
    archive = ResultFile.objects.get(format="archive")
    file = ResultFile.objects.exclude(format="archive").get()
    address = "/api/v1/result-files/{}/identity/"
    call = worker.client.post
    assert problems(call(address.format(archive.id), {}, format="json")) == [("", "no_result_file")]
    bad = call(address.format(file.id), {"recipe": {"gpus": 1}}, format="json")
    assert problems(bad) == [("/recipe/gpus", "extra_forbidden")]
    assert call(address.format(10**6), {}, format="json").status_code == 404


def test_the_content_comes_back_byte_for_byte(send: Send, worker: Actor) -> None:
    body = b"\xef\xbb\xbf<script>alert(1)</script>"
    send({"x.html": body})
    file = ResultFile.objects.get()
    answer: Any = worker.client.get(f"/api/v1/result-files/{file.id}/content")
    assert b"".join(answer.streaming_content) == body
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")


@pytest.fixture
def admin(db: None) -> Actor:
    return actor("admin")


def alias(**changes: str) -> dict[str, str]:
    entry = {"kind": "model", "spelling": "OSS 120", "canonical": "gpt-oss-120b", "source": "a mail"}
    return entry | changes


def test_an_alias_releases_every_row_that_waits_for_it(send: Send, admin: Actor) -> None:
    for load in (1, 2):
        send({"a.json": bench(load, model_id="oss 120")}, identity=json.dumps(IDENTITY))
    send({"b.json": bench(4, model_id="oss 121")}, identity=json.dumps(IDENTITY))
    waiting = admin.client.get("/api/v1/quarantine/?cause=unknown&unknown_value=oss 120").json()["results"]
    assert [row["unknown_kind"] for row in waiting] == ["model", "model"]
    answer = admin.client.post("/api/v1/aliases/", alias(), format="json")
    assert answer.status_code == 201
    assert answer.json() == {"alias": alias(), "reread": 2, "created": 2, "waiting": 0}
    assert Point.objects.count() == 2
    assert Quarantine.objects.get(resolved_at=None).unknown_value == "oss 121"
    assert alias() in admin.client.get("/api/v1/aliases/?kind=model").json()["results"]
    again = admin.client.post("/api/v1/aliases/", alias(spelling="oss 120"), format="json")
    assert (again.status_code, again.json()["reread"]) == (201, 0)
    assert Alias.objects.filter(spelling__iexact="oss 120").count() == 1


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"kind": "color"}, ("/kind", "literal_error")),
        ({"canonical": "gpt-9"}, ("/canonical", "unknown_model")),
        ({"spelling": "openai/GPT-oss-120b", "canonical": "deepseek-r1-0528"}, ("/spelling", "taken")),
        ({"spelling": ""}, ("/spelling", "string_too_short")),
    ],
)
def test_a_bad_alias_is_refused(
    worker: Actor, admin: Actor, changes: dict[str, str], problem: tuple[str, str]
) -> None:
    before = Alias.objects.count()
    assert problems(admin.client.post("/api/v1/aliases/", alias(**changes), format="json")) == [problem]
    assert Alias.objects.count() == before


def test_work_folders_are_empty_after_whatever_happened(send: Send) -> None:
    send({"a.zip": zipped({"b": b"x"})[:-9]})
    send({"a.json": bench(1)}, identity="{")
    assert not list(Path(settings.VAR).rglob("work/*"))

"""Uploads, quarantine, and the page of a file with the form that completes its identity."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from dashboard.intake_words import SPELLINGS
from results.models import Alias, ApiToken, AuditEvent, Point, Quarantine, ResultFile, Upload
from results.queries.keyset import Cursor
from results.services.load_catalogue import load_catalogue
from results.services.tokens import create_token
from tests.conftest import Clock
from tests.factories import make_attempt, make_result_file, make_run, make_upload
from tests.results.services.deliveries import IDENTITY, bench, deliver, without, zipped

pytestmark = pytest.mark.django_db
PARTIAL = without(without(IDENTITY, "recipe", "precision"), "recipe", "roles")


def html(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return response.content.decode()


@pytest.fixture
def waiting(tmp_path: Path) -> ResultFile:
    """A file that lacks precision, hardware and GPU count."""
    load_catalogue()
    deliver(tmp_path, {"results/<b>a.json": bench(16)}, identity=PARTIAL)
    return ResultFile.objects.get()


@pytest.fixture
def secret(db: None) -> str:
    return create_token(name="me", scope="worker")[1]


def complete(client: Client, file: ResultFile, secret: str, **changes: str) -> Any:
    form = {
        "/recipe/precision": "fp4",
        "/recipe/roles/serve/hardware": "h200",
        "/recipe/roles/serve/gpus": "8",
        "identity": "",
        "token": secret,
    }
    return client.post(f"/files/{file.id}/", form | changes)


def test_without_anything_the_pages_say_what_to_do(client: Client) -> None:
    assert "python manage.py import PATH" in html(client, "/uploads/")
    assert "Nothing waits" in html(client, "/quarantine/")
    assert "Nothing here" in html(client, "/quarantine/?cause=unknown")
    assert 'href="/quarantine/"' in html(client, "/runs/")


def test_quarantine_shows_file_format_place_reason_and_what_is_missing(
    client: Client, waiting: ResultFile
) -> None:
    page = html(client, "/quarantine/?cause=missing")
    for text in (
        f"/files/{waiting.id}/",
        "results/&lt;b&gt;a.json",
        "vllm-bench-serve",
        "/recipe/precision",
        "/recipe/roles/serve/hardware",
    ):
        assert text in page
    assert "<b>a.json" not in page


def test_a_stranger_completes_the_identity_and_the_points_appear(
    client: Client, waiting: ResultFile, secret: str
) -> None:
    page = html(client, f"/files/{waiting.id}/")
    for name in ("/recipe/precision", "/recipe/roles/serve/hardware", "/recipe/roles/serve/gpus"):
        assert f'name="{name}"' in page
    assert '<option value="h200">' in page
    assert "&quot;model_id&quot;: &quot;openai/gpt-oss-120b&quot;" in page
    identity = '{"recipe": {"roles": {"serve": {"tp": 8}}}}'
    mistyped = {"/recipe/roles/serve/hardware": "hopper", "identity": identity}
    page = html(client, complete(client, waiting, secret, **mistyped).headers["Location"])
    assert "no hardware is known as &#x27;hopper&#x27;" in page
    for name, value in (("/recipe/roles/serve/hardware", "hopper"), ("/recipe/roles/serve/tp", "8")):
        assert f'name="{name}" value="{value}"' in page
    response = complete(client, waiting, secret)
    assert response.status_code == 302
    page = html(client, response.headers["Location"])
    assert "1 point stands in it now" in page
    point = Point.objects.get()
    assert f"/runs/{point.run_id}/" in page
    assert "What is wrong" not in page
    waiting.refresh_from_db()
    assert waiting.identity == IDENTITY
    assert {event.actor for event in AuditEvent.objects.filter(verb="identity")} == {f"token:{secret[:13]}"}


def test_an_imported_run_shows_its_files_and_no_log(client: Client, tmp_path: Path) -> None:
    load_catalogue()
    deliver(tmp_path, {"a.json": bench(1), "b.json": bench(1)}, identity=IDENTITY)
    run = Point.objects.get().run
    for address in (f"/runs/{run.id}/", f"/runs/{run.id}/parts/"):
        page = html(client, address)
        assert f"/files/{ResultFile.objects.get().id}/" in page
        assert "Imported" in page
        for absent in ("Log tail", "Phases", "Attempts", "run.json"):
            assert absent not in page


@pytest.mark.parametrize(
    ("secret_of", "status", "text"),
    [
        ("nobody", 401, "No token has this secret"),
        ("read", 403, "scope does not allow it; worker is needed"),
        ("submit", 403, "scope does not allow it; worker is needed"),
        ("admin", 403, "scope does not allow it; worker is needed"),
    ],
)
def test_only_a_worker_token_may_complete(
    client: Client, waiting: ResultFile, secret_of: str, status: int, text: str
) -> None:
    scopes = ApiToken.Scope.values
    secret = create_token(name="x", scope=secret_of)[1] if secret_of in scopes else "ns_w_" + "0" * 48
    response = complete(client, waiting, secret)
    assert response.status_code == status
    page = response.content.decode()
    assert text in page.replace("&#x27;", "'")
    assert secret not in page
    assert 'value="h200"' in page
    assert not Point.objects.exists()


def test_a_form_needs_its_protection(waiting: ResultFile, secret: str) -> None:
    response = complete(Client(enforce_csrf_checks=True), waiting, secret)
    assert response.status_code == 403
    assert not Point.objects.exists()


def test_wrong_tokens_are_limited(client: Client, waiting: ResultFile, clock: Clock, settings: Any) -> None:
    rates = {**settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"], "auth": 2, "upload": 1}
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": rates}
    answers = [complete(client, waiting, "wrong").status_code for _number in range(3)]
    assert answers == [401, 401, 429]
    secret = create_token(name="x", scope="worker")[1]
    assert complete(client, waiting, secret).status_code == 302
    assert complete(client, waiting, secret).status_code == 429


@pytest.mark.parametrize(
    ("changes", "place", "text"),
    [
        ({"/recipe/roles/serve/gpus": "many"}, "/recipe/roles/serve/gpus", "valid integer"),
        ({"/recipe/roles/serve/gpus": "0"}, "/recipe/roles/serve/gpus", "greater than or equal to 1"),
        ({"identity": "{"}, "", "is not JSON"),
        ({"identity": "[1]"}, "", "must be a JSON object"),
        ({"identity": '{"gpus": 8}'}, "/gpus", "not permitted"),
        ({"/a/b/c/d/e/f/g": "x"}, "", "no such field"),
        ({"/recipe/nonsense": "x"}, "/recipe/nonsense", "not permitted"),
    ],
)
def test_what_is_refused_is_named_and_nothing_typed_is_lost(
    client: Client, waiting: ResultFile, secret: str, changes: dict[str, str], place: str, text: str
) -> None:
    response = complete(client, waiting, secret, **changes)
    assert response.status_code == 422
    page = response.content.decode()
    assert place in page
    assert text in page
    assert 'value="fp4"' in page
    assert "Nothing was changed." in page
    assert not Point.objects.exists()


def test_an_unknown_spelling_shows_who_can_help(client: Client, tmp_path: Path) -> None:
    load_catalogue()
    deliver(tmp_path, {"a.json": bench(1, model_id="oss <i>")}, identity=IDENTITY)
    page = html(client, "/quarantine/")
    assert "Spellings that nobody knows yet" in page
    assert "oss &lt;i&gt;" in page and set(SPELLINGS) == set(Alias.Kind.values)
    chinese = client.get("/quarantine/", headers={"accept-language": "zh-CN"}).content.decode()
    assert "<td>模型</td>" in chinese
    assert "http://testserver/api/v1/aliases/" in page
    file = ResultFile.objects.get()
    assert "waits for an operator" in html(client, f"/files/{file.id}/")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "The file is empty."),
        (b"<script>alert(1)</script>", "&lt;script&gt;"),
        (b"\xef\xbb\xbfword", '<pre class="log" id="content" tabindex="0">word'),
        ("wörd".encode("utf-16"), "wörd"),
        (gzip.compress(b"inside", mtime=0), "Unpacked from gzip."),
        (b"\x00\x01\x02", "00 01 02"),
        (b"\x1f\x8bbroken" + bytes(9), "no text"),
        (b"x" * 5000, "Only the beginning is shown."),
        (b"y" * 4095 + "é".encode(), "Only the beginning"),
    ],
)
def test_the_beginning_of_a_file_is_shown_as_text(client: Client, content: bytes, text: str) -> None:
    page = html(client, f"/files/{make_result_file(content).id}/")
    assert text in page
    assert "<script>alert" not in page


def test_lost_bytes_are_said(client: Client, artifact_folder: Path) -> None:
    file = make_result_file(b"{}")
    (stored,) = artifact_folder.rglob(file.artifact_id)
    stored.unlink()
    assert "The stored bytes cannot be read." in html(client, f"/files/{file.id}/")


def test_an_archive_shows_its_refused_members_and_no_form(client: Client, tmp_path: Path) -> None:
    load_catalogue()
    done = deliver(tmp_path, {"r.zip": zipped({"../up": b"", "a.json": bench(1)})}, identity=IDENTITY)
    archive = ResultFile.objects.get(format="archive")
    page = html(client, f"/files/{archive.id}/")
    assert "has a path that leaves the archive" in page
    assert '<form class="identity"' not in page
    report = html(client, f"/uploads/{done.upload}/")
    for text in ("has a path that leaves the archive", "r.zip/a.json", "vllm-bench-serve", "h200"):
        assert text in report


def test_an_interrupted_upload_says_so_and_lists_its_files(client: Client) -> None:
    upload = make_upload(files=2, report=None)
    assert "interrupted" in html(client, "/uploads/")
    page = html(client, f"/uploads/{upload.id}/")
    assert "send it again" in page
    assert "results/1.json" in page


def test_kept_curves_and_remarks_are_part_of_the_report(client: Client) -> None:
    run = make_run()
    file = {
        "path": "a", "sha256": "0" * 64, "format": "f", "version": "1", "created": 1, "unchanged": 0,
        "superseded": 0, "quarantined": [{"pointer": f"/{n}", "reason": "r"} for n in range(5)],
        "remarks": ["read with its partner"],
        "kept_curves": [{"published_run": str(run.id), "newer_run": str(run.id), "missing_loads": [4, 8]}],
    }  # fmt: skip
    totals = {"files": 501, "created": 1, "unchanged": 0, "superseded": 0, "quarantined": 5}
    upload = make_upload(report={"files": [file] * 501, "totals": totals})
    page = html(client, f"/uploads/{upload.id}/")
    for text in ("lacks loads 4, 8", "read with its partner", "and 2 more", "1 more files"):
        assert text in page


def test_pages_follow_each_other(client: Client, clock: Clock) -> None:
    for _number in range(53):
        clock.advance(1)
        make_upload()
    first = client.get("/uploads/")
    second = client.get(f"/uploads/?{first.context['next']}")
    shown = [row.id for response in (first, second) for row in response.context["page"].rows]
    assert len(shown) == len(set(shown)) == 53
    assert "There are no older uploads" in html(client, f"/uploads/?{_after_all(second)}")


def _after_all(response: Any) -> str:
    last = response.context["page"].rows[-1]
    return f"after={Cursor(last.received_at, last.id).encode()}"


@pytest.mark.parametrize(
    "query", ["/uploads/?after=x", "/uploads/?color=1", "/quarantine/?cause=bad", "/quarantine/?after=YWJj"]
)
def test_bad_parameters_are_named(client: Client, query: str) -> None:
    assert query.partition("?")[2].partition("=")[0] in html(client, query, 400)


def test_what_is_not_there_is_404(client: Client) -> None:
    html(client, "/files/123456/", 404)
    html(client, "/uploads/00000000-0000-0000-0000-000000000000/", 404)


@pytest.mark.parametrize("count", [1, 50])
def test_list_queries_do_not_grow(
    client: Client, clock: Clock, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(count):
        clock.advance(1)
        make_upload(files=number % 5 + 1)
    for address, queries in (("/uploads/", 1), ("/quarantine/", 3)):
        with django_assert_num_queries(queries):
            client.get(address)


@pytest.mark.parametrize("count", [1, 50])
def test_page_queries_do_not_grow(
    client: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    upload = make_upload(files=count)
    file = upload.files.all()[0].file
    for number in range(count):
        Quarantine.objects.create(
            file=file, pointer=f"/x{number}", reason="r", created_at=file.received_at, missing=["/load"]
        )
    with django_assert_num_queries(9):
        client.get(f"/files/{file.id}/")
    with django_assert_num_queries(2):
        client.get(f"/uploads/{upload.id}/")


def test_loads_in_quarantine_stand_on_the_page_of_their_run(client: Client) -> None:
    run = make_run()
    attempt = make_attempt(run)
    address = f"/runs/{run.id}/"
    assert "Loads in quarantine" not in html(client, address)
    Quarantine.objects.create(
        attempt=attempt, load=2, path="loads/c0002", reason="records.jsonl: <cut>", created_at=run.created_at
    )
    for place in (address, f"{address}parts/"):
        page = html(client, place)
        assert "Loads in quarantine" in page
        assert "records.jsonl: &lt;cut&gt;" in page
    assert address in html(client, "/quarantine/?cause=load")


def test_the_pages_speak_chinese(client: Client, waiting: ResultFile) -> None:
    client.cookies["django_language"] = "zh-hans"
    for address, text in (
        ("/uploads/", "上传记录"),
        ("/quarantine/", "缺少身份信息"),
        (f"/files/{waiting.id}/", "补全身份信息"),
        (f"/uploads/{Upload.objects.get().id}/", "被隔离"),
    ):
        assert text in html(client, address)

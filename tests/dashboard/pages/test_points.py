"""The page of one point, its figures and its tables."""

import csv
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from results.analysis.column_file import VERSION
from results.analysis.percentiles import percentile
from results.analysis.requests import parse_records
from results.analysis.summary import summarize
from results.ingest.bundle import ingest_bundle
from results.ingest.column_store import column_path
from results.models import Attempt, AttemptArtifact, Point, PointSource, Run, State
from results.services.load_catalogue import load_catalogue
from results.storage import put_bytes, put_derived, read_derived
from tests.factories import catalogue, make_attempt, make_point, make_result_file, make_run
from tests.results.ingest.bundles import DATA, write_bundle
from tests.results.ingest.formats import aiperf_files
from tests.results.ingest.formats.aiperf_files import write
from tests.results.services.deliveries import IDENTITY

pytestmark = pytest.mark.django_db
NAME = "<img src=x onerror=alert(1)>"


@pytest.fixture
def point(tmp_path: Path) -> Point:
    """The point of load 2 of a bundle."""
    catalogue()
    ingest_bundle(write_bundle(tmp_path / "out"))
    return Point.objects.get(load=2)


def html(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def drawn(client: Client, point: Point, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/points/{point.id}/figure.json?{query}").json()
    return found


def test_the_page_says_what_was_measured_and_why_it_is_not_valid(client: Client, point: Point) -> None:
    page = html(client, f"/points/{point.id}/")
    for text in (
        "the rules ask for at least 15 min",
        "/metrics/ttft_p50/",
        "← load 1",
        f"/points/{point.id}/run.json",
        "loads/c0002/profile_export.jsonl",
        "derived/c0002/columns.npz",
        "listening",
    ):
        assert text in page, text
    assert "loads/c0001/" not in page


def test_bars_and_dots_are_the_requests_of_the_file(client: Client, point: Point) -> None:
    with (DATA / "profile_export.jsonl").open("rb") as lines:
        records = [record for record in parse_records(lines) if record.profiled]
    figure = drawn(client, point)
    lanes = figure["timeline"]
    starts = sorted(record.start_ns for record in records)
    assert lanes["start"] == pytest.approx([(start - starts[0]) / 1e9 for start in starts], abs=1e-6)
    assert (
        sum(name == "ok" for name in lanes["outcome"]) == summarize(records, 1).values["requests_successful"]
    )
    chart = next(one for one in figure["charts"] if one["key"] == "ttft-time")
    ttft = [
        record.ttft for record in records if record.failure is None and not record.cancelled and record.ttft
    ]
    assert sorted(chart["lines"][0]["y"]) == pytest.approx(sorted(ttft), rel=1e-4)
    # Fewer requests than one window: the rolling median is the median.
    assert chart["lines"][1]["y"] == pytest.approx([percentile(sorted(ttft), 50)], rel=1e-4)
    assert len(drawn(client, point, "phase=all")["timeline"]["start"]) > len(starts)


def test_tables_hold_every_request_and_sample(client: Client, point: Point) -> None:
    with (DATA / "profile_export.jsonl").open("rb") as lines:
        records = list(parse_records(lines))
    answer = client.get(f"/api/v1/points/{point.id}/requests.csv")
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert [int(row["start (ns since 1970)"]) for row in rows] == [one.start_ns for one in records]
    assert [row["ttft (s)"] for row in rows] == [
        "" if one.ttft is None else repr(one.ttft) for one in records
    ]
    listed: list[dict[str, Any]] = []
    address = f"/api/v1/points/{point.id}/requests/?limit=4"
    while address:
        body = client.get(address).json()
        listed, address = [*listed, *body["results"]], body["next"]
    assert [one["end_ns"] for one in listed] == [one.end_ns for one in records]
    assert body["count"] == len(records)
    samples = client.get(f"/api/v1/points/{point.id}/engine.csv").getvalue().decode().splitlines()
    assert len(samples) == 1 + len((DATA / "telemetry.jsonl").read_text().splitlines())
    assert client.get(f"/api/v1/points/{point.id}/gpu.csv").status_code == 404


def test_a_side_car_is_made_when_it_is_missing_broken_or_old(client: Client, point: Point) -> None:
    assert point.attempt_id is not None
    use = AttemptArtifact.objects.get(attempt=point.attempt_id, path=column_path(2))
    before, good = drawn(client, point), use.artifact_id
    for content in (b"nonsense", b""):
        AttemptArtifact.objects.filter(id=use.id).update(artifact=put_bytes(content))
        assert drawn(client, point) == before
        assert AttemptArtifact.objects.get(id=use.id).artifact_id == good
    use.delete()
    assert drawn(client, point) == before
    # Other records under the same path: the side-car of the old ones is of no use.
    changed = put_bytes((DATA / "profile_export.jsonl").read_bytes().splitlines()[-1])
    AttemptArtifact.objects.filter(path="loads/c0002/profile_export.jsonl").update(artifact=changed)
    assert len(drawn(client, point)["timeline"]["start"]) == 1
    assert VERSION == 1


def test_names_with_markup_show_as_text(client: Client, tmp_path: Path, point: Point) -> None:
    lines = (DATA / "profile_export.jsonl").read_text().splitlines()
    documents = [json.loads(line) for line in lines]
    for document in documents:
        document["metadata"]["conversation_id"] = f"={NAME}"
    content = "\n".join(map(json.dumps, documents)).encode()
    path = "loads/c0002/profile_export.jsonl"
    AttemptArtifact.objects.filter(path=path).update(artifact=put_bytes(content))
    page = html(client, f"/points/{point.id}/")
    assert NAME not in page
    assert "&lt;img src=x" in page
    assert drawn(client, point)["timeline"]["labels"][0].startswith("=&lt;img")
    table = client.get(f"/api/v1/points/{point.id}/requests.csv").getvalue().decode()
    assert f"'={NAME}" in table


def test_requests_are_sorted_and_paged(client: Client, point: Point) -> None:
    rows = client.get(f"/points/{point.id}/?sort=ttft").context["table"]["rows"]
    known = [row.record.ttft for row in rows if row.record.ttft is not None]
    assert known == sorted(known, reverse=True)
    assert [row.record.ttft for row in rows][: len(known)] == known
    later = client.get(f"/points/{point.id}/?row=3").context["table"]
    assert (later["number"], later["last"]) == (4, later["total"])


def test_the_document_measures_this_load_alone(client: Client, point: Point) -> None:
    document = client.get(f"/points/{point.id}/run.json").json()
    assert document == {**(Run.objects.get().document or {}), "loads": [2]}


def test_logs_are_searched_without_javascript(client: Client, point: Point) -> None:
    log = b"\n".join(b"line %d <b>slot</b>" % number for number in range(50_000))
    AttemptArtifact.objects.filter(path="engine/server.log").update(artifact=put_bytes(log))
    page = html(client, f"/points/{point.id}/")
    assert "line 49999 &lt;b&gt;slot" in page
    assert "line 100 " not in page
    found = html(client, f"/points/{point.id}/?q=LINE+4999&log=engine/server.log")
    assert "11 of 50000 lines fit" in found
    assert '<span class="soft">5000</span> line 4999 ' in found


@pytest.mark.parametrize("query", ["phase=x", "lane=-1", "row=1e3", "sort=name", "log=run.json", "color=red"])
def test_a_bad_parameter_is_named(client: Client, point: Point, query: str) -> None:
    response = client.get(f"/points/{point.id}/?{query}")
    assert response.status_code == 400
    assert f"<code>{query.partition('=')[0]}</code>" in response.content.decode()


def test_an_imported_point_names_its_sources_and_draws_nothing(client: Client) -> None:
    run = make_run(document=None, hard_limit_seconds=None, origin="imported", state=State.SUCCEEDED)
    point = Point.objects.create(
        run=run, digest="d" * 64, load=1, validity="valid", rules_version="fixed-1", parser_version="p/1",
        created_at=run.created_at, ttft_p50=0.5,
    )  # fmt: skip
    file = make_result_file(b"{}", path="results/<b>.json")
    PointSource.objects.create(point=point, file=file, pointer="/3")
    page = html(client, f"/points/{point.id}/")
    assert f"/api/v1/result-files/{file.id}/content" in page
    assert "results/&lt;b&gt;.json" in page
    assert "data-figure" not in page
    assert drawn(client, point) == {"timeline": None, "charts": [], "words": {}}
    assert client.get(f"/points/{point.id}/run.json").status_code == 404


def test_unknown_points_are_404(client: Client) -> None:
    for address in ("/points/9/", "/points/9/figure.json", "/points/9/run.json", f"/points/{2**70}/"):
        assert client.get(address).status_code == 404


@pytest.mark.parametrize("count", [1, 20])
def test_queries_do_not_grow(
    client: Client, point: Point, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    attempt = Attempt.objects.get()
    for number in range(count):
        other = make_run(recipe=point.run.recipe, scenario=point.run.scenario, state=State.SUCCEEDED)
        make_attempt(other, state=State.SUCCEEDED)
        make_point(other, load=2, ttft_p50=1.0 + number)
        artifact = put_bytes(b"%d" % number)
        AttemptArtifact.objects.create(attempt=attempt, artifact=artifact, path=f"extra/{number}")
    with django_assert_num_queries(5):
        client.get(f"/points/{point.id}/")
    with django_assert_num_queries(2):
        client.get(f"/points/{point.id}/figure.json")


def test_many_requests_are_thinned_and_the_slowest_stay(client: Client, point: Point) -> None:
    """Ten thousand requests: the page says what is left out, and no outlier vanishes."""
    template = json.loads((DATA / "profile_export.jsonl").read_text().splitlines()[-1])
    lines, begin = [], template["metadata"]["request_start_ns"]
    for number in range(10_000):
        about = {"conversation_id": f"c-{number % 90:02}", "request_start_ns": begin + number * 10**7,
                 "request_end_ns": begin + number * 10**7 + 10**9, "turn_index": number,
                 "benchmark_phase": "profiling", "agent_depth": 0}  # fmt: skip
        ttft = {"value": 99.5 if number == 5001 else 100.0 + number % 7, "unit": "ms"}
        if number == 7:
            ttft["value"] = 5000.0
        tokens = {"value": 1000 + number, "unit": "tokens"}
        metrics = {"time_to_first_token": ttft, "input_sequence_length": tokens}
        lines.append(json.dumps({"metadata": about, "metrics": metrics, "error": None}))
    path = "loads/c0002/profile_export.jsonl"
    AttemptArtifact.objects.filter(path=path).update(artifact=put_bytes("\n".join(lines).encode()))
    page = html(client, f"/points/{point.id}/")
    assert "Every 4-th of 10,000 requests, and the 100 slowest." in page
    assert "lanes 1 to 40 of 90" in page
    assert "Every 3-th of their 4450 requests (1484)." in page
    figure = drawn(client, point)
    dots = next(one for one in figure["charts"] if one["key"] == "ttft-time")["lines"][0]
    assert 2500 <= len(dots["y"]) <= 3100
    assert max(dots["y"]) == 5.0
    assert len(figure["timeline"]["labels"]) == 40
    last = drawn(client, point, "lane=80")["timeline"]
    assert last["labels"] == [f"c-{number:02}" for number in range(80, 90)]
    assert np.max(last["lane"]) == 9


def test_sub_agents_stand_below_their_session_and_replays_apart(client: Client, point: Point) -> None:
    template = json.loads((DATA / "profile_export.jsonl").read_text().splitlines()[-1])
    lines, begin = [], template["metadata"]["request_start_ns"]
    lanes = [("A", "A", "s1", 0), ("B", "B", "s2", 0), ("A::sa:x", "A", "s3", 1), ("B::sa:x", "B", "s4", 1),
             ("A", "C", "s5", 0)]  # fmt: skip
    for number, (conversation, root, session, depth) in enumerate(lanes):
        about = {"conversation_id": conversation, "root_correlation_id": root, "x_correlation_id": session,
                 "agent_depth": depth, "request_start_ns": begin + number, "request_end_ns": begin + 10**9,
                 }  # fmt: skip
        lines.append(json.dumps({"metadata": about, "metrics": {}, "error": None}))
    path = "loads/c0002/profile_export.jsonl"
    AttemptArtifact.objects.filter(path=path).update(artifact=put_bytes("\n".join(lines).encode()))
    figure = drawn(client, point)["timeline"]
    assert figure["labels"] == ["A #1", "└ sa:x", "B", "└ sa:x", "A #2"]
    assert figure["lane"] == [0, 2, 1, 3, 4]


def test_an_imported_point_shows_the_requests_of_the_records_it_was_read_from(
    client: Client, tmp_path: Path
) -> None:
    load_catalogue()
    folder = write(tmp_path, summary=aiperf_files.summary(), records=aiperf_files.jsonl())
    (folder / "identity.json").write_text(json.dumps({"recipe": IDENTITY["recipe"]}))
    records = hashlib.sha256((folder / "profile_export.jsonl").read_bytes()).hexdigest()
    call_command("import", str(folder), stdout=io.StringIO())
    point = Point.objects.get()
    assert point.extra["records_sha256"] == records
    assert read_derived(records, "columns.npz") is not None
    page = html(client, f"/points/{point.id}/")
    assert "1 to 5 of 5" in page
    assert drawn(client, point)["timeline"]["start"] == [0, 1, 2, 10, 3595]
    put_derived(records, "columns.npz", b"broken")
    answer = client.get(f"/api/v1/points/{point.id}/requests/").json()
    assert [one["ttft"] for one in answer["results"]] == [40.0, 0.5, 1.0, 0.25, 2.0, 0.1]
    Point.objects.update(extra={"records_sha256": "../../etc/passwd"})
    assert client.get(f"/api/v1/points/{point.id}/requests/").json()["count"] == 0

"""Compare: page, API, file and figure hold the same numbers; names are text; the address is the state."""

import csv
import io
import re
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from django.core.files.storage import storages
from django.test import Client

from results.analysis.column_file import PointColumns, write_columns
from results.analysis.engine_columns import EngineColumns
from results.analysis.gpu_columns import GpuColumns
from results.analysis.request_columns import request_columns
from results.analysis.requests import parse_record
from results.documents.canonical import fingerprint
from results.ingest.column_store import column_path, store
from results.models import AttemptArtifact, Recipe, Run
from results.storage import put_bytes
from tests.results.analysis.records import SECOND, START, line
from tests.results.queries.test_compare import FAST, SLOW, X, Y, measured, moved

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair() -> tuple[Run, Run]:
    return measured("slow", SLOW, cache_prompt=False), measured("fast", FAST, cache_prompt=True)


def address(pair: tuple[Run, Run], more: str = "") -> str:
    return f"?run={pair[0].id}&run={pair[1].id}{more}"


def html(client: Client, where: str) -> str:
    response = client.get(where)
    assert response.status_code == 200, response.content.decode()[-2000:]
    return response.content.decode()


def rows(client: Client, table: str, query: str) -> list[dict[str, str]]:
    text = client.get(f"/compare/{table}.csv{query}").content.decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_without_sides_it_offers_some(client: Client) -> None:
    assert "No run has finished yet" in html(client, "/compare/")
    moved(measured("a", SLOW, cache_prompt=False), "h100")
    moved(measured("b", FAST, cache_prompt=True), "b200")
    page = html(client, "/compare/")
    found = re.search(r'href="(/compare/b200-vs-h100/[^"]*)"', page)
    assert found is not None
    assert "Hardware" in html(client, found[1].replace("&amp;", "&"))


def test_page_api_and_file_hold_the_same_numbers(client: Client, pair: tuple[Run, Run]) -> None:
    query = address(pair, "&at=20&at=50")
    page, answer = html(client, f"/compare/{query}"), client.get(f"/api/v1/compare/{query}").json()
    cells = [(row["x"], entry["value"], entry["ratio"]) for row in answer["iso"] for entry in row["entries"]]
    filed = [
        (
            float(row["x"]),
            float(row["value"]),
            float(row["ratio_to_first"]) if row["ratio_to_first"] else None,
        )
        for row in rows(client, "iso", query)
        if row["metric"] == "total_throughput_per_gpu"
    ]
    assert cells == filed
    for _x, value, _ratio in cells:
        assert f'<data value="{value if value != int(value) else int(value)}"' in page
    metrics = {(row["key"], cell["value"]) for row in answer["metrics"] for cell in row["cells"]}
    assert metrics == {(row["metric"], float(row["value"])) for row in rows(client, "metrics", query)}
    assert {row["unit"] for row in rows(client, "metrics", query) if row["metric"] == "ttft_p50"} == {"s"}


def test_of_hardware_the_newest_build_counts_as_in_explore(client: Client) -> None:
    """What an older build measured stays within reach: by every build, by day, by recipe."""
    old = built(measured("old", FAST, cache_prompt=False), "1", day=2)
    built(measured("new", SLOW, cache_prompt=False), "2", day=9)
    other = measured("other", FAST, cache_prompt=True)
    moved(other, "b200")
    Run.objects.filter(id=other.id).update(started_at=datetime(2026, 10, 1, tzinfo=UTC))
    query = f"hardware=h100&hardware=b200&x={X}&y={Y}"

    def answer(more: str = "") -> dict[str, Any]:
        found: dict[str, Any] = client.get(f"/api/v1/compare/?{query}{more}").json()
        return found

    newest, every, before = answer(), answer("&builds=all"), answer("&as_of=2026-10-08")
    # The newer build did not measure the largest load.
    assert [side["points"] for side in newest["sides"]] == [5, 5]
    assert newest["sides"][0]["dropped"] == {"older_build": 4}
    explored = client.get(f"/api/v1/frontier/?hardware=h100&hardware=b200&x={X}&y={Y}").json()
    shown = {point["id"] for point in explored["points"]}
    drawn = client.get(f"/compare/figure.json?{query}").json()["data"]
    assert {int(one) for trace in drawn for one in trace.get("customdata", [])} == shown
    assert (newest["builds"], every["builds"], before["as_of"]) == ("newest", "all", "2026-10-08")
    assert [side["points"] for side in every["sides"]] == [9, 5]
    assert before["sides"][0]["recipes"] == [old.recipe.fingerprint]
    lines = [[(knot["x"], knot["y"]) for knot in side["frontier"]] for side in before["sides"]]
    assert lines[0] == lines[1]
    page = html(client, f"/compare/?{query}")
    assert "4 points that it measured again are left out" in page
    assert 'href="/compare/?hardware=h100&amp;hardware=b200&amp;builds=all"' in page
    assert "As published at the end of 2026-10-08 UTC" in html(client, f"/compare/?{query}&as_of=2026-10-08")
    named = client.get(f"/api/v1/compare/?{query}&recipe={old.recipe.fingerprint}").json()
    assert [side["points"] for side in named["sides"]] == [5, 5, 5]


def built(run: Run, version: str, day: int) -> Run:
    """The run on hardware of its own and on a build that is named, measured on a day of October 2026."""
    moved(run, "h100")
    recipe = Recipe.objects.get(id=run.recipe_id)
    document = {**recipe.document, "engine": {**recipe.document["engine"], "version": version}}
    columns = {"document": document, "engine_version": version, "fingerprint": fingerprint(document)}
    Recipe.objects.filter(id=recipe.id).update(**columns)
    Run.objects.filter(id=run.id).update(started_at=datetime(2026, 10, day, tzinfo=UTC))
    return Run.objects.select_related("recipe").get(id=run.id)


def test_the_figure_draws_the_line_that_is_interpolated(client: Client, pair: tuple[Run, Run]) -> None:
    drawn = client.get(f"/compare/figure.json{address(pair)}").json()
    lines = [trace for trace in drawn["data"] if trace.get("mode") == "lines"]
    knots = client.get(f"/api/v1/compare/{address(pair)}").json()["sides"][0]["frontier"]
    places = set(zip(lines[0]["x"], lines[0]["y"], strict=True))
    assert {(knot["x"], knot["y"]) for knot in knots} <= places
    assert len(places) > len(knots)


def test_what_one_side_alone_measured_is_listed_apart(client: Client, pair: tuple[Run, Run]) -> None:
    page = html(client, f"/compare/{address(pair)}")
    assert "4 loads were measured by all sides" in page
    assert re.search(r"Not by all:\s*16 \(fast", page)
    assert "not the gain of a pull request" in page


def test_markup_in_names_shows_literally(client: Client, pair: tuple[Run, Run]) -> None:
    Run.objects.filter(id=pair[0].id).update(label="<img src=x onerror=alert(1)>")
    assert "<img" not in html(client, f"/compare/{address(pair)}")
    assert "<img" not in client.get(f"/compare/figure.json{address(pair)}").content.decode()
    Run.objects.filter(id=pair[0].id).update(label="=1+1")
    assert {row["side"][:2] for row in rows(client, "metrics", address(pair))} == {"'=", "fa"}


@pytest.mark.parametrize(
    ("query", "name"),
    [("run=x", "run"), ("recipe=zz", "recipe"), ("hardware=h999&hardware=cpu", "hardware"), ("at=-1", "at"),
     ("y=speed", "y"), ("y=duration", "y"), ("load=0", "load"), ("prices=1999", "prices"), ("rum=1", "rum"),
     ("builds=some", "builds"), ("as_of=2026-13-01", "as_of")],
)  # fmt: skip
def test_a_bad_parameter_is_named_by_page_and_api(client: Client, query: str, name: str) -> None:
    for where in ("/compare/", "/compare/figure.json", "/compare/iso.csv"):
        response = client.get(f"{where}?{query}")
        assert response.status_code == 400
        assert f"<code>{name}</code>" in response.content.decode()
    refused: Any = client.get(f"/api/v1/compare/?{query}&hardware=cpu&hardware=h100")
    assert refused.status_code == 400
    assert f"?{name}" in {problem["pointer"] for problem in refused.json()["error"]["problems"]}


def test_an_unknown_pair_is_404_and_one_side_is_no_comparison(client: Client, pair: tuple[Run, Run]) -> None:
    for where in ("/compare/h999-vs-cpu/", "/compare/cpu/", "/compare/b200-vs-/", "/compare/nothing.csv"):
        assert client.get(where).status_code == 404, where
    page = html(client, f"/compare/?run={pair[0].id}")
    assert "Compare it with" in page
    assert f'value="{pair[0].id}" checked' in page
    assert client.get(f"/compare/figure.json?run={pair[0].id}").status_code == 400


def test_distributions_come_from_the_stored_records(client: Client, pair: tuple[Run, Run]) -> None:
    lines = b"".join(
        b'{"metadata":{"request_start_ns":%d,"request_end_ns":%d},"metrics":{"time_to_first_token":'
        b'{"value":%d,"unit":"ms"}}}\n' % (n, n + 1, 100 * (1 + n % 4))
        for n in range(8)
    )
    path = "loads/c0008/profile_export.jsonl"
    first = AttemptArtifact(attempt=pair[0].attempts.get(), artifact=put_bytes(lines), path=path, load=8)
    first.save()
    drawn = client.get(f"/compare/requests.json{address(pair, '&load=8&quantity=ttft')}").json()
    assert [(trace["x"], trace["y"]) for trace in drawn["data"]] == [
        ([0.1, 0.2, 0.3, 0.4], [25, 50, 75, 100])
    ]
    assert [(one["requests"], one["problem"]) for one in drawn["samples"]] == [(8, ""), (0, "no_records")]
    broken = put_bytes(b"not json\n")
    AttemptArtifact.objects.create(attempt=pair[1].attempts.get(), artifact=broken, path=path, load=8)
    # The side-car that the first look has made is what the second one reads: the records may be gone.
    assert AttemptArtifact.objects.filter(attempt=first.attempt, path=column_path(8)).exists()
    storages["artifacts"].delete(f"{first.artifact_id[:2]}/{first.artifact_id[2:4]}/{first.artifact_id}")
    again = client.get(f"/compare/requests.json{address(pair, '&load=8&quantity=ttft')}").json()
    assert [one["problem"] for one in again["samples"]] == ["", "unreadable"]
    assert again["data"] == drawn["data"]


def test_telemetry_of_both_sides_lies_on_one_clock(client: Client, pair: tuple[Run, Run]) -> None:
    for place, run in enumerate(pair):
        start = START // SECOND + 5_000 * place
        records = put_bytes(line(5_000.0 * place).encode())
        columns = PointColumns(
            requests=request_columns([parse_record(line(5_000.0 * place, latency=50.0), 1)]),
            engine=EngineColumns(
                np.arange(start - 3, start + 60, dtype=float),
                {"kv_usage 0": np.full(63, 0.2 + place / 10), "kv_usage 1": np.full(63, 0.4 + place / 10),
                 "running": np.arange(63.0), "waiting": np.zeros(63)},
            ),
            gpu=None if place else GpuColumns(
                {name: {"at": np.arange(start, start + 60.0), "power_watts": np.full(60, 300.0)}
                 for name in ("a", "b")}
            ),
            sources={"profile_export.jsonl": records.sha256},
        )  # fmt: skip
        attempt = run.attempts.get()
        path = "loads/c0008/profile_export.jsonl"
        AttemptArtifact.objects.create(attempt=attempt, artifact=records, path=path, load=8)
        store(attempt.id, 8, write_columns(columns))
    drawn = client.get(f"/compare/telemetry.json{address(pair, '&load=8')}").json()
    by_panel: dict[str, list[dict[str, Any]]] = {}
    for trace in drawn["data"]:
        by_panel.setdefault(trace["yaxis"], []).append(trace)
    titles = [drawn["layout"][f"yaxis{name[1:]}"]["title"]["text"] for name in by_panel]
    assert titles == ["KV cache usage", "Running (req)", "Waiting (req)", "GPU power (W)"]
    assert [(one["x"][0], one["x"][-1], one["y"][0]) for one in by_panel["y"]] == [
        (-1, 52, 30),
        (-1, 52, 40),
    ]
    assert [one["y"][:2] for one in by_panel["y4"]] == [[600, 600]]
    assert drawn["layout"]["xaxis"]["anchor"] == "y4"
    assert "/compare/telemetry.json?" in html(client, f"/compare/{address(pair)}")

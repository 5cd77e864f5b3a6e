"""Reading points, their CSV, metrics, recipes and artifacts."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from results.metrics import METRICS
from results.models import Run
from results.services.cancel_run import cancel_run
from results.storage import put_bytes
from tests.results.api.conftest import Actor, add_file, add_point

POINTS = "/api/v1/points/"


def test_a_point_shows_what_was_measured_and_nothing_else(
    anonymous: Actor, submit: Callable[..., Run]
) -> None:
    run = submit()
    point = add_point(run, 2, ttft_p50=0.125, output_throughput=1 / 3)
    body = anonymous.client.get(f"{POINTS}{point.id}/").json()
    assert body["values"] == {"ttft_p50": 0.125, "output_throughput": 1 / 3}
    assert (body["run"], body["load"], body["validity"]) == (str(run.id), 2, "diagnostic")
    assert (body["hardware"], body["engine"], body["model"]) == ("cpu", "llamacpp", "northstar-tiny")
    assert anonymous.client.get(POINTS).json()["results"] == [body]


def test_csv_and_json_carry_the_same_numbers(anonymous: Actor, submit: Callable[..., Run]) -> None:
    for load in (1, 2, 4):
        add_point(submit(), load, ttft_p50=0.1 * load, request_throughput=load / 7)
    answer = anonymous.client.get("/api/v1/points.csv", HTTP_ACCEPT="text/csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="points.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    shown = anonymous.client.get(POINTS).json()["results"]
    assert [int(row["id"]) for row in rows] == [point["id"] for point in shown]
    for row, point in zip(rows, shown, strict=True):
        assert {key: float(row[key]) for key in METRICS if row[key]} == point["values"]


@pytest.mark.parametrize(
    ("query", "loads"),
    [
        ("label=prefix-cache", [1]),
        ("load=4", [4]),
        ("validity=diagnostic", [4, 1]),
        ("validity=valid", []),
        ("engine=llamacpp&hardware=cpu&model=northstar-tiny", [4, 1]),
        ("model=kimi-k3", []),
        ("scenario=cpu-8k", [4, 1]),
        ("recipe=0000", []),
        ("evidence=true", [8, 4, 1]),
    ],
)
def test_points_are_selected(owner: Actor, submit: Callable[..., Run], query: str, loads: list[int]) -> None:
    add_point(submit(), 1)
    add_point(submit(label="host-tier"), 4)
    given_up = submit(owner.token, label="gone")
    add_point(given_up, 8)
    assert owner.token is not None
    cancel_run(run_id=given_up.id, token=owner.token)
    shown = owner.client.get(f"{POINTS}?{query}").json()["results"]
    assert [point["load"] for point in shown] == loads
    rows = csv.DictReader(io.StringIO(owner.client.get(f"/api/v1/points.csv?{query}").getvalue().decode()))
    assert [int(row["load"]) for row in rows] == loads


def test_points_of_one_run(anonymous: Actor, submit: Callable[..., Run]) -> None:
    run, _other = submit(), add_point(submit())
    wanted = add_point(run)
    shown = anonymous.client.get(f"{POINTS}?run={run.id}").json()["results"]
    assert [point["id"] for point in shown] == [wanted.id]


def test_every_point_is_on_exactly_one_page(anonymous: Actor, submit: Callable[..., Run]) -> None:
    run = submit()
    wanted = {add_point(run, load).id for load in range(1, 8)}
    seen: list[int] = []
    address = f"{POINTS}?limit=3"
    while address:
        page = anonymous.client.get(address).json()
        seen += [point["id"] for point in page["results"]]
        address = page["next"]
    assert len(seen) == 7
    assert set(seen) == wanted


def test_metrics_are_the_registry(anonymous: Actor) -> None:
    shown = anonymous.client.get("/api/v1/metrics/").json()["results"]
    assert [metric["key"] for metric in shown] == list(METRICS)
    assert all(metric["unit"] and metric["direction"] in ("higher", "lower", "neutral") for metric in shown)


def test_a_recipe_is_read_by_its_fingerprint(anonymous: Actor, submit: Callable[..., Run]) -> None:
    recipe = submit().recipe
    body = anonymous.client.get(f"/api/v1/recipes/{recipe.fingerprint}/").json()
    assert body["document"] == recipe.document
    assert (body["engine"], body["gpu_count"]) == ("llamacpp", 1)


def stored(run: Run, content: bytes, path: str, media_type: str) -> str:
    artifact = put_bytes(content, media_type)
    add_file(run, artifact, path)
    return artifact.sha256


@pytest.mark.parametrize(
    ("media_type", "answered"),
    [
        ("application/json", "application/json"),
        ("text/plain", "text/plain"),
        ("text/html", "application/octet-stream"),
        ("image/svg+xml", "application/octet-stream"),
    ],
)
def test_artifacts_are_saved_and_never_shown(
    anonymous: Actor, submit: Callable[..., Run], media_type: str, answered: str
) -> None:
    content = b"<script>alert(1)</script>" * 100
    sha256 = stored(submit(), content, 'engine/server"\r\n.log', media_type)
    answer: Any = anonymous.client.get(f"/api/v1/artifacts/{sha256}/", HTTP_ACCEPT="text/html")
    assert b"".join(answer.streaming_content) == content
    assert answer["Content-Type"] == answered
    assert answer["Content-Disposition"].startswith("attachment; filename")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Length"] == str(len(content))


def test_a_run_lists_its_artifacts_with_addresses(anonymous: Actor, submit: Callable[..., Run]) -> None:
    run = submit()
    sha256 = stored(run, b"{}", "run.json", "application/json")
    listed: list[dict[str, Any]] = anonymous.client.get(f"/api/v1/runs/{run.id}/").json()["artifacts"]
    assert [(item["path"], item["sha256"], item["size"]) for item in listed] == [("run.json", sha256, 2)]
    answer: Any = anonymous.client.get(listed[0]["url"])
    assert json.loads(b"".join(answer.streaming_content)) == {}

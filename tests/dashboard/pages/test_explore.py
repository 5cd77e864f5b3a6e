"""Explore: what is shown, what is left out, and that chart, table and files are the same numbers."""

import csv
import io
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from results.models import Attempt, Recipe, Run, State
from results.services.publish_curve import publish_curve
from tests.dashboard.pages.conftest import live_run, measured

pytestmark = pytest.mark.django_db
#: What the page asks the database, whatever it holds.
QUERIES = 11
#: With another day over it.
OVER = 16


def html(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def figure(page: str) -> dict[str, Any]:
    found = re.search(r'<script id="figure" type="application/json">(.*?)</script>', page, re.S)
    assert found is not None
    value: dict[str, Any] = json.loads(found[1])
    return value


def drawn(page: str) -> set[tuple[float, float]]:
    dots = [trace for trace in figure(page)["data"] if "customdata" in trace]
    return {place for trace in dots for place in zip(trace["x"], trace["y"], strict=True)}


def rows(client: Client, query: str = "") -> list[dict[str, Any]]:
    answer: dict[str, Any] = client.get(f"/explore.json{query}").json()
    found: list[dict[str, Any]] = answer["rows"]
    return found


def test_without_points_it_says_what_to_do(client: Client) -> None:
    page = html(client, "/")
    assert "Nothing has been measured yet" in page
    assert "make demo" in page


def test_with_runs_but_no_points_it_says_that_they_will_come(client: Client) -> None:
    live_run()
    page = html(client, "/")
    assert "The first points are being measured" in page
    assert 'data-seconds="4"' in page


def test_chart_table_csv_and_json_hold_the_same_numbers(client: Client) -> None:
    for load in (1, 2, 4):
        measured("no-cache", load, speed=1.0, cache_prompt=False)
        measured("prefix-cache", load, speed=1.8, cache_prompt=True)
    page = html(client, "/")
    table = set(re.findall(r'<data value="([^"]+)" title="[^"]+ tok/s/GPU">', page))
    from_csv = csv.DictReader(io.StringIO(client.get("/explore.csv").content.decode()))
    cells = {(float(row["interactivity_p50"]), float(row["output_throughput_per_gpu"])) for row in from_csv}
    found = {(row["interactivity_p50"], row["output_throughput_per_gpu"]) for row in rows(client)}
    assert drawn(page) == cells == found
    assert {float(value) for value in table} == {y for _x, y in found}
    assert len(found) == 6


def test_diagnostic_points_stand_in_and_are_hollow_until_a_valid_one_exists(client: Client) -> None:
    measured("short", 1, speed=1.0)
    page = html(client, "/")
    assert "these stand in" in page
    symbols = [trace["marker"]["symbol"] for trace in figure(page)["data"] if "customdata" in trace]
    assert symbols == ["circle-open"]
    measured("full", 1, speed=1.0, validity="valid")
    page = html(client, "/")
    assert "these stand in" not in page
    assert [row["recipe"] for row in rows(client)] == ["full"]
    assert "1 diagnostic" in page


def test_validities_never_share_a_frontier(client: Client) -> None:
    measured("a", 1, speed=9.0)
    measured("a", 2, speed=1.0, validity="valid")
    on = {row["validity"]: row["on_frontier"] for row in rows(client, "?validity=all")}
    assert on == {"valid": True, "diagnostic": False}


def test_points_of_a_given_up_attempt_are_no_result(client: Client) -> None:
    point = measured("a", 1, speed=1.0)
    Attempt.objects.filter(points=point).update(**{"state": State.FAILED, "failure_class": "client"})
    assert rows(client) == []


def test_recipes_that_differ_in_one_argument_are_told_apart(client: Client) -> None:
    measured("same", 1, speed=1.0, cache_prompt=False)
    measured("same", 1, speed=2.0, cache_prompt=True)
    page = html(client, "/")
    assert "cache_prompt=<b>off</b>" in page
    assert "cache_prompt=<b>on</b>" in page
    assert "parallel=<b>" not in page


def test_the_frontier_is_per_recipe_and_can_be_shown_alone(client: Client) -> None:
    measured("a", 1, speed=1.0)
    measured("a", 2, speed=1.0)
    beaten = measured("a", 1, speed=0.5)
    assert {row["on_frontier"] for row in rows(client) if row["run"] == str(beaten.run_id)} == {False}
    assert len(rows(client, "?show=frontier")) == 2
    assert "1 not on a frontier" in html(client, "/?show=frontier")


def test_a_recipe_that_fails_its_accuracy_gate_is_hollow_and_on_no_frontier(client: Client) -> None:
    point = measured("a", 1, speed=1.0, validity="valid")
    Recipe.objects.filter(runs=point.run_id).update(accuracy="fail")
    measured("b", 1, speed=0.5, validity="valid", cache_prompt=False)
    assert {row["recipe"]: row["on_frontier"] for row in rows(client)} == {"a": False, "b": True}
    symbols = [
        trace["marker"]["symbol"] for trace in figure(html(client, "/"))["data"] if "customdata" in trace
    ]
    assert sorted(symbols) == ["circle", "circle-open"]


def test_runs_that_are_not_published_are_left_out_and_counted(client: Client) -> None:
    measured("a", 1, speed=1.0)
    newer = measured("a", 1, speed=2.0)
    Run.objects.filter(id=newer.run_id).update(**{"state": State.SUCCEEDED, "ended_at": newer.created_at})
    publish_curve(run=newer.run_id)
    assert {row["run"] for row in rows(client)} == {str(newer.run_id)}
    assert "1 run of these recipes is not published" in html(client, "/")
    assert len(rows(client, "?label=a")) == 2


def test_filters_count_what_they_leave_out(client: Client) -> None:
    measured("a", 1, speed=1.0, cache_prompt=False)
    measured("b", 1, speed=2.0, cache_prompt=True)
    page = html(client, "/?label=a")
    assert "1 left out" in page
    assert "1 other recipe label" in page
    assert [row["recipe"] for row in rows(client, "?label=a")] == ["a"]


def test_a_metric_that_was_not_measured_is_left_out_and_never_zero(client: Client) -> None:
    measured("a", 1, speed=1.0)
    page = html(client, "/?x=gpu_energy")
    assert "1 without the x metric" in page
    assert "No point fits these filters" in page


def test_a_neutral_metric_has_no_frontier_and_says_so(client: Client) -> None:
    measured("a", 1, speed=1.0)
    point = measured("a", 2, speed=1.0)
    type(point).objects.update(duration=40.0)
    page = html(client, "/?x=duration&show=frontier")
    assert "No frontier" in page
    assert all(trace.get("mode") != "lines" for trace in figure(page)["data"])


def test_a_legend_entry_hides_its_recipe(client: Client) -> None:
    point = measured("a", 1, speed=1.0)
    key = point.run.recipe.fingerprint[:12]
    page = html(client, f"/?hide={key}")
    assert 'aria-pressed="false" title="Show or hide"' in page
    assert "1 switched off in the legend" in page


def test_steps_are_plain_ratios_to_the_first_recipe(client: Client) -> None:
    measured("no-cache", 2, speed=1.0, cache_prompt=False)
    measured("prefix-cache", 2, speed=2.0, cache_prompt=True)
    page = html(client, "/")
    assert "×2.00" in page
    assert "×0.500" in page
    assert "no verdict" in page


def test_a_pinned_point_has_a_card(client: Client) -> None:
    point = measured("a", 1, speed=1.0)
    page = html(client, f"/?point={point.id}")
    assert f'id="card-{point.id}"' in page
    assert 'class="pinned"' in page


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("x=speed", "x"),
        ("xscale=cubic", "xscale"),
        ("show=some", "show"),
        ("percentile=p42", "percentile"),
        ("group=colour", "group"),
        ("as_of=yesterday", "as_of"),
        ("prices=2020-01", "prices"),
        ("at=fast", "at"),
        ("run=1", "run"),
        ("validity=great", "validity"),
        ("block=one", "block"),
        ("hide=xyz", "hide"),
        ("point=-1", "point"),
        ("modle=a", "modle"),
        ("y=ttft_p50&y=ttft_p90", "y"),
        ("model=%00", "model"),
    ],
)
def test_a_bad_parameter_is_named(client: Client, query: str, name: str) -> None:
    for address in ("/", "/explore/parts/", "/explore.csv", "/explore.json"):
        response = client.get(f"{address}?{query}")
        assert response.status_code == 400
        assert f"<code>{name}</code>" in response.content.decode()


def test_the_address_carries_the_whole_state(client: Client) -> None:
    measured("a", 1, speed=1.0)
    page = html(client, "/?x=ttft_p50&label=a&yscale=log&sort=load")
    found = re.search(r'data-query="([^"]+)"', page)
    assert found is not None
    state = found[1].replace("&amp;", "&")
    for pair in (
        "x=ttft_p50",
        "label=a",
        "yscale=log",
        "sort=load",
        "model=northstar-tiny",
        "scenario=cpu-8k",
    ):
        assert pair in state.split("&")
    assert html(client, f"/?{state}").count("<tr") == page.count("<tr")


def test_markup_in_names_shows_literally(client: Client) -> None:
    point = measured("a", 1, speed=1.0)
    type(point.run).objects.update(label="<img src=x onerror=alert(1)>")
    page = html(client, "/")
    assert "<img" not in page
    hover = [trace["hovertext"][0] for trace in figure(page)["data"] if "hovertext" in trace]
    assert hover[0].startswith("&lt;img src=x")


def test_queries_do_not_grow_with_points(client: Client) -> None:
    counts = []
    for rows in (range(1), range(1, 30)):
        for number in rows:
            measured(f"label-{number % 7}", 1 + number, speed=1.0, cache_prompt=bool(number % 2))
        for address in ("/", "/?over_as_of=2026-10-30&facet=engine"):
            with CaptureQueriesContext(connection) as captured:
                client.get(address)
            counts.append(len(captured))
    assert counts == [QUERIES, OVER, QUERIES, OVER]

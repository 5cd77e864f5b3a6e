"""Explore split into panels, laid over each other, page by page, with intervals and known issues."""

import re
from typing import Any

import plotly.graph_objects as go
import pytest
from django.test import Client

from dashboard.views import explore_table, permalinks
from results.models import Point, Run
from tests.dashboard.pages.explored import points, recipe
from tests.dashboard.pages.test_explore_plane import Y, marks, page, rows

pytestmark = pytest.mark.django_db
SHORT = {"kind": "fixed", "isl": 1024, "osl": 1024}


def figure(client: Client, query: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/figure.json?y={Y}&{query}").json()
    return found


@pytest.mark.parametrize("group", ["group=all", "group=engine", "group=recipe", ""])
def test_each_value_of_a_facet_has_a_panel_and_no_line_runs_through_two(client: Client, group: str) -> None:
    for hardware, y in (("b200", 300.0), ("h200", 200.0), ("mi355x", 100.0)):
        points(recipe(hardware), {1: (80, y), 2: (60, 2 * y)})
    drawn = figure(client, f"facet=hardware&show=all&{group}")
    go.Figure({"data": drawn["data"], "layout": drawn["layout"]})
    panels = {trace.get("xaxis", "x"): trace for trace in drawn["data"]}
    assert set(panels) == {"x", "x2", "x3"}
    assert [note["text"] for note in drawn["layout"]["annotations"]] == ["B200", "H200", "MI355X"]
    assert {drawn["layout"][name].get("matches") for name in ("xaxis2", "yaxis3")} == {"x", "y"}
    for trace in drawn["data"]:
        lowest = {"x": 300.0, "x2": 200.0, "x3": 100.0}[trace.get("xaxis", "x")]
        assert {min(trace["y"]), max(trace["y"])} <= {lowest, 2 * lowest}
    assert "facet=hardware" in page(client, f"y={Y}&facet=hardware")
    assert client.get("/?facet=label").status_code == 400


def test_another_day_lies_thin_over_the_first_in_chart_table_files_and_ruler(client: Client) -> None:
    points(recipe(), {1: (80, 100), 2: (40, 300)}, day=1)
    points(recipe(), {1: (80, 200), 2: (40, 600)}, day=9)
    query = "over_as_of=2026-10-04&at=60"
    drawn = {trace["name"]: trace for trace in marks(client, query)}
    assert list(drawn) == ["imported", "imported (as of 2026-10-04)"]
    first, over = drawn.values()
    assert (first["y"], over["y"]) == ([600, 200], [300, 100])
    assert first["meta"]["light"] == over["meta"]["light"]
    assert first["marker"]["size"] > over["marker"]["size"]
    assert [(row["layer"], row[Y]) for row in rows(client, query)] == [
        ("first", 600), ("first", 200), ("over", 300), ("over", 100),
    ]  # fmt: skip
    text = page(client, f"y={Y}&{query}")
    assert "Over it, thin: as of 2026-10-04, 2 points" in re.sub(r"\s+", " ", text)
    assert "×0.500" in text
    # The table says of each of its rows which layer it is of.
    assert text[text.index('id="points"') :].count('<span class="soft">(as of 2026-10-04)</span>') == 2
    key = re.findall(r'id="legend-([0-9a-f]{12})"', text)
    assert len(set(key)) == 2
    assert len(marks(client, f"{query}&hide={key[1]}")) == 1
    document = client.get(f"/explore.json?y={Y}&{query}").json()
    assert document["over"]["as_of"] == "2026-10-04"


def test_another_scenario_over_it_shares_no_line_and_nothing_there_is_said(client: Client) -> None:
    points(recipe(), {1: (80, 100), 2: (60, 150)})
    points(recipe(), {1: (90, 900), 2: (70, 950)}, scenario=SHORT)
    query = "scenario=8192/1024&over_scenario=1024/1024"
    assert {(row["scenario"], row["layer"]) for row in rows(client, query)} == {
        ("8192/1024", "first"), ("1024/1024", "over"),
    }  # fmt: skip
    assert [trace["y"] for trace in marks(client, query)] == [[150, 100], [950, 900]]
    assert "nothing was measured for it" in page(client, f"y={Y}&over_model=other")


def test_no_row_is_cut_and_every_page_says_where_it_stands(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explore_table, "SIZE", 4)
    points(recipe(), {load: (100.0 - load, float(load)) for load in range(1, 11)})
    seen: list[str] = []
    address: str | None = f"y={Y}"
    for said in ("Rows 1 to 4 of 10", "Rows 5 to 8 of 10", "Rows 9 to 10 of 10"):
        assert address is not None
        text = page(client, address)
        assert said in text
        seen += re.findall(r'id="pin-(\d+)"', text)
        after = re.search(r'id="rows-after" href="/\?([^"]+)"', text)
        address = after[1].replace("&amp;", "&") if after else None
    assert address is None
    assert sorted(map(int, seen)) == sorted(Point.objects.values_list("id", flat=True))
    assert len(rows(client, "row=8")) == 10


def test_repeats_give_an_interval_and_single_points_say_so(client: Client) -> None:
    for block, value in enumerate((100.0, 104.0, 108.0), start=1):
        made = points(recipe(), {1: (80, value)})
        Run.objects.filter(id=made[0].run_id).update(block=block)
    alone = points(recipe(tp=4), {1: (70, 90)})
    found = {row["point"]: row for row in rows(client)}
    (shown,) = (row for identifier, row in found.items() if identifier != alone[0].id)
    # exp(mean +- t(0.975, 2) * sd / sqrt(3)) of the logarithms, by hand
    assert shown["repeats"] == 3
    assert (shown["y_low_95"], shown["y_high_95"]) == pytest.approx((94.47172944, 114.37634058), rel=1e-9)
    assert (found[alone[0].id]["repeats"], found[alone[0].id]["y_low_95"]) == (1, None)
    text = page(client, f"y={Y}")
    assert re.search(r'\[<data value="94\.4\d+".*?n = 3', text)
    assert '<span class="soft">n = 1</span>' in text
    cost = client.get("/explore.json?y=cost_per_million_total_tokens&prices=2026-09").json()["rows"]
    assert max(row["repeats"] for row in cost) == 3


def test_known_issues_stand_beside_the_points_they_concern_everywhere(client: Client) -> None:
    roles = {name: {"hardware": "b200", "gpus": 4, "tp": 4} for name in ("prefill", "decode")}
    split = points(recipe(roles=roles), {1: (80, 100)}, input_throughput_per_gpu=70.0)[0]
    whole = points(recipe(), {1: (70, 90)}, input_throughput_per_gpu=60.0)[0]
    Run.objects.update(source_run="https://example.org/runs/1")
    query = "y=input_throughput_per_gpu"
    text = page(client, query)
    assert "divides input tokens by the prefill GPUs" in text
    assert "https://github.com/SemiAnalysisAI/InferenceX/issues/299" in text
    assert '<sup><a href="#note-1">1</a></sup>' in text
    answer = client.get(f"/explore.json?{query}").json()
    assert {row["point"]: row["notes"] for row in answer["rows"]} == {
        split.id: "pool-denominators not-one-batch", whole.id: "not-one-batch",
    }  # fmt: skip
    assert [(one["key"], one["points"]) for one in answer["notes"]] == [
        ("pool-denominators", 1), ("not-one-batch", 2),
    ]  # fmt: skip
    caption = client.get(f"/figure.json?{query}").json()["caption"]
    assert caption["title"] == "Large · 8192/1024"
    assert any("issues/299, 2025-12-06" in line for line in caption["lines"])
    assert "来源" in client.get(f"/?{query}", headers={"accept-language": "zh-hans"}).content.decode()
    assert "divides input tokens" in client.get(f"/points/{split.id}/").content.decode()
    assert "divides input tokens" not in client.get(f"/points/{whole.id}/").content.decode()
    # Another axis is another question, and what was measured here is not the source's.
    assert "divides input tokens" not in page(client, f"y={Y}")
    Run.objects.update(source_run="")
    assert 'id="known-issues"' not in page(client, query)


def test_a_permalink_keeps_the_layers_the_issues_and_every_row(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permalinks, "SIZE", 4)
    points(recipe(), {load: (100.0 - load, float(load)) for load in range(1, 6)}, day=1)
    points(recipe(), {load: (100.0 - load, 2.0 * load) for load in range(1, 6)}, day=9)
    Run.objects.update(source_run="https://example.org/runs/1")
    kept = client.post("/p/", {"query": f"y={Y}&over_as_of=2026-10-04"}).headers["Location"]
    Run.objects.update(source_run="")
    for query, said in (
        ("", "Rows 1 to 4 of 10"),
        ("?row=4", "Rows 5 to 8 of 10"),
        ("?row=8", "Rows 9 to 10"),
    ):
        text = client.get(f"{kept}{query}").content.decode()
        assert said in text
        assert "measured its hardware in different batches" in text
    assert client.get(f"{kept}?row=x").status_code == 400
    figure = client.get(f"{kept}figure.json").json()
    assert len([trace for trace in figure["data"] if "customdata" in trace]) == 2

"""What users of other dashboards reported, asked of Explore: identity, frontiers, prices, days, addresses."""

import csv
import io
import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from django.test import Client

from dashboard.figures import arrange
from results.models import Curve, Permalink, Point, Recipe, Run
from tests.conftest import Clock
from tests.dashboard.pages.explored import AGENTIC, points, recipe

pytestmark = pytest.mark.django_db
Y = "total_throughput_per_gpu"


def page(client: Client, query: str = "") -> str:
    response = client.get(f"/?{query}")
    assert response.status_code == 200, response.content[:500]
    return response.content.decode()


def rows(client: Client, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/explore.json?y={Y}&{query}").json()["rows"]
    return found


def marks(client: Client, query: str = "") -> list[dict[str, Any]]:
    data = client.get(f"/figure.json?y={Y}&{query}").json()["data"]
    return [trace for trace in data if "customdata" in trace]


def lines(client: Client, query: str = "") -> list[list[tuple[float, float]]]:
    data = client.get(f"/figure.json?y={Y}&{query}").json()["data"]
    return [list(zip(one["x"], one["y"], strict=True)) for one in data if one["mode"] == "lines"]


def test_a_smaller_later_run_replaces_nothing_and_both_counts_are_told(client: Client) -> None:
    points(recipe(), {1: (80, 100), 2: (60, 150), 4: (40, 200)}, day=1)
    points(recipe(), {4: (41, 210)}, day=9)
    assert {row["load"] for row in rows(client)} == {1, 2, 4}
    assert {row["measured_at"][:10] for row in rows(client)} == {"2026-10-01"}
    assert "3 points of 1 line shown" in re.sub(r"\s+", " ", page(client, f"y={Y}"))
    assert "1 run of these recipes is not published" in page(client, f"y={Y}")


def test_two_runs_of_one_day_are_both_selectable_and_neither_is_merged(client: Client) -> None:
    first = points(recipe(), {1: (80, 100)}, day=1)[0].run_id
    second = points(recipe(), {1: (81, 101)}, day=1)[0].run_id
    for run, value in ((first, 100.0), (second, 101.0)):
        assert [row[Y] for row in rows(client, f"run={run}")] == [value]
    assert len(rows(client, f"run={first}&run={second}")) == 2


def test_a_newer_build_stands_for_the_older_one_where_both_measured(client: Client) -> None:
    points(recipe(engine={"name": "vllm", "version": "1.0"}), {1: (80, 100), 2: (60, 150)}, day=1)
    points(recipe(engine={"name": "vllm", "version": "2.0"}), {1: (90, 120)}, day=5)
    assert {(row["engine_version"], row["load"]) for row in rows(client)} == {("2.0", 1), ("1.0", 2)}
    assert "1 measured again on a newer engine build" in page(client, f"y={Y}")
    assert len(rows(client, "builds=all")) == 3


def test_a_source_that_names_no_build_adds_no_second_point(client: Client) -> None:
    points(recipe(engine={"name": "vllm"}), {1: (80, 100)}, day=5)
    points(recipe(engine={"name": "vllm", "version": "1.0"}), {1: (80, 100)}, day=5)
    points(recipe(engine={"name": "vllm", "version": "2.0"}), {1: (81, 101)}, day=5)
    assert {row["engine_version"] for row in rows(client)} == {"1.0", "2.0"}


def test_the_state_of_a_past_day_is_what_was_published_then(client: Client) -> None:
    points(recipe(), {1: (80, 100)}, day=1)
    points(recipe(), {1: (90, 120), 2: (70, 160)}, day=5)
    assert [row[Y] for row in rows(client, "as_of=2026-10-04")] == [100.0]
    assert len(rows(client, "as_of=2026-10-05")) == 2
    assert "as published at the end of 2026-10-04 UTC" in page(client, f"y={Y}&as_of=2026-10-04")
    assert rows(client, "as_of=2026-09-30") == []


def test_groups_share_no_frontier_and_the_order_of_filters_changes_none(client: Client) -> None:
    points(recipe("b200"), {1: (80, 100), 2: (60, 150)})
    points(recipe("mi355x"), {1: (70, 90), 2: (50, 140)})
    by_hardware = {row["point"]: row["on_frontier"] for row in rows(client, "group=hardware")}
    assert set(by_hardware.values()) == {True}
    together = {(row["hardware"], row["on_frontier"]) for row in rows(client, "group=all")}
    assert together == {("B200", True), ("MI355X", False)}
    alone = rows(client, "group=hardware&hardware=mi355x")
    assert {row["point"]: row["on_frontier"] for row in alone}.items() <= by_hardware.items()


def test_drafting_has_its_own_line_and_an_inaccurate_recipe_none(client: Client) -> None:
    points(recipe(), {1: (80, 100), 2: (60, 150)})
    points(recipe(speculative={"method": "mtp"}), {1: (90, 110), 2: (70, 160)})
    points(recipe(tp=4, accuracy="fail"), {1: (99, 900), 2: (98, 910)})
    query = "group=hardware&group=speculative"
    assert {row["accuracy"] for row in rows(client, query) if not row["on_frontier"]} == {"fail"}
    assert {row["series"] for row in rows(client, query)} == {"B200", "B200 · MTP"}
    hollow = [trace for trace in marks(client, query) if "square-open" in str(trace["marker"]["symbol"])]
    assert len(hollow) == 1


def test_more_recipes_than_a_legend_holds_begin_with_the_best_of_each_hardware(client: Client) -> None:
    for tp in range(1, 15):
        points(recipe("b200" if tp % 2 else "mi355x", tp=tp), {1: (10.0 + tp, 100.0 - tp)})
    assert {row["series"] for row in rows(client)} == {"B200", "MI355X"}
    assert len(marks(client, "show=all&group=recipe")) == 14


def test_zero_on_a_logarithmic_axis_is_counted_and_wins_or_loses_as_before(client: Client) -> None:
    points(recipe(), {1: (80, 100), 2: (60, 150), 4: (90, 0)})
    linear = {row["point"]: row["on_frontier"] for row in rows(client)}
    logarithmic = {row["point"]: row["on_frontier"] for row in rows(client, "yscale=log")}
    assert logarithmic.items() <= linear.items()
    assert len(linear) - len(logarithmic) == 1
    assert "1 zero on a logarithmic axis" in page(client, f"y={Y}&yscale=log")
    assert all(y > 0 for line in lines(client, "yscale=log") for _x, y in line)


def test_the_line_is_monotone_and_ends_where_measuring_ended(client: Client) -> None:
    points(recipe(), {1: (80, 100), 2: (60, 150), 4: (40, 400), 8: (50, 120)})
    (line,) = lines(client)
    assert [line[0], line[-1]] == [(40.0, 400.0), (80.0, 100.0)]
    assert [y for _x, y in line] == sorted((y for _x, y in line), reverse=True)
    assert len(line) > 12
    assert "±" in page(client, f"y={Y}")


def test_another_percentile_is_another_frontier_and_a_missing_one_is_no_zero(client: Client) -> None:
    made = points(recipe(), {1: (80, 100), 2: (60, 150)})
    Point.objects.filter(id=made[0].id).update(interactivity_p90=10.0)
    assert [(row["interactivity_p90"], row[Y]) for row in rows(client, "percentile=p90")] == [(10.0, 100.0)]
    text = page(client, f"y={Y}&percentile=p90")
    assert "1 without the x metric" in text
    assert "Interactivity P90" in text


def test_cost_is_price_over_throughput_under_the_table_that_is_named(client: Client) -> None:
    points(recipe(), {1: (80, 10_000), 2: (60, 20_000), 4: (90, 0)})
    cost = "cost_per_million_total_tokens"
    query = f"y={cost}&prices=2026-09&tier=hyperscaler"
    found = client.get(f"/explore.json?{query}").json()
    assert [row[cost] for row in found["rows"]] == pytest.approx([1.73 / 72, 1.73 / 36], rel=1e-12)
    assert (found["versions"]["prices"], found["versions"]["tier"]) == ("2026-09", "hyperscaler")
    assert {row[f"{cost}_unit"] for row in found["rows"]} == {"USD/Mtok"}
    assert found["left_out"] == {"y_missing": 1}
    older = client.get(f"/explore.json?y={cost}&prices=2026-04&tier=hyperscaler").json()["rows"]
    assert older[1][cost] == pytest.approx(1.95 / 36, rel=1e-12)
    assert "without a price" in page(client, f"y={cost}&prices=2026-09&tier=neocloud")


def test_cost_between_two_points_comes_from_interpolated_throughput(client: Client) -> None:
    points(recipe(), {1: (40, 50), 2: (20, 100)})
    text = page(client, "y=cost_per_million_total_tokens&prices=2026-09&tier=hyperscaler&at=30")
    assert f'value="{1.73 / (3600 * 75 / 1e6)!r}"' in text
    assert "outside its range" in page(client, f"y={Y}&at=41")


def test_the_ruler_gives_the_ratio_of_two_lines_at_equal_x(client: Client) -> None:
    points(recipe("h200"), {1: (80, 100), 2: (40, 300)})
    base = rows(client)[0]
    points(recipe("b200"), {1: (80, 200), 2: (40, 600)})
    key = base["fingerprint"][:12]
    assert "×2.00" in page(client, f"y={Y}&at=60&base={key}")
    assert client.get(f"/figure.json?y={Y}&at=60").json()["layout"]["shapes"][0]["x0"] == 60


def test_two_pinned_points_show_what_differs_and_nothing_else(client: Client) -> None:
    first = points(recipe(), {1: (80, 100)})[0]
    second = points(recipe(tp=4), {2: (60, 150)})[0]
    text = page(client, f"y={Y}&point={first.id}&second={second.id}")
    names = re.findall(r'<th scope="row">([a-z_. ]+)</th>', text)
    assert set(names) == {"load", "parallelism", "serve.tp", "serve.gpus"}
    assert "×1.50" in text
    assert "A pinned point is not among those shown" in page(client, f"y={Y}&point=999999")


def test_parallelism_names_prefill_then_decode_and_counts_every_device(client: Client) -> None:
    roles = {
        "prefill": {"hardware": "b200", "gpus": 4, "tp": 4, "dcp": 2},
        "decode": {"hardware": "b200", "gpus": 8, "tp": 4, "pp": 2, "ep": 4, "dp_attention": True},
    }
    points(recipe(roles=roles), {1: (80, 100)})
    points(recipe(multinode=True), {1: (70, 90)})
    found = {row["deployment"]: row for row in rows(client)}
    assert (found["disaggregated"]["parallel"], found["disaggregated"]["gpus"]) == ("1xTP4DCP2+1xDEP4PP2", 12)
    assert found["multi"]["parallel"] == "TP8"
    assert len(rows(client, "deployment=disaggregated")) == 1
    assert "TP4DCP2" in json.dumps(marks(client, "labels=parallel"))


def test_the_agentx_rule_stands_beside_the_frontier_of_the_axes(client: Client) -> None:
    made = points(recipe(), {1: (80, 100), 2: (60, 150), 4: (40, 160)}, scenario=AGENTIC, ttft_p90=1.0)
    for point, canonical, ttft in zip(made, (30.0, 20.0, 25.0), (1.0, 2.0, 3.0), strict=True):
        Point.objects.filter(id=point.id).update(e2e_norm_interactivity_p90=canonical, ttft_p90=ttft)
    found = {row["load"]: row for row in rows(client, "x=ttft&percentile=p90")}
    assert {load: row["on_frontier"] for load, row in found.items()} == {1: True, 2: True, 4: True}
    assert {load: row["on_canonical_frontier"] for load, row in found.items()} == {1: True, 2: False, 4: True}
    (line,) = lines(client, "x=ttft&percentile=p90")
    assert [x for x, _y in line] == sorted(x for x, _y in line)
    assert "of 3 points on these frontiers 2 also win" in re.sub(
        r"\s+", " ", page(client, f"x=ttft&percentile=p90&y={Y}")
    )
    assert {row["on_canonical_frontier"] for row in rows(client, "x=e2e_norm_interactivity_p90")} == {None}


def test_offload_has_a_halo_and_a_filter(client: Client) -> None:
    points(recipe(), {1: (80, 100)})
    points(recipe(kv_offload={"mode": "dram"}), {1: (81, 101)})
    data = client.get(f"/figure.json?y={Y}").json()["data"]
    assert [trace["x"] for trace in data if trace["marker"]["size"] == 24] == [[81.0]]
    assert [row["offload"] for row in rows(client, "offload=dram")] == ["dram"]


def test_concurrency_is_an_axis_without_a_frontier(client: Client) -> None:
    points(recipe(), {1: (80, 100), 4: (40, 300), 2: (60, 150)})
    assert lines(client, "x=concurrency") == [[(1.0, 100.0), (2.0, 150.0), (4.0, 300.0)]]
    assert "No frontier" in page(client, f"x=concurrency&y={Y}")


def test_no_filter_and_no_legend_changes_a_colour(client: Client) -> None:
    for hardware in ("b200", "h200", "mi355x"):
        points(recipe(hardware), {1: (80, 100)})
    before = {trace["name"]: trace["meta"]["light"] for trace in marks(client, "group=hardware")}
    key = {row["hardware"]: row for row in rows(client, "group=hardware")}
    assert len(set(before.values())) == 3
    after = {
        t["name"]: t["meta"]["light"] for t in marks(client, "group=hardware&hardware=h200&hardware=b200")
    }
    assert after.items() <= before.items()
    assert set(key) == {"B200", "H200", "MI355X"}


def test_many_points_are_thinned_visibly_and_the_files_hold_all(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrange, "DRAWN", 6)
    points(recipe(), {load: (100.0 - load, 10.0 + load if load < 4 else 1.0) for load in range(1, 21)})
    drawn = [identifier for trace in marks(client) for identifier in trace["customdata"]]
    winners = {row["point"] for row in rows(client) if row["on_frontier"]}
    assert len(drawn) == 6
    assert winners <= set(drawn)
    assert len(rows(client)) == 20
    assert "The chart draws 6 of 20 points" in page(client, f"y={Y}")


def test_csv_has_units_in_columns_and_no_formula(client: Client) -> None:
    points(recipe(), {1: (80, 100)}, label="=HYPERLINK(1)")
    text = client.get(f"/explore.csv?y={Y}").content.decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["recipe"], row[f"{Y}_unit"], float(row[Y])) == ("'=HYPERLINK(1)", "tok/s/GPU", 100.0)
    assert row["interactivity_p50_unit"] == "tok/s/user"


def test_an_embedded_chart_may_stand_in_any_page_and_the_others_in_none(client: Client) -> None:
    points(recipe(), {1: (80, 100)})
    embedded, whole = client.get(f"/embed/?y={Y}"), client.get(f"/?y={Y}")
    assert "frame-ancestors *" in embedded.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in embedded.headers
    assert whole.headers["X-Frame-Options"] == "DENY"
    assert (
        'property="og:title" content="Large · 8192/1024: Total throughput per GPU' in whole.content.decode()
    )


def test_a_permalink_shows_the_same_figure_after_everything_changed(client: Client) -> None:
    points(recipe(), {1: (80, 10_000), 2: (60, 20_000)})
    query = "y=cost_per_million_total_tokens&tier=hyperscaler"
    figure = client.get(f"/figure.json?{query}").content
    made = client.post("/p/", {"query": query})
    address = made.headers["Location"]
    kept = client.get(f"{address}figure.json").content
    before = client.get(address).content.decode()
    assert json.loads(kept) == json.loads(figure)
    assert client.post("/p/", {"query": query}).headers["Location"] == address
    points(recipe(), {1: (99, 90_000), 2: (98, 95_000), 4: (5, 99_000)}, day=20)
    assert client.get(f"/figure.json?{query}").content != figure
    assert client.get(f"{address}figure.json").content == kept
    Curve.objects.all().delete()
    Point.objects.all().delete()
    Run.objects.all().delete()
    Recipe.objects.all().delete()
    assert client.get(f"{address}figure.json").content == kept
    assert tokens(client.get(address).content.decode()) == tokens(before)
    assert re.search(r'<ul class="keys small"><li><svg', before)
    document = client.get(f"{address[:-1]}.json").json()
    assert document["price_table"]["version"] == document["versions"]["prices"] == "2026-09"
    assert len(client.get(f"{address[:-1]}.csv").content.decode().splitlines()) == 3


def tokens(text: str) -> str:
    """Without what differs in every answer."""
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", text)


def test_a_permalink_of_a_bad_address_names_the_parameter_and_keeps_nothing(client: Client) -> None:
    response = client.post("/p/", {"query": "x=speed"})
    assert response.status_code == 400
    assert b"<code>x</code>" in response.content
    assert Permalink.objects.count() == 0
    assert client.get("/p/0000000000000000/").status_code == 404


def test_every_control_is_in_the_address_from_the_first_answer(client: Client) -> None:
    made = points(recipe(), {1: (80, 100), 2: (60, 150)})
    query = (
        f"x=ttft&y={Y}&percentile=p90&xscale=log&yscale=log&show=all&labels=none&overall=on&validity=all"
        f"&builds=all&as_of=2026-10-30&prices=2026-04&tier=rental&sort=load&at=0.5&base={'a' * 12}"
        f"&point={made[0].id}&second={made[1].id}&hardware=b200&vendor=NVIDIA&engine=vllm&precision=fp8"
        f"&deployment=single&speculative=none&offload=none&gpus=8&accuracy=unknown&group=hardware&group=engine"
    )
    found = re.search(r'data-query="([^"]+)"', page(client, query))
    assert found is not None
    state = found[1].replace("&amp;", "&").split("&")
    assert set(query.split("&")) <= set(state)
    text = page(client, query)
    for name in ("hardware", "vendor", "engine", "precision", "deployment", "speculative", "offload", "gpus"):
        assert re.search(rf'name="{name}" value="[^"]+" checked', text), name


def test_markup_of_an_engine_build_is_text_everywhere(client: Client) -> None:
    evil = "<img src=x onerror=alert(1)>"
    made = points(recipe(engine={"name": "vllm", "version": evil}), {1: (80, 100)}, label=evil)[0]
    for address in (f"/?y={Y}&point={made.id}&at=80", f"/embed/?y={Y}"):
        assert "<img" not in client.get(address).content.decode()
    assert "<img" not in json.dumps(marks(client))
    kept = client.post("/p/", {"query": f"y={Y}&group=label"}).headers["Location"]
    text = client.get(kept).content.decode()
    assert "<img" not in text
    assert "</svg> &lt;img src=x onerror=alert(1)&gt;</li>" in text
    assert quote(evil) not in kept


def test_an_address_that_keeps_figure_after_figure_is_asked_to_wait(client: Client, clock: Clock) -> None:
    points(recipe(), {1: (80, 100)})
    allowed = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]["permalink"]
    for _kept in range(allowed):
        assert client.post("/p/", {"query": f"y={Y}"}).status_code == 302
    refused = client.post("/p/", {"query": f"y={Y}"})
    wait = int(refused.headers["Retry-After"])
    assert refused.status_code == 429
    assert f"Try again in {wait} seconds." in refused.content.decode()
    assert client.post("/p/", {"query": f"y={Y}"}, REMOTE_ADDR="192.0.2.1").status_code == 302
    clock.advance(wait)
    assert client.post("/p/", {"query": f"y={Y}"}).status_code == 302
